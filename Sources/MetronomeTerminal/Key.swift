import MetronomeCore

/// What a key of the keyboard does.
package enum Key: Equatable {
  case button(Button)
  case quit

  /// The key that sends this byte by itself; nil for one that means nothing.
  init?(byte: UInt8) {
    switch Character(UnicodeScalar(byte)) {
    case " ", "p", "P", "\r": self = .button(.play)
    case "-", "_": self = .button(.slower)
    case "+", "=": self = .button(.faster)
    case "n", "N": self = .button(.numerator)
    case "d", "D": self = .button(.denominator)
    case "t", "T": self = .button(.tap)
    case "q", "Q", "\u{03}", "\u{04}": self = .quit
    default: return nil
    }
  }

  /// The arrow key whose sequence ends in this byte.
  init?(arrow byte: UInt8) {
    switch Character(UnicodeScalar(byte)) {
    case "A", "C": self = .button(.faster)
    case "B", "D": self = .button(.slower)
    default: return nil
    }
  }
}
