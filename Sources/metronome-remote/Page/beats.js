// The beats that the box has announced. Pure: everything follows from the message `timeline`, nothing from when it arrived.

import { numberOf } from "./message.js";

/** How long beats are continued after the last announced one, in milliseconds. */
const CONTINUED = 2000;
const MOST_CONTINUED = 40;

/** Reads a `timeline`. The instants of its beats are in milliseconds of the box's clock. Null without an instant. */
export function readTimeline(fields, clock) {
  if (!/^-?\d+$/.test(fields.at ?? "")) return null;
  const beatsInBar = Math.max(1, numberOf(fields, "beats", 1));
  // A beat without a letter has the level of its place in the bar.
  const codes = fields.levels ?? "";
  const first = {
    number: numberOf(fields, "beat"), bar: numberOf(fields, "bar"), place: numberOf(fields, "place"), at: clock.boxTime(fields.at),
    code: codes[0],
  };
  const offsets = list(fields.next);
  const places = list(fields.places);
  const beats = [first];
  offsets.forEach((offset, index) => {
    const last = beats.at(-1);
    const at = first.at + offset / 1e6;
    if (!(at > last.at)) return;
    const place = Number.isFinite(places[index]) ? places[index] : (last.place + 1) % beatsInBar;
    beats.push({ number: last.number + 1, bar: last.bar + (place === 0 ? 1 : 0), place, at, code: codes[index + 1] });
  });
  const quarter = numberOf(fields, "quarter-us") / 1000;
  const interval = beats.length > 1 ? beats.at(-1).at - beats.at(-2).at : quarter;
  return {
    session: fields.session ?? "0", isPlaying: fields.playing === "1", beatsInBar, quarter, interval,
    beats: fields.ends === "1" ? beats : continued(beats, beatsInBar, interval),
  };
}

function list(text) {
  return (text ?? "").split(",").filter((one) => one !== "").map(Number);
}

/** The beats, followed by further ones at the distance of the last two. */
function continued(beats, beatsInBar, interval) {
  const all = [...beats];
  if (!(interval > 0)) return all;
  const end = beats.at(-1).at + Math.max(CONTINUED, interval * 2);
  while (all.at(-1).at + interval <= end && all.length < beats.length + MOST_CONTINUED) {
    const last = all.at(-1);
    const place = (last.place + 1) % beatsInBar;
    all.push({ number: last.number + 1, bar: last.bar + (place === 0 ? 1 : 0), place, at: last.at + interval });
  }
  return all;
}

/**
 * The last beat at or before an instant of the box, and how much of the time to the next one has passed, from 0 to 1. Null before the
 * first beat, when the last known one is over, and while nothing plays.
 */
export function beatAt(timeline, time) {
  if (!timeline?.isPlaying) return null;
  const { beats } = timeline;
  let index = beats.length - 1;
  while (index >= 0 && beats[index].at > time) index -= 1;
  if (index < 0) return null;
  const interval = index < beats.length - 1 ? beats[index + 1].at - beats[index].at : timeline.interval;
  const phase = (time - beats[index].at) / interval;
  return phase < 1 ? { beat: beats[index], phase, interval } : null;
}

/** The beats after `from`, up to and with `to`, both instants of the box. */
export function beatsBetween(timeline, from, to) {
  return timeline?.isPlaying ? timeline.beats.filter((beat) => beat.at > from && beat.at <= to) : [];
}

/**
 * Where the pendulum is, from -1 (left) to 1 (right). It turns round at the beats: at even ones on the left, at odd ones on the right.
 * The cosine is a real pendulum of small swing, whatever the tempo.
 */
export function pendulum(beatNumber, phase) {
  const side = beatNumber % 2 === 0 ? -1 : 1;
  return side * Math.cos(Math.PI * phase);
}

/** The median, here of the lengths of frames. */
export function median(values) {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)];
}
