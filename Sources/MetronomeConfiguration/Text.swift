import CLibrary
import MetronomeCore

enum RegularFile {
  /// The bytes of a file, at most `limit` + 1; nil if the file does not exist. `kind` is the expected kind, for messages.
  static func contents(_ path: String, limit: Int, kind: String) throws(Problem) -> [UInt8]? {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw Problem("invalid file name", remedy: "check the path", at: nil)
    }
    // Non-blocking, because opening a pipe without a writer would block forever.
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      if Refusal.last == .absent { return nil }
      throw unreadable(errno)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw unreadable(errno) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      let what = status.st_mode & S_IFMT == S_IFDIR ? "this is a directory" : "this is a device or a pipe"
      var problem = Problem(what, remedy: "give the path of \(kind)", at: nil)
      problem.isUnreadable = true
      throw problem
    }
    return try contents(of: descriptor, limit: limit)
  }

  /// The bytes of an open file, at most `limit` + 1.
  static func contents(of descriptor: Int32, limit: Int) throws(Problem) -> [UInt8] {
    guard let bytes = readBytes(from: descriptor, atMost: limit + 1) else { throw unreadable(errno) }
    return bytes
  }

  private static func unreadable(_ code: Int32) -> Problem {
    var problem = Problem("cannot read the file: \(reason(code))", remedy: "check its path and permissions", at: nil)
    problem.isUnreadable = true
    return problem
  }
}

/// The checked text of a configuration file: UTF-8, neither empty nor too long, and without invisible characters. All line ends
/// of the file are converted to line feeds.
struct CheckedText {
  /// More than any configuration written by hand, but small enough to be read quickly on the slowest board.
  static let highestByteCount = 256 * 1_024

  let scalars: [Unicode.Scalar]

  init(_ bytes: [UInt8]) throws(Problem) {
    guard bytes.count <= CheckedText.highestByteCount else {
      throw Problem(
        "the file is larger than 256 KiB", remedy: "check the path: a configuration is much smaller", at: nil)
    }
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      let remedy = "save it as UTF-8; in Notepad: \"Save as\", \"Encoding\""
      throw Problem("the file is saved as UTF-16", remedy: remedy, at: Position())
    }
    if bytes.starts(with: "{\\rtf".utf8) {
      let remedy = "save it as plain text; in TextEdit: \"Format\", \"Make Plain Text\""
      throw Problem("the file is saved as Rich Text", remedy: remedy, at: Position())
    }
    scalars = try CheckedText.decode(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...])
    guard scalars.contains(where: { $0 != " " && $0 != "\t" && $0 != "\n" }) else {
      throw Problem(
        "the file is empty, possibly because of a power failure while it was written",
        remedy: "write it again, or delete it to use the built-in configuration", at: nil)
    }
  }

  var utf8: [UInt8] { scalars.flatMap { Array(UTF8.encode($0)!) } }

  /// The position after the last character.
  var end: Position { scalars.reduce(into: Position()) { $0.pass($1) } }

  /// The character at a position, or nil past the end of a line.
  func scalar(at position: Position) -> Unicode.Scalar? {
    var place = Position()
    return scalars.first { scalar in
      defer { place.pass(scalar) }
      return place == position
    }
  }

  /// The rest of the line that begins at a position.
  func line(from start: Position) -> String {
    var place = Position()
    var line = String.UnicodeScalarView()
    for scalar in scalars where place.line <= start.line {
      if !(place < start), scalar != "\n" { line.append(scalar) }
      place.pass(scalar)
    }
    return String(line)
  }

  /// The problem of a character that looks like a space or a colon, which some keyboards and editors write. Only the part of the line
  /// before a comment or quoted text is searched.
  func lookAlike(onLine line: Int) -> Problem? {
    let start = Position(line: line, column: 1)
    var followsBlank = true
    for (index, scalar) in self.line(from: start).unicodeScalars.enumerated() {
      if scalar == "\"" || scalar == "'" || scalar == "#" && followsBlank { return nil }
      followsBlank = scalar == " " || scalar == "\t"
      let meant = [0xA0: "space", 0x202F: "space", 0x3000: "space", 0xFF1A: "colon"][scalar.value]
      guard let meant else { continue }
      let place = Position(line: line, column: index + 1)
      return Problem("\(codePoint(scalar)) looks like a \(meant)", remedy: "replace it with a normal one", at: place)
    }
    return nil
  }

  /// The number of the first line after this one that is not blank; nil if there is none.
  func nextLine(after start: Position) -> Int? {
    var place = Position()
    for scalar in scalars {
      if place.line > start.line, scalar != " ", scalar != "\n" { return place.line }
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
          "invalid UTF-8 byte 0x\(String(bytes[index], radix: 16, uppercase: true))",
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

  /// Throws for a character that editors do not show, including those that YAML forbids.
  private static func refuseUnseen(_ scalar: Unicode.Scalar, at position: Position) throws(Problem) {
    switch scalar.value {
    case 0:
      throw Problem(
        "the file contains NUL bytes, possibly because of a power failure",
        remedy: "write it again, or delete it to use the built-in configuration", at: position)
    case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0xA0...0x2027, 0x202A...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD,
      0x1_0000...0x10_FFFF:
      return
    default: throw Problem("invisible character \(codePoint(scalar))", remedy: "delete it", at: position)
    }
  }
}

/// A position in a file, as editors count: lines and columns from 1, one column for each Unicode scalar.
struct Position: Hashable, Comparable, Sendable {
  var line = 1
  var column = 1

  /// Advances past a character. Every line ends with a line feed: see ``CheckedText``.
  mutating func pass(_ scalar: Unicode.Scalar) {
    if scalar == "\n" {
      line += 1
      column = 1
    } else {
      column += 1
    }
  }

  static func < (a: Position, b: Position) -> Bool { (a.line, a.column) < (b.line, b.column) }
}

/// A name as written in YAML: in double quotes unless it is a plain word.
func written(_ name: String) -> String {
  let isPlain = name.unicodeScalars.allSatisfy { scalar in
    switch scalar {
    case "0"..."9", "A"..."Z", "a"..."z", "_": true
    default: false
    }
  }
  let isReservedWord = (booleanWords + ["null"]).contains(name.lowercased())
  if isPlain, !isReservedWord, let first = name.unicodeScalars.first, first > "9" { return name }
  return "\"" + name.unicodeScalars.map(escaped).joined() + "\""
}

private func escaped(_ scalar: Unicode.Scalar) -> String {
  switch scalar {
  case "\"", "\\": return "\\\(scalar)"
  case " "..."~": return String(scalar)
  case _ where scalar.properties.isAlphabetic: return String(scalar)
  default:
    let digits = String(scalar.value, radix: 16)
    return "\\U" + String(repeating: "0", count: 8 - digits.utf8.count) + digits
  }
}
