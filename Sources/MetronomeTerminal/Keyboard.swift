import MetronomeCore

/// The meaning of a key of the keyboard.
package enum Key: Equatable, Sendable {
  case press(Button)
  case chord(Button, Button)
  /// Turns a dial by a number of detents, positive clockwise.
  case turn(Dial, by: Int)
  case nextClickSet
  /// Shows the beat over the whole terminal, or ends that; dims it.
  case stage, dim
  /// A digit or a decimal point of a number.
  case digit(Character)
  case point
  case enter, erase, escape
  /// Holds the button of the next key.
  case hold
  case help
  case suspend
  case quit
  /// A key without a meaning, which still releases a held button.
  case other

  /// The keys that send a single byte. Letters are in lower case.
  private static let meanings: [Character: Key] = [
    " ": .press(.play), "p": .press(.play), "t": .press(.tap), "n": .press(.numerator), "d": .press(.denominator),
    "-": .press(.slower), "_": .press(.slower), "+": .press(.faster), "=": .press(.faster),
    "f": .press(.preset1), "g": .press(.preset2), "j": .press(.preset3), "k": .press(.preset4),
    "[": .press(.presetPrevious), "]": .press(.presetNext), "<": .turn(.tempo, by: -1), ">": .turn(.tempo, by: 1),
    "/": .turn(.volume, by: -1), "*": .turn(.volume, by: 1),
    "v": .chord(.numerator, .denominator), "b": .chord(.denominator, .tap), "a": .chord(.numerator, .tap),
    "c": .chord(.slower, .faster), "w": .nextClickSet, "l": .stage, "o": .dim, "r": .chord(.play, .faster),
    "s": .chord(.play, .numerator),
    ".": .point, ",": .point, "\r": .enter, "\n": .enter, "\u{08}": .erase, "\u{7F}": .erase,
    "h": .hold, "?": .help, "\u{1A}": .suspend, "q": .quit, "\u{03}": .quit, "\u{04}": .quit,
  ]

  /// The key that sends this single byte.
  init(byte: UInt8) {
    let character = Character(UnicodeScalar(byte | (UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? 0x20 : 0)))
    self = "0"..."9" ~= character ? .digit(character) : Key.meanings[character] ?? .other
  }

  /// The key of an escape sequence: an arrow, or a function key. F1 to F4 send `ESC O P` to `ESC O S` or `ESC [ 1 1 ~` to
  /// `ESC [ 1 4 ~`, F5 to F8 `ESC [ 1 5 ~` and `ESC [ 1 7 ~` to `ESC [ 1 9 ~`.
  init(parameters: String, end: UInt8) {
    switch (parameters, Character(UnicodeScalar(end))) {
    case ("", "A"), ("", "C"): self = .press(.faster)
    case ("", "B"), ("", "D"): self = .press(.slower)
    case ("", "P"), ("11", "~"): self.init(function: 1)
    case ("", "Q"), ("12", "~"): self.init(function: 2)
    case ("", "R"), ("13", "~"): self.init(function: 3)
    case ("", "S"), ("14", "~"): self.init(function: 4)
    case ("15", "~"): self.init(function: 5)
    case ("17", "~"): self.init(function: 6)
    case ("18", "~"): self.init(function: 7)
    case ("19", "~"): self.init(function: 8)
    default: self = .other
    }
  }

  /// The function key of the Linux console whose sequence ends in this byte.
  init(console byte: UInt8) { self.init(function: Int(byte) - Int(UInt8(ascii: "A")) + 1) }

  /// F1 to F4 are the presets, F5 to F8 the buttons that the configuration adds.
  private init(function number: Int) {
    let presets: [Button] = [.preset1, .preset2, .preset3, .preset4]
    let buttons = presets + Button.all.dropFirst(Button.standard.count)
    self = (1...buttons.count).contains(number) ? .press(buttons[number - 1]) : .other
  }
}

/// Parses the keys from the input of a terminal, which may arrive in pieces of any size.
///
/// Arrows and function keys send escape sequences (ECMA-48, 5.4): an escape character, `[` or `O`, parameters, and a final
/// byte. With Shift, Alt or Control, the sequence of an arrow has parameters, and is ignored. Two escape characters mean Alt.
package struct KeyReader {
  private enum Place {
    case betweenKeys
    /// After one escape character, or after two, which mean that Alt was held.
    case escape(withAlt: Bool)
    /// After `[` or `O`.
    case sequence(withAlt: Bool, parameters: String)
    /// After `ESC [ [`, with which the Linux console begins its function keys.
    case functionKey(withAlt: Bool)
  }

  private static let escape: UInt8 = 0x1B
  /// No known key has more parameters.
  private static let maxParameters = 8
  private var place = Place.betweenKeys

  package init() {}

  /// The keys that a piece of input completes, in order.
  ///
  /// An escape character at the end of a piece counts as the Escape key, although the next piece may show that it began a
  /// sequence. This is harmless: Escape only cancels, as every other key does.
  package mutating func keys(in piece: some Sequence<UInt8>) -> [Key] {
    var keys: [Key] = []
    for (index, byte) in piece.enumerated() {
      if let key = read(byte, isFirstOfPiece: index == 0) { keys.append(key) }
    }
    if case .escape = place { keys.append(.escape) }
    return keys
  }

  private mutating func read(_ byte: UInt8, isFirstOfPiece: Bool) -> Key? {
    switch place {
    case .betweenKeys: return begin(byte)
    case .escape(let withAlt):
      if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O") {
        place = .sequence(withAlt: withAlt, parameters: "")
        return nil
      }
      if isFirstOfPiece { return begin(byte) }
      place = byte == KeyReader.escape ? .escape(withAlt: true) : .betweenKeys
      return byte == KeyReader.escape ? nil : .other
    case .sequence(let withAlt, let parameters):
      switch byte {
      case 0x20...0x3F:
        let more = parameters + String(UnicodeScalar(byte))
        place = .sequence(withAlt: withAlt, parameters: String(more.prefix(KeyReader.maxParameters)))
        return nil
      case UInt8(ascii: "[") where parameters.isEmpty:
        place = .functionKey(withAlt: withAlt)
        return nil
      case 0x40...0x7E:
        place = .betweenKeys
        return withAlt ? .other : Key(parameters: parameters, end: byte)
      default: return begin(byte)
      }
    case .functionKey(let withAlt):
      place = .betweenKeys
      return withAlt ? .other : Key(console: byte)
    }
  }

  private mutating func begin(_ byte: UInt8) -> Key? {
    place = byte == KeyReader.escape ? .escape(withAlt: false) : .betweenKeys
    return byte == KeyReader.escape ? nil : Key(byte: byte)
  }
}

/// Turns keys into presses of the box's buttons.
///
/// A terminal does not report how long a key is pressed. So a press has a fixed length, or lasts until another key releases it.
/// Keys typed in a row must not form a chord: a press is delayed until the previous press can no longer be part of a chord.
package struct Fingers {
  /// For how long a button is pressed.
  package enum Length {
    case short
    /// Long enough for a long press.
    case long
    /// Until ``Fingers/release(at:)``.
    case open
  }

  /// How long a key presses its button.
  package static let hold = Nanoseconds.milliseconds(30)
  package static let longHold = Nanoseconds.milliseconds(700)
  /// The delay between the buttons of a chord, and how long each is down.
  package static let chordDelay = Nanoseconds.milliseconds(20)
  package static let chordHold = Nanoseconds.milliseconds(80)
  /// How long a key may be delayed if it is typed too fast for its button. A key that needs a longer delay is dropped.
  package static let longestWait = Nanoseconds.milliseconds(200)

  private let lockOut: Nanoseconds
  /// When a new press of each button counts again.
  private var free: [Button: Instant] = [:]
  /// A press of another button would form a chord until this instant.
  private var chordEnd: Instant?
  /// The button that is held until it is released, and since when.
  private var held: (button: Button, since: Instant)?
  /// The button that was last pressed long, and until when.
  private var long: (button: Button, until: Instant)?

  /// The button that is held until ``release(at:)``.
  package var heldButton: Button? { held?.button }

  /// The button that a long press holds at an instant.
  package func longPressedButton(at now: Instant) -> Button? { long.flatMap { now < $0.until ? $0.button : nil } }

  package init(lockOut: Nanoseconds = Debouncer.standardLockOut) { self.lockOut = lockOut }

  /// Returns the edges of the press. There are none for a dropped key, except the release of a held button.
  package mutating func press(_ button: Button, _ length: Length = .short, at now: Instant) -> [ButtonEdge] {
    let released = release(at: now)
    var edges = press([button], for: length == .long ? Fingers.longHold : Fingers.hold, at: now)
    if length == .open, let down = edges.first {
      edges.removeLast()
      held = (button, down.instant)
    }
    if length == .long, let up = edges.last { long = (button, up.instant) }
    return released + edges
  }

  package mutating func chord(_ one: Button, _ other: Button, at now: Instant) -> [ButtonEdge] {
    release(at: now) + press([one, other], for: Fingers.chordHold, at: now)
  }

  /// Returns the edge that releases the held button, if there is one.
  package mutating func release(at now: Instant) -> [ButtonEdge] {
    guard let (button, since) = held else { return [] }
    held = nil
    let release = max(now, since + Fingers.hold)
    free[button] = release + lockOut
    return [ButtonEdge(button, .up, at: release)]
  }

  private mutating func press(_ buttons: [Button], for hold: Nanoseconds, at now: Instant) -> [ButtonEdge] {
    let soonest = buttons.compactMap { free[$0] }.reduce(now, max)
    var instant = max(soonest, chordEnd ?? now)
    guard soonest - now <= Fingers.longestWait, instant - now <= GestureMachine.hold else { return [] }
    var edges: [ButtonEdge] = []
    for button in buttons {
      let release = instant + hold
      edges += [ButtonEdge(button, .down, at: instant), ButtonEdge(button, .up, at: release)]
      free[button] = release + lockOut
      // A release within the lock-out counts at the end of the lock-out. A button held for long cannot form a chord.
      chordEnd = min(max(release, instant + lockOut), instant + GestureMachine.hold)
      instant = instant + Fingers.chordDelay
    }
    return edges
  }
}
