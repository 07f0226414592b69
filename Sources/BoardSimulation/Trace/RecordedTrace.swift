import MetronomeCore

/// A trace kept in memory, for tests to compare whole.
public final class RecordedTrace: TraceSink {
  public private(set) var events: [TraceEvent] = []
  /// How long the simulation lasted; nil while it goes on.
  public private(set) var end: Nanoseconds?

  public init() {}

  public func take(_ event: TraceEvent) {
    precondition(end == nil, "an event after the end")
    if let last = events.last { precondition(last.time <= event.time, "events out of order: \(last), \(event)") }
    events.append(event)
  }

  public func finish(at end: Nanoseconds) { self.end = end }
}
