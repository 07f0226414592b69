/// Turns the edges of one bouncing contact into presses and releases.
///
/// The first edge counts at once, for a musician must not wait for a contact to come to rest. For the lock-out after it
/// nothing counts; then the contact is looked at again. If it is the other way by then (a press shorter than the lock-out,
/// or an edge that was lost), that counts from then on, with a lock-out of its own from the edge that made it, so that the
/// bounces of a short press are no second press and no button stays held that was let go.
public struct Debouncer: Hashable, Sendable {
  /// Contacts bounce for 1 to 10 ms, worn ones longer; nobody presses one button twice within 50 ms.
  public static let standardLockOut = Nanoseconds.milliseconds(25)

  /// Where the contact was seen last, and since when.
  private struct Contact: Hashable, Sendable {
    var isDown: Bool
    var since: Instant
  }

  private let lockOut: Nanoseconds
  private var isDown = false
  private var contact = Contact(isDown: false, since: .zero)
  /// nil when the contact has been looked at since.
  private var lockedUntil: Instant?

  public init(lockOut: Nanoseconds = Debouncer.standardLockOut) { self.lockOut = lockOut }

  /// When the contact is to be looked at again.
  public var deadline: Instant? { lockedUntil }

  /// Takes one edge; edges come in order of time.
  ///
  /// - Returns: what counted: nothing for a bounce.
  public mutating func take(_ direction: ButtonEdge.Direction, at instant: Instant) -> ButtonEdge.Direction? {
    contact = Contact(isDown: direction == .down, since: instant)
    if let lockedUntil, instant < lockedUntil { return nil }
    return accept()
  }

  /// Looks at the contact again. To be called at ``deadline``, and before ``take(_:at:)`` if an edge comes later than
  /// that; earlier it does nothing.
  ///
  /// - Parameter isDownNow: where the contact is at this moment; nil: where its last edge left it.
  public mutating func settle(at now: Instant, isDownNow: Bool? = nil) -> ButtonEdge.Direction? {
    guard let lockedUntil, lockedUntil <= now else { return nil }
    self.lockedUntil = nil
    if let isDownNow, isDownNow != contact.isDown { contact = Contact(isDown: isDownNow, since: now) }
    return accept()
  }

  private mutating func accept() -> ButtonEdge.Direction? {
    guard contact.isDown != isDown else { return nil }
    isDown = contact.isDown
    lockedUntil = contact.since + lockOut
    return isDown ? .down : .up
  }
}
