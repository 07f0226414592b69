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
