import HardwareAbstraction
import MetronomeCore

/// A clock that stands still until it is moved, and that nobody slews: reading it costs next to nothing.
final class SteppedClock: MonotonicClock {
  private(set) var now = Instant.zero

  var pair: ClockPair { ClockPair(monotonic: now, raw: now) }

  func advance(to instant: Instant) { now = max(now, instant) }
}
