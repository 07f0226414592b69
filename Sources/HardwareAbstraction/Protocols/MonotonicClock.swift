import MetronomeCore

/// The clock that everything is timed by. It never goes back.
public protocol MonotonicClock {
  /// The present. Callable from any thread.
  var now: Instant { get }

  /// The present, on this clock and on the raw one that nobody slews. Callable from any thread.
  var pair: ClockPair { get }
}
