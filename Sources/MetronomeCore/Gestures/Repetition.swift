/// When a button that is held repeats, and in what steps: see ``GestureMachine`` for the schedule.
struct Repetition: Hashable, Sendable, BitwiseCopyable {
  /// In milliseconds.
  private static let shortestInterval: Int64 = 40
  private static let growth = Nanoseconds.seconds(2)
  private static let mostSteps = 5

  let press: Instant
  /// When it repeats next.
  private(set) var next: Instant
  /// In how many steps.
  private(set) var steps = 1
  /// From then to the time after, in milliseconds.
  private var interval: Int64 = 300

  init(press: Instant) {
    self.press = press
    next = press + GestureTracker.hold
  }

  /// Goes on to the time after.
  mutating func advance() {
    next = next + .milliseconds(interval)
    interval = max(Repetition.shortestInterval, interval * 4 / 5)
    steps = next - press < Repetition.growth ? 1 : min(steps + 1, Repetition.mostSteps)
  }

  /// Leaves out all that lies before an instant. Takes no longer for more of it.
  mutating func skip(to instant: Instant) {
    // By the time of the most steps the interval is the shortest: the rest is a division.
    while next < instant, steps < Repetition.mostSteps { advance() }
    let shortest = Nanoseconds.milliseconds(Repetition.shortestInterval)
    let behind = (instant - next).count
    next = next + shortest * max(0, (behind + shortest.count - 1) / shortest.count)
  }
}
