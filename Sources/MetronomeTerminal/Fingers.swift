import MetronomeCore

/// Fingers that press the box's buttons as keys say.
///
/// A terminal tells that a key was hit, not for how long, so they know how long to press: a held key until the next one is
/// hit. What was typed in a row is no chord: a press waits until the one before cannot be a part of one any more.
package struct Fingers {
  /// How long a key presses its button.
  package static let hold = Nanoseconds.milliseconds(30)
  /// How long a held key does at least: long enough for a long press.
  package static let longHold = Nanoseconds.milliseconds(700)
  /// From one button of a chord to the other, and how long each is down.
  package static let chordDelay = Nanoseconds.milliseconds(20)
  package static let chordHold = Nanoseconds.milliseconds(80)
  /// How long keys wait that come faster than their button can be pressed. Those that would wait longer are left out.
  package static let longestWait = Nanoseconds.milliseconds(200)

  private let lockOut: Nanoseconds
  /// When each button may be pressed again, so that the press counts.
  private var free: [Button: Instant] = [:]
  /// Until when another button would make a chord.
  private var chordEnd: Instant?
  /// The button that is held until the next key, and since when.
  private var held: (button: Button, since: Instant)?

  /// - Parameter lockOut: of the buttons.
  package init(lockOut: Nanoseconds = Debouncer.standardLockOut) { self.lockOut = lockOut }

  /// Presses the button of a key.
  ///
  /// - Returns: the edges that come of it, none for a key that is left out.
  package mutating func press(_ button: Button, isHeld: Bool, at now: Instant) -> [ButtonEdge] {
    let release = letGo(at: now)
    var edges = press([button], for: isHeld ? Fingers.longHold : Fingers.hold, at: now)
    if isHeld, let down = edges.first {
      edges.removeLast()
      held = (button, down.instant)
    }
    return release + edges
  }

  /// Presses two buttons together.
  package mutating func chord(_ one: Button, _ other: Button, at now: Instant) -> [ButtonEdge] {
    letGo(at: now) + press([one, other], for: Fingers.chordHold, at: now)
  }

  /// Lets go of what is held, as the next key does.
  package mutating func letGo(at now: Instant) -> [ButtonEdge] {
    guard let (button, since) = held else { return [] }
    held = nil
    let release = max(now, since + Fingers.longHold)
    free[button] = release + lockOut
    return [ButtonEdge(button, .up, at: release)]
  }

  private mutating func press(_ buttons: [Button], for hold: Nanoseconds, at now: Instant) -> [ButtonEdge] {
    let soonest = buttons.compactMap { free[$0] }.reduce(now, max)
    var instant = max(soonest, chordEnd ?? now)
    guard soonest - now <= Fingers.longestWait, instant - now <= GestureMachine<Command>.hold else { return [] }
    var edges: [ButtonEdge] = []
    for button in buttons {
      let release = instant + hold
      edges += [ButtonEdge(button, .down, at: instant), ButtonEdge(button, .up, at: release)]
      free[button] = release + lockOut
      // A release within the lock-out counts at its end; a button that is held for long is in no chord.
      chordEnd = min(max(release, instant + lockOut), instant + GestureMachine<Command>.hold)
      instant = instant + Fingers.chordDelay
    }
    return edges
  }
}
