import MetronomeCore

/// The text of a configuration file, as far as it is text at all: UTF-8, neither empty nor too long, and without
/// characters that nobody sees. Lines end with a line feed, whatever they ended with in the file.
struct CheckedText {
  /// More than anyone writes by hand, and little enough to be read in no time on the smallest board.
  static let highestByteCount = 256 * 1_024

  let scalars: [Unicode.Scalar]

  init(_ bytes: [UInt8]) throws(Problem) {
    guard bytes.count <= CheckedText.highestByteCount else {
      throw Problem(
        "the file is longer than 256 KiB", remedy: "a configuration is a page at most: is it the right file?", at: nil)
    }
    scalars = try CheckedText.decode(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...])
    guard scalars.contains(where: { $0 != " " && $0 != "\t" && $0 != "\n" }) else {
      throw Problem(
        "the file is empty, as a power failure leaves one that was being written",
        remedy: "write it again, or remove it to have the built-in configuration", at: nil)
    }
  }

  /// The text for the parser.
  var string: String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    return String(text)
  }

  /// The place after the last character.
  var end: Position {
    var place = Position()
    for scalar in scalars { place.pass(scalar) }
    return place
  }

  /// What stands at a place, or nil past the end of a line.
  func scalar(at position: Position) -> Unicode.Scalar? {
    var place = Position()
    for scalar in scalars {
      if place == position { return scalar }
      place.pass(scalar)
    }
    return nil
  }

  private static func decode(_ bytes: ArraySlice<UInt8>) throws(Problem) -> [Unicode.Scalar] {
    var scalars: [Unicode.Scalar] = []
    scalars.reserveCapacity(bytes.count)
    var position = Position()
    var index = bytes.startIndex
    var afterReturn = false
    var iterator = bytes.makeIterator()
    var decoder = UTF8()
    while true {
      switch decoder.decode(&iterator) {
      case .emptyInput: return scalars
      case .error:
        throw Problem(
          "the byte 0x\(String(bytes[index], radix: 16, uppercase: true)) does not belong to UTF-8 text",
          remedy: "save the file as UTF-8", at: position)
      case .scalarValue(let scalar):
        try refuseUnseen(scalar, at: position)
        index += UTF8.width(scalar)
        defer { afterReturn = scalar == "\r" }
        if afterReturn, scalar == "\n" { continue }
        scalars.append(scalar == "\r" ? "\n" : scalar)
        position.pass(scalars[scalars.count - 1])
      }
    }
  }

  /// Refuses what cannot be seen in an editor and can only be there by mistake, among it what YAML forbids.
  private static func refuseUnseen(_ scalar: Unicode.Scalar, at position: Position) throws(Problem) {
    switch scalar.value {
    case 0:
      throw Problem(
        "the file holds zero bytes, as a power failure leaves them",
        remedy: "write it again, or remove it to have the built-in configuration", at: position)
    case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0xA0...0x2027, 0x202A...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD,
      0x1_0000...0x10_FFFF:
      return
    default:
      throw Problem("the unseen character \(codePoint(scalar)) stands here", remedy: "delete it", at: position)
    }
  }
}
