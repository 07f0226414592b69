/// Turns the edges of one bouncing contact into presses and releases. No press counts twice, whatever edges are lost.
///
/// The first edge counts at once, for a musician must not wait for a contact to come to rest. For the lock-out after it
/// nothing counts; then the contact is looked at again. If it is the other way by then (a press shorter than the lock-out,
/// or an edge that was lost), that counts from then on, with a lock-out of its own from the edge that made it, so that the
/// bounces of a short press are no second press and no button stays held that was let go.
///
/// A contact that closes though it has not opened has lost edges, and may as well bounce while it is let go: it counts as
/// released then, and a lock-out begins. One that opens though it has not closed has lost its press: nothing counts, and a
/// lock-out begins. At the end of these, as of any, only a level that is told makes a press. Without a level an edge up in
/// the lock-out is a release, but a doubtful one, since more edges may have been lost: unless a level says first that the
/// contact is open, the next edge does not count but begins a lock-out.
///
/// So a press counts at an edge only if nothing of the same press can have counted. That holds for bounces shorter than the
/// lock-out, and for presses and pauses longer than the two together. What is shorter may be left out when edges are lost
/// or nobody looks in time, and counts no more than once either if no edge is lost.
public struct Debouncer: Hashable, Sendable, BitwiseCopyable {
  /// Contacts bounce for 1 to 10 ms, worn ones longer; nobody presses one button twice within 50 ms.
  public static let standardLockOut = Nanoseconds.milliseconds(25)

  /// What counted.
  public enum Change: Hashable, Sendable, BitwiseCopyable {
    case press
    case release
  }

  /// Where the contact was seen last, and since when.
  private struct Contact: Hashable, Sendable, BitwiseCopyable {
    var isDown: Bool
    var since: Instant
  }

  private let lockOut: Nanoseconds
  /// Whether the button counts as down.
  public private(set) var isDown = false
  /// Whether it counts as up only because of an edge in a lock-out at whose end nobody could look.
  public private(set) var isDoubtful = false
  private var contact = Contact(isDown: false, since: .zero)
  /// When the contact is to be looked at again; nil when it has been.
  public private(set) var deadline: Instant?

  public init(lockOut: Nanoseconds = Debouncer.standardLockOut) { self.lockOut = lockOut }

  /// The last edge, or when the contact was seen to be another way than that had left it.
  var lastChange: Instant { contact.since }

  /// Takes one edge; edges come in order of time.
  ///
  /// - Returns: what counted: nothing for a bounce.
  public mutating func take(_ direction: ButtonEdge.Direction, at instant: Instant) -> Change? {
    contact = Contact(isDown: direction == .down, since: instant)
    if let deadline, instant < deadline, !isDoubtful { return nil }
    deadline = instant + lockOut
    if contact.isDown, !isDown, !isDoubtful {
      isDown = true
      return .press
    }
    defer { (isDown, isDoubtful) = (false, false) }
    return isDown ? .release : nil
  }

  /// Looks at the contact again. To be called at ``deadline``, and before ``take(_:at:)`` if an edge comes then or later;
  /// earlier it does nothing.
  ///
  /// What is found counts from the deadline on, however late that is. But a press that was not looked for within a lock-out
  /// of its last edge, or whose edge was lost, counts from now on, for nobody knows how long ago it was: then the deadline
  /// has become `now`, and another look takes it.
  ///
  /// - Parameter isDownNow: where the contact is at this moment; nil: it is not known.
  public mutating func settle(at now: Instant, isDownNow: Bool? = nil) -> Change? {
    guard let deadline, deadline <= now else { return nil }
    self.deadline = nil
    guard let isDownNow else { return settleUntold() }
    if isDownNow != contact.isDown { contact = Contact(isDown: isDownNow, since: now) }
    let isRecent = now < contact.since + lockOut
    switch (isDown, isDownNow) {
    case (true, true): return nil
    case (true, false):
      isDown = false
      self.deadline = (isRecent ? contact.since : now) + lockOut
      return .release
    case (false, false):
      // The contact may have opened just now.
      if isDoubtful { release(at: now, isLockedOut: true) }
      return nil
    case (false, true):
      // It may never have been up.
      guard !isDoubtful else { return nil }
      return press(isRecent: isRecent, deadline: deadline, at: now)
    }
  }

  /// A level has said at the end of a lock-out that a contact is down that counts as up.
  private mutating func press(isRecent: Bool, deadline: Instant, at now: Instant) -> Change? {
    if !isRecent { contact.since = now }
    guard contact.since < now || deadline == now else {
      self.deadline = now
      return nil
    }
    isDown = true
    self.deadline = contact.since + lockOut
    return .press
  }

  /// The end of a lock-out when nobody knows where the contact is.
  private mutating func settleUntold() -> Change? {
    guard isDown, !contact.isDown else { return nil }
    isDown = false
    isDoubtful = true
    deadline = contact.since + lockOut
    return .release
  }

  /// The contact was seen to be up, or is gone: it counts as up from now on.
  ///
  /// - Parameter isLockedOut: whether bounces may follow.
  mutating func release(at now: Instant, isLockedOut: Bool) {
    (isDown, isDoubtful) = (false, false)
    contact = Contact(isDown: false, since: now)
    deadline = isLockedOut ? now + lockOut : nil
  }
}
