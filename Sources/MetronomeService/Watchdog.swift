import MetronomeCore

/// Tells the service manager that the box is alive, as long as its beat loop goes on.
///
/// At each quarter of the manager's patience the beat loop is rung, so that it makes a step; what is told is that it did.
public struct Watchdog: Sendable {
  /// From one look to the next.
  public let interval: Nanoseconds
  private var next: Instant
  private var steps: UInt64

  /// What is to be done.
  public struct Duty: Hashable, Sendable {
    /// Whether the manager is to be told.
    public var isAlive = false
    /// Whether the beat loop is to be rung.
    public var rings = false
    /// When to look again.
    public var next: Instant
  }

  /// As the manager asks for it by `$WATCHDOG_USEC` and `$WATCHDOG_PID`; nil if it does not, or asks somebody else.
  public init?(environment: [String: String], process: Int32, steps: UInt64, at now: Instant) {
    guard let text = environment["WATCHDOG_USEC"], let patience = Int64(text), patience > 0,
      patience <= Int64.max / 1_000
    else { return nil }
    if let asked = environment["WATCHDOG_PID"], asked != "\(process)" { return nil }
    interval = max(Nanoseconds(patience * 1_000) / 4, Nanoseconds(1))
    next = now
    self.steps = steps
  }

  /// Looks whether the beat loop has made a step since the manager was told last.
  ///
  /// - Parameter steps: how many it has made.
  public mutating func step(at now: Instant, steps: UInt64) -> Duty {
    guard now >= next else { return Duty(next: next) }
    let isAlive = steps != self.steps
    self.steps = steps
    next = now + interval
    return Duty(isAlive: isAlive, rings: true, next: next)
  }
}
