import MetronomeCore

/// A message of the control socket: a word, then fields `key=value`, separated by one space each, in UTF-8 without control
/// characters.
///
/// A value that is empty, or contains a space, a quotation mark or a backslash, is in quotation marks, with `\"` and `\\` inside.
/// Words and keys consist of letters from a to z, digits and hyphens, and begin with a letter. `Documentation/ControlSocket.md`
/// lists all messages.
public struct ControlMessage: Hashable, Sendable, CustomStringConvertible {
  /// The longest message to the box, in bytes.
  public static let longestRequest = 1_024
  /// The longest message from the box, in bytes.
  public static let longest = 4_096

  public struct Field: Hashable, Sendable {
    public var key: String
    public var value: String
  }

  public let word: String
  public private(set) var fields: [Field] = []

  /// Fields whose value is nil are left out. Control characters in values become spaces.
  ///
  /// - Precondition: word and keys are valid, and no key appears twice.
  public init(_ word: String, _ fields: KeyValuePairs<String, String?> = [:]) {
    self.word = word
    for (key, value) in fields { if let value { append(key, value) } }
  }

  /// Adds a field.
  public mutating func append(_ key: String, _ value: String) {
    precondition(ControlMessage.isName(key) && self[key] == nil, "a message cannot have this key")
    let scalars = value.unicodeScalars.map { ControlMessage.isControl($0) ? " " : $0 }
    fields.append(Field(key: key, value: String(String.UnicodeScalarView(scalars))))
  }

  /// The value of a field; nil: the message has no such field.
  public subscript(key: String) -> String? { fields.first { $0.key == key }?.value }

  public var description: String {
    ([word] + fields.map { "\($0.key)=\(ControlMessage.quotedIfNeeded($0.value))" }).joined(separator: " ")
  }

  public var bytes: [UInt8] { Array(description.utf8) }

  static func isName(_ text: some StringProtocol) -> Bool {
    guard let first = text.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else { return false }
    return text.utf8.allSatisfy {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        || $0 == UInt8(ascii: "-")
    }
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool { scalar.value < 0x20 || scalar.value == 0x7F }

  private static func quotedIfNeeded(_ value: String) -> String {
    guard value.isEmpty || value.utf8.contains(where: { $0 == 0x20 || $0 == 0x22 || $0 == 0x5C }) else { return value }
    var text = "\""
    for scalar in value.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { text += "\\" }
      text.unicodeScalars.append(scalar)
    }
    return text + "\""
  }
}

/// Why a message cannot be parsed or carried out.
public struct ControlError: Error, Hashable, Sendable {
  /// What is wrong and what would be right, for people.
  public var text: String

  public init(_ text: String) { self.text = text }
}

extension ControlMessage {
  /// Reads a message.
  ///
  /// - Throws: ``ControlError`` with the column, counted in bytes from 1.
  public init(parsing bytes: some Collection<UInt8>) throws(ControlError) {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw ControlError("the message is not UTF-8") }
    var parser = MessageParser(scalars: Array(text.unicodeScalars))
    word = try parser.name("a word, such as do")
    while !parser.isAtEnd {
      try parser.expect(" ", "one space before a field")
      let column = parser.column
      let key = try parser.name("a key, such as at")
      try parser.expect("=", "= after the key \(key)")
      let value = try parser.value()
      if self[key] != nil { throw ControlError("column \(column): the key \(key) appears twice") }
      fields.append(Field(key: key, value: value))
    }
  }

  /// The value of a field that is a whole number.
  ///
  /// - Throws: ``ControlError`` if it is something else, or not within `range`.
  public func number(_ key: String, _ range: ClosedRange<Int64>) throws(ControlError) -> Int64? {
    guard let text = self[key] else { return nil }
    guard text.utf8.count <= 20, let number = Int64(text), range.contains(number) else {
      throw ControlError(
        "\(key) is \(quoted(text)); it must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// The value of a field that must be there.
  public func required(_ key: String) throws(ControlError) -> String {
    guard let value = self[key] else { throw ControlError("\(word) needs \(key)=…") }
    return value
  }
}

/// Reads a message from left to right.
private struct MessageParser {
  let scalars: [Unicode.Scalar]
  private var index = 0

  init(scalars: [Unicode.Scalar]) { self.scalars = scalars }

  var isAtEnd: Bool { index == scalars.count }

  /// Counted in bytes from 1.
  var column: Int { scalars[..<index].reduce(1) { $0 + UTF8.width($1) } }

  private var next: Unicode.Scalar? { isAtEnd ? nil : scalars[index] }

  mutating func expect(_ scalar: Unicode.Scalar, _ what: String) throws(ControlError) {
    guard next == scalar else { throw expected(what) }
    index += 1
  }

  mutating func name(_ what: String) throws(ControlError) -> String {
    let begin = index
    while let scalar = next, scalar.isASCII, scalar != " ", scalar != "=" { index += 1 }
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars[begin..<index])
    let text = String(view)
    guard ControlMessage.isName(text) else {
      index = begin
      throw expected(what)
    }
    return text
  }

  mutating func value() throws(ControlError) -> String {
    var view = String.UnicodeScalarView()
    guard next == "\"" else {
      while let scalar = next, scalar != " " {
        guard scalar != "\"", scalar != "\\" else { throw expected("quotation marks around the value") }
        try append(scalar, to: &view)
      }
      guard !view.isEmpty else { throw expected("a value; write \"\" for an empty one") }
      return String(view)
    }
    index += 1
    while let scalar = next, scalar != "\"" {
      if scalar == "\\" {
        index += 1
        guard let escaped = next, escaped == "\"" || escaped == "\\" else { throw expected("\\\" or \\\\") }
        try append(escaped, to: &view)
      } else {
        try append(scalar, to: &view)
      }
    }
    try expect("\"", "a quotation mark at the end of the value")
    return String(view)
  }

  private mutating func append(
    _ scalar: Unicode.Scalar, to view: inout String.UnicodeScalarView
  ) throws(ControlError) {
    guard scalar.value >= 0x20, scalar.value != 0x7F else { throw expected("no control character") }
    view.append(scalar)
    index += 1
  }

  private func expected(_ what: String) -> ControlError { ControlError("column \(column): expected \(what)") }
}
