import MetronomeCore
import MetronomeEngine

/// Something stands otherwise than it did.
struct Change {
  var priority: Log.Priority
  var text: String
}

/// Tells in log lines how it stands with the sound, or with the lines: each change in one, unless they come without end.
///
/// A card with a loose contact comes and goes a thousand times a night. After a few dozen changes only the newest is told,
/// at intervals.
struct ChangeReport {
  /// So many lines at once.
  private static let burst = 32
  /// In the long run there is one line in so much time.
  private static let interval = Nanoseconds.seconds(60)

  private let log: Log
  private var left = burst
  /// When ``left`` grows next.
  private var growth: Instant?
  /// The newest that is not told.
  private var pending: Change?

  init(log: Log) { self.log = log }

  /// Takes in changes and tells what may be told.
  ///
  /// - Returns: when to call again because something is left to be told; nil: when there are new changes.
  mutating func tell(_ changes: [Change], at now: Instant) -> Instant? {
    while let growth, growth <= now {
      left += 1
      self.growth = left < ChangeReport.burst ? growth + ChangeReport.interval : nil
    }
    for change in [pending].compactMap(\.self) + changes {
      pending = nil
      if left > 0 { write(change, at: now) } else { pending = change }
    }
    return pending == nil ? nil : growth
  }

  private mutating func write(_ change: Change, at now: Instant) {
    log(change.priority, change.text)
    left -= 1
    if growth == nil { growth = now + ChangeReport.interval }
  }
}

/// What the box is for while its loops run: to play, or to be calibrated. All of it is done by the control thread.
struct BoxTask {
  /// What it waits for besides buttons, signals and incidents; -1: nothing.
  var descriptor: Int32 = -1
  /// Reads what has come there.
  var read: () -> Void = {}
  /// Tells what is new after a step.
  var tell: () -> Void
  /// Whether it is done before a signal comes.
  var isOver: () -> Bool = { false }
}
