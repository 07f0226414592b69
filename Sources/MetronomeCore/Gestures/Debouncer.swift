/// Turns the edges of one bouncing contact into presses and releases.
///
/// The first edge counts at once, for a musician must not wait for a contact to come to rest. For ``lockOut`` after it
/// nothing counts; then the contact is believed to be where its last edge left it. If that is the other way (a press
/// shorter than the lock-out), the change counts from then on, with a lock-out of its own from the edge that made it, so
/// that the bounces of a short press are no second press.
public struct Debouncer: Hashable, Sendable {
  /// Contacts bounce for 1 to 10 ms, worn ones longer; nobody presses one button twice within 50 ms.
  public static let standardLockOut = Nanoseconds.milliseconds(25)

  private let lockOut: Nanoseconds
  private var isDown = false
  /// Where the last edge left the contact, and when.
  private var contact: (isDown: Bool, since: Instant) = (false, .zero)
  private var lockedUntil: Instant?

  public init(lockOut: Nanoseconds = Debouncer.standardLockOut) { self.lockOut = lockOut }

  /// When ``settle(at:)`` has something to say, if no edge comes before.
  public var deadline: Instant? { contact.isDown != isDown ? lockedUntil : nil }

  /// Takes one edge; edges come in order of time. Answers with what counted: nothing for a bounce.
  public mutating func take(_ direction: ButtonEdge.Direction, at instant: Instant) -> ButtonEdge.Direction? {
    contact = (direction == .down, instant)
    if let lockedUntil, instant < lockedUntil { return nil }
    return accept()
  }

  /// Looks at the contact again after the lock-out. To be called at ``deadline``, and before ``take(_:at:)`` if an edge
  /// comes later than that.
  public mutating func settle(at now: Instant) -> ButtonEdge.Direction? {
    guard let deadline, deadline <= now else { return nil }
    return accept()
  }

  private mutating func accept() -> ButtonEdge.Direction? {
    guard contact.isDown != isDown else { return nil }
    isDown = contact.isDown
    lockedUntil = contact.since + lockOut
    return isDown ? .down : .up
  }

  public static func == (a: Debouncer, b: Debouncer) -> Bool {
    a.lockOut == b.lockOut && a.isDown == b.isDown && a.contact == b.contact && a.lockedUntil == b.lockedUntil
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(isDown)
    hasher.combine(lockedUntil)
  }
}
