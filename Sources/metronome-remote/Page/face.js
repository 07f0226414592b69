// The stage view: the number of the beat over the whole screen, as dark as a stage needs it.

import { $, setAttribute, setText } from "./dom.js";
import { save, settings } from "./settings.js";
import { formatTempo } from "./tempo.js";

/** The share of its brightness that is left at the darkest: the number can still be seen in a dark room. */
const DARKEST = 0.02;

/** How bright it is at a place of the slider, 0 to 100. Equal ways look like equal steps. */
export const brightness = (percent) => DARKEST ** (1 - percent / 100);

export function setUpFace() {
  const show = () => {
    $("face").style.setProperty("--bright", brightness(settings.face).toFixed(4));
    setAttribute($("face-light"), "aria-valuetext", `${settings.face} %`);
  };
  $("face-light").value = String(settings.face);
  $("face-light").addEventListener("input", () => {
    save({ face: Number($("face-light").value) });
    show();
  });
  show();
  $("face-open").addEventListener("click", () => $("face").showModal());
  $("face-close").addEventListener("click", () => $("face").close());
  $("face-number").addEventListener("click", () => $("face").close());
}

/** The number of the beat, as the disc shows it. */
export function showFace(text) {
  setText($("face-number"), text);
  $("face").style.setProperty("--length", String(text.length));
}

/** What the musician needs beside it: the song and its section, or the tempo and the bar. */
export function updateFace({ state }) {
  const words = [state.song, state.section, formatTempo(Number(state.tempo)), state.signature];
  setText($("face-words"), words.filter(Boolean).join(" · "));
}
