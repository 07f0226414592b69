// The beat and the pendulum, frame by frame, by the box's clock.

import { beatAt, median, pendulum } from "./beats.js";
import { $, setAttribute, setText } from "./dom.js";
import { showFace } from "./face.js";
import { levelOfBeat, levelOfCode } from "./rhythm.js";
import { settings } from "./settings.js";

const SWING = 52; // degrees to each side
const LATE = 250; // milliseconds; an older beat is not flashed any more
/** Large areas must not flash more than three times a second: photosensitive epilepsy. Faster beats light only the disc. */
const SHORTEST_WASH = 1000 / 3;
/** The shares of a flash after which the disc is dark, and during which it fades before. */
const LIT_SHARE = 0.62;
const FADE_SHARE = 0.2;
const WASH = { strong: 0.8, medium: 0.55, weak: 0.3, ghost: 0 };
/** The number and the pendulum go on at these beats; the disc does not light up. */
const DARK = new Set(["rest", "silenced"]);
const REDUCED = matchMedia("(prefers-reduced-motion: reduce)");

export class Stage {
  #app;
  #frames = [];
  #lastFrame = 0;
  #shown = "";
  #flash = null;
  #place = -2;
  #drawn = {};

  constructor(app) {
    this.#app = app;
    globalThis.metronomeLog = [];
    const frame = (timestamp) => {
      requestAnimationFrame(frame);
      this.#draw(timestamp);
    };
    requestAnimationFrame(frame);
  }

  /** The bar below the disc, when its levels have changed. */
  showBar(levels) {
    const bar = $("bar");
    if (bar.dataset.levels === levels) return;
    bar.dataset.levels = levels;
    bar.replaceChildren(...[...levels].map((code) => {
      const beat = document.createElement("i");
      beat.dataset.level = levelOfCode(code).name;
      return beat;
    }));
    bar.style.setProperty("--beats", String(Math.max(1, levels.length)));
    setAttribute(bar, "aria-label", `Beats of the bar: ${[...levels].map((code) => levelOfCode(code).name).join(", ")}`);
    this.#place = -2;
  }

  #frameLength(timestamp) {
    const length = timestamp - this.#lastFrame;
    this.#lastFrame = timestamp;
    if (length > 3 && length < 60) this.#frames.push(length);
    if (this.#frames.length > 31) this.#frames.shift();
    return this.#frames.length ? median(this.#frames) : 1000 / 60;
  }

  /** What this frame draws is seen about one frame after its timestamp. The frame nearest to a beat shows it. */
  #draw(timestamp) {
    const { timeline, clock, isLive } = this.#app;
    const frame = this.#frameLength(timestamp);
    const seen = timestamp + frame + settings.light;
    const isPlaying = isLive && clock.isKnown && timeline?.isPlaying;
    const found = isPlaying ? beatAt(timeline, seen + frame / 2 + clock.offset) : null;
    if (found && `${timeline.session} ${found.beat.number}` !== this.#shown) this.#begin(found, timeline.session, seen, timestamp);
    // Also in a pause that waits, after the end of its last beat.
    if (!found) this.#rest();
    this.#drawFlash(seen);
    this.#drawPendulum(isPlaying ? beatAt(timeline, seen + clock.offset) : null);
  }

  #begin({ beat, interval }, session, seen, timestamp) {
    this.#shown = `${session} ${beat.number}`;
    const at = this.#app.clock.pageTime(beat.at);
    this.#showPlace(beat);
    if (seen - at > LATE) return;
    const level = levelOfBeat(beat, this.#app.state.levels);
    this.#flash = { at, level, length: Math.min(420, interval * 0.8), wash: interval >= SHORTEST_WASH };
    $("stage").dataset.level = $("face").dataset.level = level;
    metronomeLog.push({ session, beat: beat.number, bar: beat.bar, place: beat.place, level, at, seen, frame: timestamp, now: performance.now() });
    if (metronomeLog.length > 2000) metronomeLog.shift();
  }

  #showPlace(beat) {
    const text = beat.bar < 0 ? `−${this.#app.timeline.beatsInBar - beat.place}` : String(beat.place + 1);
    setText($("number"), text);
    showFace(text);
    if (beat.place === this.#place) return;
    $("bar").children[this.#place]?.classList.remove("now");
    $("bar").children[beat.place]?.classList.add("now");
    this.#app.onPlace(beat.place);
    this.#place = beat.place;
  }

  #rest() {
    if (this.#shown === "" && this.#place === -1) return;
    this.#shown = "";
    this.#flash = null;
    setText($("number"), "–");
    showFace("–");
    $("bar").children[this.#place]?.classList.remove("now");
    this.#app.onPlace(-1);
    this.#place = -1;
  }

  /** The disc is lit at full strength first and then fades fast, so that its number can be read all the time. The wash fades slowly. */
  #drawFlash(seen) {
    const flash = this.#flash;
    const age = flash && !DARK.has(flash.level) ? Math.max(0, seen - flash.at) / flash.length : 1;
    const strength = flash?.level === "ghost" ? 0.5 : 1;
    const light = strength * Math.min(1, Math.max(0, (LIT_SHARE - age) / FADE_SHARE));
    const wash = flash?.wash && !REDUCED.matches && age < 1 ? WASH[flash.level] * (1 - age) ** 1.5 : 0;
    this.#set("lit", "opacity", light.toFixed(3));
    // Without a fade at fast beats, as for the wash.
    this.#set("face-number", "opacity", (flash?.wash && !REDUCED.matches ? 0.55 + 0.45 * light : 1).toFixed(3));
    this.#set("number", "color", light > 0.5 ? "var(--on-level)" : "var(--ink)");
    this.#set("wash", "opacity", wash.toFixed(3));
    this.#set("disc", "transform", REDUCED.matches ? "none" : `scale(${(1 + 0.05 * Math.max(0, 1 - age * 2)).toFixed(4)})`);
  }

  #drawPendulum(found) {
    const place = found ? pendulum(found.beat.number, REDUCED.matches ? 0 : found.phase) : 0;
    this.#set("pendulum", "transform", `rotate(${(place * SWING).toFixed(2)}deg)`);
  }

  #set(id, property, value) {
    const key = id + property;
    if (this.#drawn[key] === value) return;
    this.#drawn[key] = value;
    $(id).style.setProperty(property, value);
  }
}
