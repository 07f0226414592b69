import MetronomeCore

/// What a key of the keyboard does.
package enum Key: Equatable {
  case press(Button, isHeld: Bool)
  case chord(Button, Button)
  /// A dial by so many detents, clockwise above 0.
  case turn(Dial, by: Int)
  case quit

  /// The key that sends this byte by itself; nil for one that means nothing.
  init?(byte: UInt8) {
    switch Character(UnicodeScalar(byte)) {
    case " ", "p", "P", "\r": self.init(.play)
    case "-", "_": self.init(.slower)
    case "+", "=": self.init(.faster)
    case "n", "N": self.init(.numerator)
    case "d", "D": self.init(.denominator)
    case "t", "T": self.init(.tap)
    case "1": self.init(.preset1)
    case "2": self.init(.preset2)
    case "3": self.init(.preset3)
    case "4": self.init(.preset4)
    case "[": self.init(.presetPrevious)
    case "]": self.init(.presetNext)
    case "0": self = .chord(.slower, .faster)
    case "r", "R": self = .chord(.play, .faster)
    case "s", "S": self = .chord(.play, .numerator)
    case "<", ",": self = .turn(.tempo, by: -1)
    case ">", ".": self = .turn(.tempo, by: 1)
    case "q", "Q", "\u{03}", "\u{04}": self = .quit
    default: return nil
    }
  }

  /// The arrow key whose sequence ends in this byte.
  init?(arrow byte: UInt8) {
    switch Character(UnicodeScalar(byte)) {
    case "A", "C": self.init(.faster)
    case "B", "D": self.init(.slower)
    default: return nil
    }
  }

  private init(_ button: Button) { self = .press(button, isHeld: false) }

  /// The same with its button held down, if it has a button of its own.
  var held: Key {
    switch self {
    case .press(let button, _): .press(button, isHeld: true)
    case .chord, .turn, .quit: self
    }
  }
}

/// Finds the keys in what a terminal sends, which may come in any pieces.
///
/// Other keys than letters come as sequences (ECMA-48, 5.4): an escape character, `[` or `O`, parameters, and a final
/// byte. Only arrows without parameters mean something: with Shift, Alt or Control they have some. An escape character
/// before another one says that Alt was held, and nothing is meant by that either.
///
/// A terminal does not tell when a key is let go, so the key `h` says that the next one is held.
package struct KeyReader {
  private enum Place {
    case betweenKeys
    /// After an escape character, or after two: then Alt was held.
    case escape(withAlt: Bool)
    /// After `[` or `O`.
    case sequence(withAlt: Bool, isEmpty: Bool)
    /// After `ESC [ [`, with which the Linux console begins its function keys.
    case functionKey
  }

  private static let escape: UInt8 = 0x1B
  private static let hold = Array("hH".utf8)
  private var place = Place.betweenKeys
  /// Whether the next key is a held one.
  package private(set) var holdsNext = false

  package init() {}

  /// The keys that a piece of input completes, in order. What means nothing is passed over.
  ///
  /// An escape character at the end of a piece may be the Escape key or be torn off its sequence: the next piece tells.
  package mutating func keys(in piece: some Sequence<UInt8>) -> [Key] {
    var keys: [Key] = []
    for (index, byte) in piece.enumerated() {
      guard let key = take(byte, isFirstOfPiece: index == 0) else { continue }
      keys.append(holdsNext ? key.held : key)
      holdsNext = false
    }
    return keys
  }

  private mutating func take(_ byte: UInt8, isFirstOfPiece: Bool) -> Key? {
    switch place {
    case .betweenKeys: return begin(byte)
    case .escape(let withAlt):
      if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O") {
        place = .sequence(withAlt: withAlt, isEmpty: true)
      } else if isFirstOfPiece {
        return begin(byte)
      } else {
        place = byte == KeyReader.escape ? .escape(withAlt: true) : .betweenKeys
      }
      return nil
    case .sequence(let withAlt, let isEmpty):
      switch byte {
      case 0x20...0x3F: place = .sequence(withAlt: withAlt, isEmpty: false)
      case UInt8(ascii: "[") where isEmpty: place = .functionKey
      case 0x40...0x7E:
        place = .betweenKeys
        return isEmpty && !withAlt ? Key(arrow: byte) : nil
      default: return begin(byte)
      }
      return nil
    case .functionKey:
      place = .betweenKeys
      return nil
    }
  }

  private mutating func begin(_ byte: UInt8) -> Key? {
    place = byte == KeyReader.escape ? .escape(withAlt: false) : .betweenKeys
    if KeyReader.hold.contains(byte) { holdsNext.toggle() }
    return Key(byte: byte)
  }
}

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
