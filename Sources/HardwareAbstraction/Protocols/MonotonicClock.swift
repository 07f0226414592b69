import MetronomeCore

/// The clock that everything is timed by. It never goes back.
public protocol MonotonicClock {
  /// The present. Callable from any thread.
  var now: Instant { get }
}
