// Volume, this phone's own sound and light, appearance, pairing, and the box's health.

import { $, make, notify, setAttribute, setText } from "./dom.js";
import { numberOf } from "./message.js";
import { save, settings } from "./settings.js";
import { paced } from "./transport.js";

/** A request without an answer for this long, in milliseconds, is given up. */
const POST_TIME = 2000;

const signed = (value, unit) => (value === 0 ? `0 ${unit}` : `${value > 0 ? "+" : "−"}${Math.abs(value)} ${unit}`);

export class BoxView {
  #app;
  #windowEnd = 0;

  constructor(app) {
    this.#app = app;
    this.#setUpVolume();
    this.#setUpPhone();
    this.#setUpThemes();
    $("pair").addEventListener("click", () => this.#pair());
    $("forget").addEventListener("click", () => this.#forget());
    setInterval(() => this.#showPairing(), 500);
  }

  #setUpVolume() {
    const slider = $("volume");
    const send = paced(this.#app, (value) => this.#app.command(`volume ${value}`));
    slider.addEventListener("input", () => {
      slider.dataset.touched = String(performance.now());
      this.#showVolume(Number(slider.value));
      send(slider.value);
    });
    $("silent").addEventListener("click", () => this.#app.command("silent"));
  }

  #showVolume(value) {
    setText($("volume-value"), signed(value, "dB"));
    setAttribute($("volume"), "aria-valuetext", signed(value, "decibels"));
  }

  #setUpPhone() {
    $("sound").addEventListener("click", async () => {
      const { sound } = this.#app;
      if (sound.isOn) sound.stop();
      else if (!(await sound.start())) notify("This browser plays no sound.", "error");
      this.#showPhone();
    });
    const slider = (id, key) => {
      $(id).value = String(settings[key]);
      $(id).addEventListener("input", () => {
        save({ [key]: Number($(id).value) });
        this.#showPhone();
      });
    };
    slider("sound-volume", "soundVolume");
    slider("sound-shift", "soundShift");
    slider("light", "light");
    $("keys-on").checked = settings.keys;
    $("keys-on").addEventListener("change", () => save({ keys: $("keys-on").checked }));
    this.#showPhone();
  }

  #showPhone() {
    setAttribute($("sound"), "aria-pressed", this.#app.sound.isOn);
    setText($("sound-value"), this.#app.sound.isOn ? `${settings.soundVolume} %` : "off");
    // Light is seen later than it is drawn: the slider moves what is drawn to an earlier instant.
    const words = (value) => (value === 0 ? "0 ms" : `${Math.abs(value)} ms ${value > 0 ? "later" : "earlier"}`);
    for (const [id, value] of [["light", -settings.light], ["sound-shift", settings.soundShift]]) {
      setText($(`${id}-value`), words(value));
      setAttribute($(id), "aria-valuetext", words(value));
    }
  }

  #setUpThemes() {
    const show = () => {
      document.documentElement.dataset.theme = settings.theme;
      for (const button of $("themes").children) setAttribute(button, "aria-pressed", button.dataset.themeName === settings.theme);
    };
    for (const button of $("themes").children) {
      button.addEventListener("click", () => {
        save({ theme: button.dataset.themeName });
        show();
      });
    }
    show();
  }

  /** A pairing window is open for so many seconds from now; 0 closes it. */
  openWindow(seconds) {
    this.#windowEnd = performance.now() + seconds * 1000;
    this.#showPairing();
    if (seconds > 0 && !this.#app.mayCommand) notify("The box accepts a new phone now: choose Pair this phone in the view Box.");
  }

  #showPairing() {
    const left = Math.ceil((this.#windowEnd - performance.now()) / 1000);
    const { mayCommand, isTrusted } = this.#app;
    const words = isTrusted ? "This browser runs on the box’s own computer, and needs no pairing."
      : mayCommand ? "This phone is paired: it may command the box."
      : left > 0 ? `The box accepts a new phone for ${left} s.`
      : "This phone may only watch. To pair it, hold the button or buttons for pairing on the box: play and denominator together, unless its settings name others. Then press the button below within a minute.";
    setText($("pairing-words"), words);
    $("pair").hidden = mayCommand;
    $("pair").disabled = left <= 0;
    $("forget").hidden = !mayCommand || isTrusted;
    $("badge-watching").hidden = mayCommand || !this.#app.isConnected;
  }

  async #pair() {
    const answer = await this.#post("pair");
    if (answer?.ok) notify("This phone is paired.");
    else if (answer) notify("The box did not accept the phone: hold its button or buttons for pairing first.", "error");
    this.#app.connection.reconnect();
  }

  async #forget() {
    if (!(await this.#app.confirm("Forget all phones? Each must be paired again, this one too.", "Forget all"))) return;
    const answer = await this.#post("forget");
    if (answer) notify(answer.ok ? "All phones are forgotten." : "The box refused to forget the phones.", answer.ok ? "note" : "error");
    this.#app.connection.reconnect();
  }

  /** Sends a request that must not arrive late. Returns the answer; null without one. */
  async #post(path) {
    try {
      if (this.#app.connection.canSend) return await fetch(path, { method: "POST", signal: AbortSignal.timeout(POST_TIME) });
    } catch {
      // The connection is lost.
    }
    notify("Not connected, so nothing was sent.", "error");
    return null;
  }

  update() {
    const { state } = this.#app;
    const volume = numberOf(state, "volume");
    if (performance.now() - Number($("volume").dataset.touched ?? -Infinity) > 600) {
      $("volume").value = String(volume);
      this.#showVolume(volume);
    }
    setAttribute($("silent"), "aria-pressed", state.silent === "1");
    this.#showPairing();
    this.#showHealth(state);
  }

  #showHealth(state) {
    const { clock } = this.#app;
    const late = numberOf(state, "late-us", null);
    const rows = [
      ["Lateness", late === null ? "no beat yet" : `${late} µs`, late > 1000],
      ["Skipped beats", state.skipped ?? "0", numberOf(state, "skipped") > 0],
      ["Underruns of the sound card", state.xruns ?? "0", numberOf(state, "xruns") > 0],
      ["Sound card", state.audio || "none", false],
      ["Lines", state.lines === "1" ? "there" : "missing", state.lines !== "1"],
      ["Follows", state.follows === "midi" ? "MIDI clock" : state.follows === "link" ? "Ableton Link" : "nothing", false],
      ["Source", state.source || "none", false],
      ["Clock of this phone", clock.isKnown ? `known to ±${clock.uncertainty(performance.now()).toFixed(1)} ms` : "being measured", false],
    ];
    const list = $("health");
    if (list.children.length === 0) list.append(...rows.map(([name]) => make("div", {}, make("dt", {}, name), make("dd"))));
    rows.forEach(([, value, isBad], index) => {
      const definition = list.children[index].lastChild;
      setText(definition, isBad ? `${value} ⚠` : String(value));
      setAttribute(definition, "data-bad", isBad ? "1" : null);
    });
  }
}
