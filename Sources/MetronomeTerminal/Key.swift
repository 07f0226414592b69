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
