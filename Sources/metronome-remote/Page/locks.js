// What cannot be changed now, why, and how to change that.

import { NOT_SENT } from "./connection.js";
import { numberOf } from "./message.js";
import { formatTempo } from "./tempo.js";

/** What sets tempo and rhythm in place of the person: `song`, `ramp` or `clock`; null: nothing does. */
export function lockOf(state) {
  if ((state.score ?? "") !== "") return "song";
  if ((state["trainer-on"] ?? "").split(",").includes("ramp")) return "ramp";
  return state["refuses-tempo"] === "1" ? "clock" : null;
}

/** The next step of a ramp in words; empty if no step follows. */
export function nextStepWords(state, beatsInBar) {
  const tempo = numberOf(state, "next-tempo", null);
  const beats = numberOf(state, "next-beats", null);
  if (tempo === null || beats === null) return "";
  const bars = Math.ceil(beats / Math.max(1, beatsInBar));
  return `${formatTempo(Math.round(tempo * 10) / 10)} BPM in ${bars === 1 ? "1 bar" : `${bars} bars`}`;
}

/** What the view Play says in place of the slider. */
export function lockWords(app) {
  const { state, timeline } = app;
  const lock = lockOf(state);
  const next = nextStepWords(state, timeline?.beatsInBar ?? 1);
  if (lock === "clock") return "The MIDI clock sets the tempo.";
  const who = lock === "song" ? "The song" : "The ramp";
  return next === "" ? `${who} sets the tempo; − and + its speed.` : `${who}: ${next}.`;
}

/** How the person ends a lock; null if only another device can. */
export function keyOf(app) {
  const lock = lockOf(app.state);
  if (lock === "song") {
    const label = app.state.playing === "1" ? "Stop and unload the song" : "Unload the song";
    return { label, act: () => app.changeScore({ action: "unload" }) };
  }
  return lock === "ramp" ? { label: "End the ramp", act: () => app.command("ramp none") } : null;
}

/** Reasons of refusals: a part of their text, when they are over, and what mends them. */
const REASONS = [
  [NOT_SENT, (app) => app.connection.canSend],
  ["the metronome is not running", (app) => app.hasBox],
  ["pair this phone first", (app) => app.mayCommand],
  ["unload the song first", (app) => lockOf(app.state) !== "song", keyOf],
  ["end the ramp first", (app) => lockOf(app.state) !== "ramp", keyOf],
  ["stop first", (app) => app.state.playing !== "1", (app) => ({ label: "Stop", act: () => app.command("stop") })],
];

/** What is known about the reason of a refusal, for its message. After it was mended, `again` repeats what was refused. */
export function remedyOf(app, why, again) {
  const [, isOver, mend] = REASONS.find(([part]) => why.includes(part)) ?? [];
  const button = mend?.(app);
  if (!button) return { isOver: isOver && (() => isOver(app)) };
  const act = async () => {
    const answer = await button.act();
    if (answer.ok) await again?.();
  };
  return { isOver: () => isOver(app), button: { label: button.label, act } };
}
