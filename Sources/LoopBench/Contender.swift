/// A loop that waits for one instant after the other, and is measured.
public enum Contender: String, Hashable, Sendable, CaseIterable {
  /// cyclictest of rt-tests: what a real-time thread of this machine can do.
  case cyclictest
  /// The beat loop's wake-ups, left to the kernel's timer.
  case timer
  /// The beat loop's edges, with the clock watched before each.
  case spinning
  /// The same at 300 BPM, for what it costs there.
  case playing
  /// The loop that people write: a relative sleep, and another.
  case nanosleep
  /// The same in Python.
  case python

  /// How many times as long as the others' its turns are: where waits are long, so that there are some.
  var turns: Int64 { self == .playing ? 4 : 1 }

  /// As a table calls it.
  public var title: String {
    switch self {
    case .cyclictest: "cyclictest, wake-ups"
    case .timer: "beat loop, wake-ups by the timer"
    case .spinning: "beat loop, edges"
    case .playing: "beat loop, edges at 300 BPM"
    case .nanosleep: "a loop around nanosleep"
    case .python: "a loop around Python's time.sleep"
    }
  }
}
