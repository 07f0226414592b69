import HardwareAbstraction
import MetronomeCore

/// A clock that stands still until it is moved.
public final class VirtualClock: MonotonicClock {
  public private(set) var now: Instant

  public init(startingAt start: Instant = .zero) { now = start }

  /// Moves the clock on. Going back is a programming error, as it is impossible on the real one.
  public func advance(to instant: Instant) {
    precondition(instant >= now, "time does not go back: from \(now.nanoseconds) to \(instant.nanoseconds) ns")
    now = instant
  }
}
