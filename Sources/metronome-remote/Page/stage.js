// The beat and the pendulum, frame by frame, by the box's clock.

import { beatAt, median, pendulum } from "./beats.js";
import { $, setAttribute, setText } from "./dom.js";
import { levelOfCode } from "./rhythm.js";
import { settings } from "./settings.js";

const SWING = 52; // degrees to each side
const LATE = 250; // milliseconds; an older beat is not flashed any more
/** Large areas must not flash more than three times a second: photosensitive epilepsy. Faster beats light only the disc. */
const SHORTEST_WASH = 1000 / 3;
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
    if (!isPlaying) this.#rest();
    this.#drawFlash(seen);
    this.#drawPendulum(isPlaying ? beatAt(timeline, seen + clock.offset) : null);
  }

  #begin({ beat, interval }, session, seen, timestamp) {
    this.#shown = `${session} ${beat.number}`;
    const at = this.#app.clock.pageTime(beat.at);
    this.#showPlace(beat);
    if (seen - at > LATE) return;
    const level = levelOfCode(this.#app.state.levels?.[beat.place] ?? (beat.place === 0 ? "s" : "w")).name;
    this.#flash = { at, level, length: Math.min(420, interval * 0.8), wash: interval >= SHORTEST_WASH };
    $("stage").dataset.level = level;
    metronomeLog.push({ session, beat: beat.number, place: beat.place, at, seen, frame: timestamp, now: performance.now() });
    if (metronomeLog.length > 2000) metronomeLog.shift();
  }

  #showPlace(beat) {
    const text = beat.bar < 0 ? `−${this.#app.timeline.beatsInBar - beat.place}` : String(beat.place + 1);
    setText($("number"), text);
    setText($("number-lit"), text);
    if (beat.place === this.#place) return;
    $("bar").children[this.#place]?.classList.remove("now");
    $("bar").children[beat.place]?.classList.add("now");
    this.#place = beat.place;
  }

  #rest() {
    if (this.#shown === "" && this.#place === -1) return;
    this.#shown = "";
    this.#flash = null;
    setText($("number"), "–");
    setText($("number-lit"), "–");
    $("bar").children[this.#place]?.classList.remove("now");
    this.#place = -1;
  }

  #drawFlash(seen) {
    const flash = this.#flash;
    const age = flash ? Math.max(0, seen - flash.at) / flash.length : 1;
    const light = !flash || flash.level === "rest" || age >= 1 ? 0 : (1 - age) ** 1.5;
    const strength = flash?.level === "ghost" ? 0.45 : 1;
    const wash = flash?.wash && !REDUCED.matches ? { strong: 0.75, medium: 0.5, weak: 0.28, ghost: 0, rest: 0 }[flash.level] : 0;
    this.#set("lit", "opacity", (light * strength).toFixed(3));
    this.#set("wash", "opacity", (light * wash).toFixed(3));
    this.#set("disc", "transform", REDUCED.matches ? "none" : `scale(${(1 + 0.05 * light * strength).toFixed(4)})`);
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
