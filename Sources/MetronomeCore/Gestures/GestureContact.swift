/// One button of one origin: its contact, and what its press has become.
struct GestureContact: Hashable, Sendable, BitwiseCopyable {
  enum Stage: Hashable, Sendable, BitwiseCopyable {
    case up
    /// It may become anything yet.
    case down(Press)
    case repeating(Repetition)
    /// It has become what it is: nothing more comes of it until it is let go.
    case spent
    /// It was seen to be up, and its release has not come. If it comes yet, a short press that waits for it may be one.
    case missed(Press)
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
    case .down(let press): shape.hold == .nothing ? nil : press.instant + GestureTracker.hold
    case .repeating(let repetition): repetition.next
    case .up, .spent, .missed: nil
    }
  }

  /// Whether its deadline, if it is not the lock-out's, is for a repetition.
  var repeatsNext: Bool { debouncer.deadline == nil && shape.hold == .repeats }

  /// The press that may still become the first half of a chord with another at an instant.
  func press(openAt instant: Instant) -> Press? {
    switch stage {
    case .down(let press): instant - press.instant < GestureTracker.hold ? press : nil
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
    case .down(let press): stage = shape.short == .onRelease ? .missed(press) : .up
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

/// Turns the edges of one bouncing contact into presses and releases. No press counts twice, whatever edges are lost; where
/// none is lost each counts once, however late it is read.
///
/// The first edge counts at once. Nothing counts in the lock-out after it. Then the contact's level is read; if it is not
/// known, the last edge stands for it.
/// - Open after the lock-out of a press: a short press. It is locked out until a lock-out after the edge that opened it.
/// - Closed after the lock-out of a release: it let go for a moment only. It counts as down again, without a press.
///
/// A second edge in the same direction shows that edges were lost. The contact counts as released, a lock-out begins, and
/// only a level at its end makes a press.
///
/// Where edges may have been lost (``mayHaveLost(until:)``), an edge up in the lock-out of a press is a doubtful release if
/// the level is not known at its end: unless a level then shows the contact open, the next edge does not count but begins a
/// lock-out. Where none can have been lost, a level that says the contact is closed though its last edge opened it was read
/// before the next edge.
///
/// This holds if bounces and short interruptions are over before the lock-out ends, and pauses last as long as the lock-out.
/// A press may be as short as it likes.
public struct Debouncer: Hashable, Sendable, BitwiseCopyable {
  /// Contacts bounce for 1 to 10 ms, worn ones longer; nobody presses one button twice within 50 ms.
  public static let standardLockOut = Nanoseconds.milliseconds(25)

  /// What counted.
  public enum Change: Hashable, Sendable, BitwiseCopyable {
    case press
    case release
    /// It had let go for a moment only: it is down again, and that is no press.
    case resumption
  }

  /// Where the contact was seen last, and since when.
  private struct Contact: Hashable, Sendable, BitwiseCopyable {
    var isDown: Bool
    var since: Instant
  }

  /// For how long nothing counts after an edge that did.
  var lockOut: Nanoseconds
  /// Whether the button counts as down.
  public private(set) var isDown = false
  /// Whether it counts as up only because of an edge in a lock-out at whose end nobody could look, and others may be lost.
  public private(set) var isDoubtful = false
  /// Whether the lock-out began with an edge that shows that others were lost.
  private var isTorn = false
  private var lostUntil: Instant?
  private var contact = Contact(isDown: false, since: .zero)
  /// When the contact is to be looked at again; nil when it has been.
  public private(set) var deadline: Instant?

  public init(lockOut: Nanoseconds = Debouncer.standardLockOut) { self.lockOut = lockOut }

  /// The last edge, or when the contact was seen to be another way than that had left it.
  var lastChange: Instant { contact.since }

  /// Edges may have been lost before an instant. Must be called before ``take(_:at:)`` takes those read at that instant.
  public mutating func mayHaveLost(until instant: Instant) { lostUntil = instant }

  /// Whether there may have been edges after the last one that was read.
  private var isGapPossible: Bool { lostUntil.map { contact.since <= $0 } ?? false }

  /// Takes one edge; edges come in order of time.
  ///
  /// - Returns: what counted: nothing for a bounce.
  public mutating func take(_ direction: ButtonEdge.Direction, at instant: Instant) -> Change? {
    contact = Contact(isDown: direction == .down, since: instant)
    if let deadline, instant < deadline, !isDoubtful { return nil }
    deadline = instant + lockOut
    isTorn = isDoubtful || contact.isDown == isDown
    if contact.isDown, !isTorn {
      isDown = true
      return .press
    }
    defer { (isDown, isDoubtful) = (false, false) }
    return isDown ? .release : nil
  }

  /// Looks at the contact again. To be called at ``deadline``, and before ``take(_:at:)`` if an edge comes then or later;
  /// earlier it does nothing.
  ///
  /// What is found counts from the deadline on, however late that is. But a press whose edge was lost, or that is found a
  /// lock-out after its last edge, counts from now on: the deadline becomes `now`, and another look takes it.
  ///
  /// - Parameters:
  ///   - now: the present.
  ///   - isDownNow: where the contact is at this moment; nil: it is not known.
  public mutating func settle(at now: Instant, isDownNow: Bool? = nil) -> Change? {
    guard let deadline, deadline <= now else { return nil }
    self.deadline = nil
    guard let isDownNow else { return settleUntold() }
    defer { lostUntil = nil }
    let mayBeLost = isGapPossible
    // Else the edge that closes it comes yet.
    let isBelieved = contact.isDown || mayBeLost || isTorn || isDoubtful
    let isClosed = isDownNow && isBelieved
    if isClosed != contact.isDown { contact = Contact(isDown: isClosed, since: now) }
    switch (isDown, isClosed) {
    case (true, true): return nil
    case (true, false):
      // Of more edges than were read nobody knows how long ago they were.
      let isOld = now >= contact.since + lockOut
      return release(openSince: mayBeLost && isOld ? now : contact.since)
    case (false, false):
      if isDoubtful { confirmRelease(at: now) }
      return nil
    case (false, true):
      // It may never have been up.
      guard !isDoubtful else { return nil }
      return isTorn ? press(deadline: deadline, at: now) : resume()
    }
  }

  /// The end of a lock-out when nobody knows where the contact is.
  private mutating func settleUntold() -> Change? {
    switch (isDown, contact.isDown) {
    case (true, true), (false, false): return nil
    case (true, false):
      isDoubtful = isGapPossible
      return release(openSince: contact.since)
    case (false, true): return isTorn ? nil : resume()
    }
  }

  /// It was open at the end of the lock-out of a press.
  private mutating func release(openSince instant: Instant) -> Change {
    isDown = false
    deadline = instant + lockOut
    return .release
  }

  /// It was closed at the end of the lock-out of a release.
  private mutating func resume() -> Change {
    isDown = true
    deadline = contact.since + lockOut
    return .resumption
  }

  /// A level has said at the end of a lock-out that a contact is down that counts as up since edges were lost.
  private mutating func press(deadline: Instant, at now: Instant) -> Change? {
    if now >= contact.since + lockOut { contact.since = now }
    guard contact.since < now || deadline == now else {
      self.deadline = now
      return nil
    }
    (isDown, isTorn) = (true, false)
    self.deadline = contact.since + lockOut
    return .press
  }

  /// The contact was seen to be up. Within a lock-out of the edge that made the release, it was that; later it may have
  /// opened just now, and bounce.
  mutating func confirmRelease(at now: Instant) {
    isDoubtful = false
    if now >= contact.since + lockOut { release(at: now, isLockedOut: true) }
  }

  /// The contact was seen to be up, or is gone: it counts as up from now on.
  ///
  /// - Parameter isLockedOut: whether bounces may follow.
  mutating func release(at now: Instant, isLockedOut: Bool) {
    (isDown, isDoubtful, isTorn) = (false, false, false)
    contact = Contact(isDown: false, since: now)
    deadline = isLockedOut ? now + lockOut : nil
  }
}
