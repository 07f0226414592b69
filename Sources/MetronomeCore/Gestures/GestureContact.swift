/// Turns the edges of one bouncing contact into presses and releases. No press counts twice, whatever edges are lost. If no
/// edge is lost, each press counts once, however late it is read.
///
/// The first edge counts immediately. Edges in the lock-out after it do not count. Then the contact's level is read; if the
/// level is unknown, the last edge determines it.
/// - Open after the lock-out of a press: a short press. Another lock-out starts at the edge that opened the contact.
/// - Closed after the lock-out of a release: a momentary opening. The contact counts as down again, without a press.
///
/// The contact is *unsure* when edges are missing: after a second edge in the same direction, and after a release in the
/// lock-out of a press where edges may have been lost (``mayHaveLost(until:)``). It then counts as up, and no press counts
/// until it has been open for a lock-out without an edge. While edges may have been lost, only reading the level proves that.
///
/// This requires that bounces and momentary openings end before the lock-out does, and that pauses last at least a lock-out.
/// Presses may be arbitrarily short.
public struct Debouncer: Hashable, Sendable, BitwiseCopyable {
  /// Contacts bounce for 1 to 10 ms, worn contacts longer; no finger presses a button twice within 50 ms.
  public static let standardLockOut = Nanoseconds.milliseconds(25)

  public enum Change: Hashable, Sendable, BitwiseCopyable {
    case press, release
    /// The release was a momentary opening: the contact is down again, without a new press.
    case resumption
  }

  /// How long edges are ignored after an edge that counted.
  var lockOut: Nanoseconds
  /// Whether the button counts as down.
  public private(set) var isDown = false
  /// Whether edges are missing, so that the contact must be seen open before a press counts.
  public private(set) var isUncertain = false
  private var lostUntil: Instant?
  private var isClosed = false
  /// The time of the last edge, or of a level that contradicted it.
  private(set) var lastChange = Instant.zero
  /// The end of the lock-out, when the level must be read; nil outside a lock-out.
  public private(set) var deadline: Instant?

  public init(lockOut: Nanoseconds = Debouncer.standardLockOut) { self.lockOut = lockOut }

  /// Records that edges may have been lost before an instant. Must be called before the edges read then are processed.
  public mutating func mayHaveLost(until instant: Instant) { lostUntil = instant }

  /// Whether edges may have been lost after the last one that was read.
  private var isLossPossible: Bool { lostUntil.map { lastChange <= $0 } ?? false }

  /// Processes one edge. Edges must come in order of time. Returns nil for a bounce.
  public mutating func process(_ direction: ButtonEdge.Direction, at instant: Instant) -> Change? {
    (isClosed, lastChange) = (direction == .down, instant)
    if let deadline, instant < deadline, !isUncertain { return nil }
    deadline = instant + lockOut
    let wasDown = isDown
    isUncertain = isUncertain || isClosed == wasDown
    isDown = isClosed && !isUncertain
    return isDown ? .press : wasDown ? .release : nil
  }

  /// Ends a lock-out. Must be called at ``deadline``, and before ``process(_:at:)`` if an edge comes then or later; earlier
  /// calls do nothing. The result counts from the deadline on, however late the call is. `isDownNow` is the level at `now`; nil
  /// if unknown.
  public mutating func settle(at now: Instant, isDownNow: Bool? = nil) -> Change? {
    guard let deadline, deadline <= now else { return nil }
    self.deadline = nil
    let isLossPossible = isLossPossible
    if let isDownNow {
      lostUntil = nil
      // If no edge was lost, an open contact that reads as closed has an unread edge, which will count.
      let isTrusted = !isDownNow || isLossPossible || isUncertain
      if isTrusted, isDownNow != isClosed { (isClosed, lastChange) = (isDownNow, now) }
    }
    switch (isDown, isClosed) {
    case (true, true): return nil
    case (true, false):
      (isDown, isUncertain) = (false, isLossPossible)
      self.deadline = (isLossPossible ? now : lastChange) + lockOut
      return .release
    case (false, true):
      guard !isUncertain else { return nil }
      (isDown, self.deadline) = (true, lastChange + lockOut)
      return .resumption
    case (false, false):
      if !isLossPossible {
        isUncertain = false
      } else if isUncertain, isDownNow != nil {
        // It may have opened just now, and may bounce.
        self.deadline = now + lockOut
      }
      return nil
    }
  }

  /// Handles an open level outside a lock-out, or while edges may be missing: the contact counts as up, and may bounce. Returns
  /// false if nothing changes before the lock-out ends.
  mutating func handleOpenLevel(at now: Instant) -> Bool {
    guard deadline == nil || isUncertain && isLossPossible else { return false }
    (isDown, isClosed, lastChange, lostUntil) = (false, false, now, nil)
    deadline = now + lockOut
    return true
  }

  /// Resets the contact: it counts as up.
  mutating func reset(at now: Instant) {
    (isDown, isUncertain, isClosed, lastChange, deadline) = (false, false, false, now, nil)
  }
}

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
