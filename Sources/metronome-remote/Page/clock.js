// The box's clock, as seen from the page. Pure: times come in as arguments.

const NANOSECONDS = 1e6; // in a millisecond
const DRIFT = 50e-6; // of either clock, at most
/** Round trips that are measured at once after a connection. */
export const FIRST_PINGS = 30;

/**
 * Converts between `performance.now()` (milliseconds) and CLOCK_MONOTONIC of the box (decimal text, nanoseconds).
 *
 * The offset is that of the shortest round trip (Cristian's algorithm): its error is at most half of that round trip. An old best one
 * gives way to a longer one, by as much as the two clocks may have drifted apart since.
 */
export class BoxClock {
  base = null; // nanoseconds as BigInt; a number of milliseconds relative to it is exact enough
  best = null;
  count = 0;

  get isKnown() {
    return this.best !== null;
  }

  /** Milliseconds of the box's clock minus milliseconds of the page's clock. */
  get offset() {
    return this.best?.offset ?? 0;
  }

  /** The highest possible error of the offset at an instant of the page, in milliseconds. */
  uncertainty(pageTime) {
    return this.best ? this.best.roundTrip / 2 + DRIFT * 2 * Math.max(0, pageTime - this.best.received) : Infinity;
  }

  /** An instant of the box, in milliseconds since the base. */
  boxTime(nanoseconds) {
    const value = BigInt(nanoseconds);
    this.base ??= value;
    return Number(value - this.base) / NANOSECONDS;
  }

  pageTime(boxTime) {
    return boxTime - this.offset;
  }

  /** The instant of the page as a decimal number of nanoseconds of the box's clock. */
  nanoseconds(pageTime) {
    return String(this.base + BigInt(Math.round((pageTime + this.offset) * NANOSECONDS)));
  }

  /** Adds a round trip: sent and received by the page's clock, `now` read by the box in between. */
  add(sent, received, now) {
    const roundTrip = received - sent;
    if (!(roundTrip >= 0)) return;
    const sample = { roundTrip, offset: this.boxTime(now) - (sent + received) / 2, received };
    this.count += 1;
    const allowance = this.best ? DRIFT * 2 * (received - this.best.received) : 0;
    if (!this.best || roundTrip <= this.best.roundTrip + allowance) this.best = sample;
  }

  /** Forgets all measurements, because the box may have been restarted. */
  reset() {
    this.base = null;
    this.best = null;
    this.count = 0;
  }
}
