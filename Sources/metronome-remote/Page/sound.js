// Clicks from the phone, by the box's clock: every 25 ms those of the next 100 ms are scheduled.

import { beatsBetween } from "./beats.js";
import { levelOfBeat } from "./rhythm.js";
import { settings } from "./settings.js";

const PERIOD = 25;
const AHEAD = 100;
const CLICKS = {
  strong: { pitch: 1760, gain: 1 }, medium: { pitch: 1320, gain: 0.8 }, weak: { pitch: 990, gain: 0.6 }, ghost: { pitch: 880, gain: 0.2 },
};
const LENGTH = 0.045; // seconds

export class Sound {
  /** The clicks that were scheduled: (beat, page instant). For tests. */
  log = [];

  #app;
  #context = null;
  #timer = null;
  #pending = new Map();

  constructor(app) {
    this.#app = app;
  }

  /** Must be called by a touch: browsers start no sound by themselves. Returns whether there is sound. */
  async start() {
    try {
      this.#context ??= new AudioContext({ latencyHint: "interactive" });
      await this.#context.resume();
    } catch {
      return false;
    }
    this.#timer ??= setInterval(() => this.#schedule(), PERIOD);
    return true;
  }

  stop() {
    clearInterval(this.#timer);
    this.#timer = null;
    this.#cancel(() => true);
    this.#context?.suspend();
  }

  get isOn() {
    return this.#timer !== null;
  }

  #schedule() {
    const { timeline, clock, isLive, state } = this.#app;
    if (!isLive || !clock.isKnown || !timeline?.isPlaying || state.silent === "1") return this.#cancel(() => true);
    const now = performance.now();
    const due = beatsBetween(timeline, now + clock.offset, now + AHEAD + clock.offset);
    const expected = new Map(due.map((beat) =>
      [`${timeline.session} ${beat.number}`, { at: clock.pageTime(beat.at), click: CLICKS[levelOfBeat(beat, state.levels)] }]));
    // A beat that has changed since, for example by a new tempo, is taken back and scheduled anew.
    this.#cancel((key, { at, click }) => {
      const beat = expected.get(key);
      return at > now + 5 && (!beat || beat.click !== click || Math.abs(beat.at - at) > 3);
    });
    for (const [key, { at, click }] of expected) if (click && !this.#pending.has(key)) this.#click(key, at, click);
    for (const [key, { at }] of this.#pending) if (at < now - 1000) this.#pending.delete(key);
  }

  #click(key, at, click) {
    const { pitch, gain } = click;
    const when = Math.max(this.#context.currentTime, this.#contextTime(at + settings.soundShift));
    const oscillator = new OscillatorNode(this.#context, { frequency: pitch, type: "triangle" });
    const envelope = new GainNode(this.#context, { gain: 0 });
    envelope.gain.setValueAtTime(Math.max(0.0001, gain * (settings.soundVolume / 100) ** 2), when);
    envelope.gain.exponentialRampToValueAtTime(0.0001, when + LENGTH);
    oscillator.connect(envelope).connect(this.#context.destination);
    oscillator.start(when);
    oscillator.stop(when + LENGTH);
    this.#pending.set(key, { at, click, oscillator });
    this.log.push({ key, at, when });
    if (this.log.length > 500) this.log.shift();
  }

  #cancel(isWrong) {
    for (const [key, pending] of this.#pending) {
      if (!isWrong(key, pending)) continue;
      if (pending.at > performance.now()) pending.oscillator.stop();
      this.#pending.delete(key);
    }
  }

  /** The time of the context at which a sound must be scheduled to be heard at an instant of the page. */
  #contextTime(pageTime) {
    const stamp = this.#context.getOutputTimestamp?.();
    if (stamp?.performanceTime > 0) return stamp.contextTime + (pageTime - stamp.performanceTime) / 1000;
    const latency = this.#context.outputLatency || this.#context.baseLatency || 0;
    return this.#context.currentTime - latency + (pageTime - performance.now()) / 1000;
  }
}
