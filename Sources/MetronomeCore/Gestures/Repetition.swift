/// When a button that is held repeats, and in what steps: see ``GestureMachine`` for the schedule.
struct Repetition: Hashable, Sendable, BitwiseCopyable {
  private static let shortestInterval = Nanoseconds.milliseconds(40)
  private static let growth = Nanoseconds.seconds(2)
  private static let mostSteps = 5

  let press: Instant
  /// When it repeats next.
  private(set) var next: Instant
  /// In how many steps.
  private(set) var steps = 1
  /// From then to the time after.
  private var interval = Nanoseconds.milliseconds(300)

  init(press: Instant) {
    self.press = press
    next = press + GestureTracker.hold
  }

  /// Goes on to the time after.
  mutating func advance() {
    next = next + interval
    let milliseconds = interval.count / 1_000_000 * 4 / 5
    interval = max(Repetition.shortestInterval, .milliseconds(milliseconds))
    steps = next - press < Repetition.growth ? 1 : min(steps + 1, Repetition.mostSteps)
  }

  /// Leaves out all that lies before an instant. Takes no longer for more of it.
  mutating func skip(to instant: Instant) {
    while next < instant, interval > Repetition.shortestInterval || steps < Repetition.mostSteps { advance() }
    guard next < instant else { return }
    let shortest = Repetition.shortestInterval
    next = next + shortest * ((instant - next + shortest - Nanoseconds(1)).count / shortest.count)
  }
}
