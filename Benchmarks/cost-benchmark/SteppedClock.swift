import HardwareAbstraction
import MetronomeCore

/// A clock that changes only when it is set, without slew: reading it costs almost nothing.
final class SteppedClock: MonotonicClock {
  private(set) var now = Instant.zero

  var pair: ClockPair { ClockPair(monotonic: now, raw: now) }

  func advance(to instant: Instant) { now = max(now, instant) }
}
