/// Turns the edges of one bouncing contact into presses and releases.
///
/// The first edge counts at once, for a musician must not wait for a contact to come to rest. For the lock-out after it
/// nothing counts; then the contact is looked at again. If it is the other way by then (a press shorter than the lock-out,
/// or an edge that was lost), that counts from then on, with a lock-out of its own from the edge that made it, so that the
/// bounces of a short press are no second press and no button stays held that was let go.
///
/// A contact that closes though it has not opened has lost its release: it counts as released and pressed anew. One that
/// opens though it has not closed has lost its press, and nothing comes of it.
public struct Debouncer: Hashable, Sendable, BitwiseCopyable {
  /// Contacts bounce for 1 to 10 ms, worn ones longer; nobody presses one button twice within 50 ms.
  public static let standardLockOut = Nanoseconds.milliseconds(25)

  /// What counted.
  public enum Change: Hashable, Sendable, BitwiseCopyable {
    case press
    case release
    /// A release that was lost, and a press, both at the press's edge.
    case pressAnew
  }

  /// Where the contact was seen last, and since when.
  private struct Contact: Hashable, Sendable, BitwiseCopyable {
    var isDown: Bool
    var since: Instant
  }

  private let lockOut: Nanoseconds
  /// Whether the button counts as down.
  public private(set) var isDown = false
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
    if let deadline, instant < deadline { return nil }
    guard isDown, contact.isDown else { return accept() }
    deadline = instant + lockOut
    return .pressAnew
  }

  /// Looks at the contact again. To be called at ``deadline``, and before ``take(_:at:)`` if an edge comes then or later;
  /// earlier it does nothing.
  ///
  /// What is found counts from the deadline on, however late that is. But a press whose edge was lost counts from now on,
  /// for nobody knows how long ago it was: then the deadline has become `now`, and another look takes it.
  ///
  /// - Parameter isDownNow: where the contact is at this moment; nil: where its last edge left it.
  public mutating func settle(at now: Instant, isDownNow: Bool? = nil) -> Change? {
    guard let deadline, deadline <= now else { return nil }
    if let isDownNow, isDownNow != contact.isDown {
      contact = Contact(isDown: isDownNow, since: now)
      if isDownNow, !isDown, deadline < now {
        self.deadline = now
        return nil
      }
    }
    self.deadline = nil
    return accept()
  }

  /// The contact was seen to be up, or is gone: it counts as up from now on.
  ///
  /// - Parameter isLockedOut: whether bounces may follow.
  mutating func release(at now: Instant, isLockedOut: Bool) {
    isDown = false
    contact = Contact(isDown: false, since: now)
    deadline = isLockedOut ? now + lockOut : nil
  }

  private mutating func accept() -> Change? {
    guard contact.isDown != isDown else { return nil }
    isDown = contact.isDown
    deadline = contact.since + lockOut
    return isDown ? .press : .release
  }
}
