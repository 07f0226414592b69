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
