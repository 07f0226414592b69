import MetronomeCore

/// What a key of the keyboard does.
enum Key: Equatable {
  case button(Button)
  case quit

  /// The keys in a piece of input, in order. Arrow keys come as escape sequences; what means nothing is passed over.
  static func keys(in input: ArraySlice<UInt8>) -> [Key] {
    var keys: [Key] = []
    var rest = input
    while let byte = rest.popFirst() {
      let key: Key?
      if byte == 0x1B, rest.first == UInt8(ascii: "[") || rest.first == UInt8(ascii: "O") {
        rest.removeFirst()
        key = rest.popFirst().flatMap(arrow)
      } else {
        key = plain(byte)
      }
      if let key { keys.append(key) }
    }
    return keys
  }

  private static func plain(_ byte: UInt8) -> Key? {
    switch Character(UnicodeScalar(byte)) {
    case " ", "p", "P", "\r": .button(.play)
    case "-", "_": .button(.slower)
    case "+", "=": .button(.faster)
    case "n", "N": .button(.numerator)
    case "d", "D": .button(.denominator)
    case "t", "T": .button(.tap)
    case "q", "Q", "\u{03}", "\u{04}": .quit
    default: nil
    }
  }

  private static func arrow(_ byte: UInt8) -> Key? {
    switch Character(UnicodeScalar(byte)) {
    case "A", "C": .button(.faster)
    case "B", "D": .button(.slower)
    default: nil
    }
  }
}
