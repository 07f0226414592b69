import MetronomeCore
import MetronomeEngine

/// Tells in log lines how it stands with the sound: each change in one, unless they come without end.
///
/// A card with a loose contact comes and goes a thousand times a night. After a few dozen changes only the newest is told,
/// at intervals.
struct SoundReport {
  /// So many lines at once.
  private static let burst = 32
  /// In the long run there is one line in so much time.
  private static let interval = Nanoseconds.seconds(60)

  private let log: Log
  private var left = burst
  /// When ``left`` grows next.
  private var growth: Instant?
  /// The newest that is not told.
  private var pending: AudioState?

  init(log: Log) { self.log = log }

  /// Takes in new states and tells what may be told.
  ///
  /// - Returns: when to call again because something is left to be told; nil: when there are new states.
  mutating func tell(_ states: [AudioState], at now: Instant) -> Instant? {
    while let growth, growth <= now {
      left += 1
      self.growth = left < SoundReport.burst ? growth + SoundReport.interval : nil
    }
    for state in [pending].compactMap(\.self) + states {
      pending = nil
      if left > 0 { write(state, at: now) } else { pending = state }
    }
    return pending == nil ? nil : growth
  }

  private mutating func write(_ state: AudioState, at now: Instant) {
    log(state.isWaiting ? .warning : .info, state.text)
    left -= 1
    if growth == nil { growth = now + SoundReport.interval }
  }
}
