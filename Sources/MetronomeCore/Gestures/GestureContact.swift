/// The gestures that a button has, without their commands.
struct GestureShape: Hashable, Sendable, BitwiseCopyable {
  enum Short: Hashable, Sendable, BitwiseCopyable { case nothing, atEdge, onRelease }
  enum Hold: Hashable, Sendable, BitwiseCopyable { case nothing, long, repeats }

  var button: Button
  var short: Short
  var hold: Hold
  /// The buttons that form a chord with this button: one bit each, by index.
  var partners: UInt16

  /// Whether a short press acts at its edge and may later be undone.
  var isProvisional: Bool { short == .atEdge && (hold == .long || partners != 0) }
}

/// A chord that must be held.
struct HeldChord: Hashable, Sendable, BitwiseCopyable {
  var pair: ButtonPair
  /// When its second button went down.
  var since: Instant
  /// The first press, if it has acted at its edge.
  var undoes: Press?
}

/// The contact of one button of one origin, and the gesture in progress.
struct GestureContact: Hashable, Sendable, BitwiseCopyable {
  enum Stage: Hashable, Sendable, BitwiseCopyable {
    case up
    /// The press may still become any gesture.
    case down(Press)
    case repeating(Repetition)
    /// Both buttons of a chord are down. It acts if both are held long enough.
    case chord(HeldChord)
    /// The gesture is complete: nothing more happens until the release.
    case spent
    /// Its level was read as open before its release was read. A short press that acts on release may still act.
    case missed(Press)
  }

  static let readingInterval = Nanoseconds.milliseconds(100)

  private(set) var shape: GestureShape
  var debouncer: Debouncer
  var stage = Stage.up
  /// When its level must be read next; nil while the contact is certainly up.
  private(set) var nextReading: Instant?

  init(shape: GestureShape, lockOut: Nanoseconds) {
    self.shape = shape
    debouncer = Debouncer(lockOut: lockOut)
  }

  /// The next deadline. A lock-out is shorter than a hold and ends first.
  var deadline: Instant? {
    if let lockOutEnd = debouncer.deadline { return lockOutEnd }
    return switch stage {
    case .down(let press): shape.hold == .nothing ? nil : press.instant + GestureMachine.hold
    case .repeating(let repetition): repetition.next
    case .chord(let chord): chord.since + GestureMachine.hold
    case .up, .spent, .missed: nil
    }
  }

  var repeatsNext: Bool { debouncer.deadline == nil && shape.hold == .repeats }

  /// The press that may still become the first half of a chord with a press at an instant.
  func press(openAt instant: Instant) -> Press? {
    guard case .down(let press) = stage, instant - press.instant < GestureMachine.hold else { return nil }
    return press
  }

  /// Whether a press that ends at an instant is a short press.
  func isShort(_ press: Instant, until instant: Instant) -> Bool {
    let held = instant - press
    return held < GestureMachine.hold || held == GestureMachine.hold && shape.hold == .repeats
  }

  /// Processes an edge. If edges are missing, the level is read as soon as possible.
  mutating func process(_ direction: ButtonEdge.Direction, at instant: Instant) -> Debouncer.Change? {
    let change = debouncer.process(direction, at: instant)
    if debouncer.isUncertain { nextReading = nextReading ?? instant }
    return change
  }

  /// Schedules the next reading after the level was read, or need not be read. `isKnown` is whether it could be read.
  mutating func levelRead(at instant: Instant, isKnown: Bool = true) {
    let isWatched = debouncer.isDown || debouncer.isUncertain && isKnown
    nextReading = isWatched ? instant + GestureContact.readingInterval : nil
  }

  mutating func released(at instant: Instant) { nextReading = debouncer.isUncertain ? instant : nil }

  /// Handles an open level of a contact that counts as down or unsure: its release was lost, or is not read yet.
  mutating func handleOpenLevel(at now: Instant) {
    guard debouncer.handleOpenLevel(at: now) else { return }
    nextReading = nil
    if case .down(let press) = stage, shape.short == .onRelease { stage = .missed(press) } else { stage = .up }
  }

  /// Changes the gestures of the button. A press in progress is cancelled; the contact keeps its state.
  mutating func rebind(to shape: GestureShape, lockOut: Nanoseconds) {
    self.shape = shape
    debouncer.lockOut = lockOut
    switch stage {
    case .down, .repeating, .chord: stage = .spent
    case .missed: stage = .up
    case .up, .spent: break
    }
  }

  /// Resets the contact: its device has disappeared, or has lost edges.
  mutating func interrupt(at instant: Instant) {
    debouncer.reset(at: instant)
    (nextReading, stage) = (nil, .up)
  }
}

/// One deadline per contact, and the earliest of them. A separate array, because it is searched often.
struct Deadlines: Sendable {
  static let never = Instant(nanoseconds: .max)

  private var instants: [Instant]
  private(set) var earliest = Deadlines.never

  init(count: Int) { instants = [Instant](repeating: Deadlines.never, count: count) }

  subscript(slot: Int) -> Instant { instants[slot] }
  var earliestSlot: Int? { instants.firstIndex(of: earliest) }

  mutating func set(_ slot: Int, to instant: Instant?) {
    let (new, wasEarliest) = (instant ?? Deadlines.never, instants[slot] == earliest)
    instants[slot] = new
    earliest = wasEarliest ? instants.reduce(Deadlines.never) { min($0, $1) } : min(earliest, new)
  }
}

/// When a held button repeats, and by how many steps.
///
/// First 500 ms after the press, then after 300, 240, 192, 153, 122, 97, 77, 61, 48, 40, 40 … ms: each interval is 4/5 of the
/// one before in whole milliseconds, at least 40. Each is one step in the first 2 s, then 2 (at 2030 ms), 3, 4, 5, 5 … steps.
struct Repetition: Hashable, Sendable, BitwiseCopyable {
  /// In milliseconds.
  private static let shortestInterval: Int64 = 40
  private static let growth = Nanoseconds.seconds(2)
  private static let maxSteps = 5

  let press: Instant
  private(set) var next: Instant
  private(set) var steps = 1
  /// The interval after the next repetition, in milliseconds.
  private var interval: Int64 = 300

  init(press: Instant) {
    self.press = press
    next = press + GestureMachine.hold
  }

  mutating func advance() {
    next = next + .milliseconds(interval)
    interval = max(Repetition.shortestInterval, interval * 4 / 5)
    steps = next - press < Repetition.growth ? 1 : min(steps + 1, Repetition.maxSteps)
  }

  /// Skips all repetitions before an instant, in bounded time.
  mutating func skip(to instant: Instant) {
    // From the maximum number of steps on, the interval is constant, so a division skips the remaining repetitions.
    while next < instant, steps < Repetition.maxSteps { advance() }
    let shortest = Nanoseconds.milliseconds(Repetition.shortestInterval)
    let behind = (instant - next).count
    next = next + shortest * max(0, (behind + shortest.count - 1) / shortest.count)
  }
}
