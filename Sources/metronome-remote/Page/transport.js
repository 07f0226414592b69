// Tempo, tap and play.

import { Delayed } from "./connection.js";
import { $, notify, onPress, onPressRepeated, setAttribute, setText } from "./dom.js";
import { lockOf, lockWords } from "./locks.js";
import { numberOf } from "./message.js";
import { parseSignature } from "./rhythm.js";
import { formatTempo, parseTempo, sliderPlace, sliderTempo, tempoName } from "./tempo.js";

/** While a slider moves, its value is sent this often at most, in milliseconds. */
export const SLIDER_PERIOD = 80;

/** Limits how often `send` is called with the values of a slider. The last value is sent, too, unless the connection is lost before. */
export function paced(app, send) {
  let last = -Infinity;
  const delayed = new Delayed(app);
  return (value) => {
    delayed.start(Math.max(0, last + SLIDER_PERIOD - performance.now()), () => {
      last = performance.now();
      send(value);
    });
  };
}

/** What the button Play shows. The toggle `play` would do the opposite if the box was started or stopped elsewhere meanwhile. */
export function playCommand({ playing, waiting }) {
  return playing === "1" && waiting !== "1" ? "stop" : "start";
}

export function setUpTransport(app) {
  onPress($("play"), (instant) => app.command(playCommand(app.state), instant));
  onPress($("tap"), (instant) => {
    app.command("tap", instant);
    $("tap").classList.add("hit");
    setTimeout(() => $("tap").classList.remove("hit"), 90);
  });
  onPressRepeated($("slower"), (instant) => app.command("slower", instant));
  onPressRepeated($("faster"), (instant) => app.command("faster", instant));
  setUpSlider(app);
  setUpTyping(app);
}

function setUpSlider(app) {
  const slider = $("tempo-slider");
  const send = paced(app, (tempo) => app.command(`tempo ${tempo}`));
  slider.addEventListener("input", () => {
    const tempo = sliderTempo(Number(slider.value));
    slider.dataset.touched = String(performance.now());
    $("tempo").value = formatTempo(tempo);
    showTempoLength();
    setAttribute(slider, "aria-valuetext", `${tempo} BPM`);
    send(tempo);
  });
  // An arrow key moves the tempo by one, not the slider by one of its thousand steps.
  slider.addEventListener("keydown", (event) => {
    const step = { ArrowUp: "faster", ArrowRight: "faster", ArrowDown: "slower", ArrowLeft: "slower", PageUp: "faster 10", PageDown: "slower 10" }[event.key];
    if (!step) return;
    event.preventDefault();
    app.command(event.shiftKey && !step.includes(" ") ? `${step} 5` : step);
  });
}

function setUpTyping(app) {
  const field = $("tempo");
  field.addEventListener("input", () => {
    if (app.refuses()) cancel();
    showTempoLength();
  });
  field.addEventListener("focus", () => field.select());
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") commit();
    else if (event.key === "Escape") cancel();
    else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
      event.preventDefault();
      const word = event.key === "ArrowUp" ? "faster" : "slower";
      app.command(event.shiftKey ? `${word} 5` : word);
    }
  });
  field.addEventListener("change", () => !field.dataset.done && commit());
  field.addEventListener("blur", () => updateTransport(app));
  // What was typed must not be sent when the connection is back and the field loses the focus.
  app.losses.push(() => document.activeElement === field && cancel());
  function cancel() {
    field.value = formatTempo(numberOf(app.state, "tempo", 120));
    leave();
  }
  function leave() {
    field.dataset.done = "1";
    field.blur();
    delete field.dataset.done;
  }
  function commit() {
    if (field.readOnly) return leave();
    const tempo = parseTempo(field.value);
    if (tempo === null) notify("A tempo is a number from 1 to 999 with at most three decimals, such as 92.5.", "error");
    else app.command(`tempo ${formatTempo(tempo)}`);
    leave();
  }
}

export function updateTransport(app) {
  const { state } = app;
  const isPlaying = state.playing === "1";
  const word = state.waiting === "1" ? "Go on" : isPlaying ? "Stop" : "Play";
  setAttribute($("play"), "aria-pressed", isPlaying);
  setText($("play-word"), word);
  const tempo = numberOf(state, "tempo", NaN);
  if (!(tempo > 0)) return;
  // A score, or a ramp, which has no name. The box lets its speed be changed, and not its tempo.
  const hasSong = state.loaded === "1";
  const isLocked = lockOf(state) !== null;
  const shown = isLocked ? numberOf(state, "current", tempo) : tempo;
  const slider = $("tempo-slider");
  if (performance.now() - Number(slider.dataset.touched ?? -Infinity) > 600) {
    slider.value = String(sliderPlace(shown));
    setAttribute(slider, "aria-valuetext", `${formatTempo(shown)} BPM`);
    // What is played may have any number of decimals; three digits after the point cannot be read on a stage.
    if (document.activeElement !== $("tempo")) $("tempo").value = formatTempo(isLocked ? Math.round(shown * 10) / 10 : shown);
  }
  showTempoLength();
  slider.disabled = slider.hidden = isLocked;
  $("lock-words").hidden = !isLocked;
  setText($("lock-words"), isLocked ? lockWords(app) : "");
  $("tempo").readOnly = isLocked;
  setAttribute($("slower"), "aria-label", hasSong ? "Slower by 1 %" : "Slower");
  setAttribute($("faster"), "aria-label", hasSong ? "Faster by 1 %" : "Faster");
  setText($("tempo-unit"), unitWords(state.beat));
  setText($("tempo-name"), hasSong && state.speed && state.speed !== "100" ? `${state.speed} %` : tempoName(shown));
  setText($("metre"), metreWords(state.signature));
}

/** The digits are as large as their number allows. A point is narrow. */
function showTempoLength() {
  const text = $("tempo").value;
  const length = Math.max(2.6, text.replace(/[.,]/, "").length + (/[.,]/.test(text) ? 0.5 : 0));
  $("tempo").style.setProperty("--length", String(length));
}

/** Long groups are shown as their sum: 3+3+2+3+3+2/16 as 16/16. */
function metreWords(text) {
  const signature = parseSignature(text);
  return signature && text.length > 8 ? `${signature.numerator}/${signature.denominator}` : text ?? "";
}

function unitWords(beat) {
  return !beat || beat === "1/4" ? "BPM" : `${beat} a minute`;
}
