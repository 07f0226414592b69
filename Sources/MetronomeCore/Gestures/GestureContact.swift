/// One button of one origin: its contact, and what its press has become.
struct GestureContact: Hashable, Sendable, BitwiseCopyable {
  enum Stage: Hashable, Sendable, BitwiseCopyable {
    case up
    /// It may become anything yet.
    case down(press: Instant)
    case repeating(Repetition)
    /// It has become what it is: nothing more comes of it until it is let go.
    case spent
    /// It was seen to be up, and its release has not come. If it comes yet, a short press that waits for it may be one.
    case missed(press: Instant)
  }

  private(set) var shape: GestureShape
  var debouncer: Debouncer
  var stage = Stage.up
  /// When it is to be seen next whether the contact is still down; nil while it counts as up beyond doubt.
  private(set) var look: Instant?

  init(shape: GestureShape, lockOut: Nanoseconds) {
    self.shape = shape
    debouncer = Debouncer(lockOut: lockOut)
  }

  /// When something comes of it without an edge; nil: never. A lock-out is shorter than what makes a press more than a
  /// short one, so that it ends first.
  var deadline: Instant? { debouncer.deadline ?? held }

  /// When what it is held for is due.
  private var held: Instant? {
    switch stage {
    case .down(let press): shape.hold == .nothing ? nil : press + GestureTracker.hold
    case .repeating(let repetition): repetition.next
    case .up, .spent, .missed: nil
    }
  }

  /// Whether its deadline, if it is not the lock-out's, is for a repetition.
  var repeatsNext: Bool { debouncer.deadline == nil && shape.hold == .repeats }

  /// The press that may still become the first half of a chord with another at an instant.
  func press(openAt instant: Instant) -> Instant? {
    switch stage {
    case .down(let press): instant - press < GestureTracker.hold ? press : nil
    case .up, .repeating, .spent, .missed: nil
    }
  }

  /// Whether a press that ends at an instant was a short one.
  func isShort(_ press: Instant, until instant: Instant) -> Bool {
    let held = instant - press
    return held < GestureTracker.hold || held == GestureTracker.hold && shape.hold == .repeats
  }

  /// It was seen at an instant, so that it need not be seen again for a while.
  ///
  /// - Parameter isTold: whether there was a level to be seen.
  mutating func seen(at instant: Instant, isTold: Bool = true) {
    let isWatched = debouncer.isDown || debouncer.isDoubtful && isTold
    look = isWatched ? instant + GestureTracker.lookInterval : nil
  }

  /// It was let go. If that is in doubt, it is to be seen as soon as it can be.
  mutating func released(at instant: Instant) { look = debouncer.isDoubtful ? instant : nil }

  /// It was seen to be up though it counts as down: its release was lost, or comes yet.
  mutating func release(seenAt now: Instant) {
    debouncer.release(at: now, isLockedOut: true)
    look = nil
    switch stage {
    case .down(let press): stage = shape.short == .onRelease ? .missed(press: press) : .up
    case .up, .repeating, .spent, .missed: stage = .up
    }
  }

  /// It is for something else from now on: nothing comes of a press that is under way. The contact itself is where it is.
  mutating func rebind(to shape: GestureShape, lockOut: Nanoseconds) {
    self.shape = shape
    debouncer.lockOut = lockOut
    switch stage {
    case .down, .repeating: stage = .spent
    case .missed: stage = .up
    case .up, .spent: break
    }
  }

  /// Its device is gone.
  mutating func interrupt(at instant: Instant) {
    debouncer.release(at: instant, isLockedOut: false)
    look = nil
    stage = .up
  }
}
