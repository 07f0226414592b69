import MetronomeCore

/// Explains what is wrong with the indentation of a line. libyaml only reports that the line does not fit.
///
/// It reads the lines above one by one, and keeps the keys that are open: the last key, its section, and so on. Columns are doubled,
/// so that the dash of a list in the column of its key is below the key.
struct Indentation {
  private struct OpenKey {
    /// Twice the number of spaces before the key, plus 1 for the dash of a list.
    var column: Int
    var position: Position
    var name: String
    /// Whether a value follows on the same line, so that no key can be below this one.
    var hasValue: Bool
    /// Whether this is a text without a ":" that ends a key.
    var lacksColon = false

    /// The problem of a key below another one that has a value.
    func problem(below other: Self) -> Problem {
      Problem(
        "this line is indented further than \(quoted(other.name)) on line \(other.position.line), which has a value",
        remedy: "begin both in the same column, write the name of a section above this line, or begin a note with "
          + "\"#\"",
        at: position)
    }

    /// The problem of a key in another column than the one that it seems to belong to.
    func problem(beside other: Self) -> Problem {
      Problem(
        "this line begins in column \(position.column), but \(quoted(other.name)) on line \(other.position.line) in column "
          + "\(other.position.column)",
        remedy: "begin all keys of a section in the same column, below the name of the section", at: position)
    }
  }

  private var open: [OpenKey] = []

  /// The problem of a line; nil if its indentation fits the lines above, or if these are not understood.
  static func problem(in text: CheckedText, line: Int) -> Problem? {
    var indentation = Indentation()
    for (index, characters) in text.scalars.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let number = index + 1
      // A directive, or the beginning or end of a document.
      if ["%", "---", "..."].contains(where: { characters.starts(with: $0.unicodeScalars) }) { return nil }
      let (content, openQuote, brackets) = scan(characters)
      if let column = openQuote, number < line { return .openQuote(at: Position(line: number, column: column)) }
      guard openQuote == nil, brackets == 0 else { return nil }
      for key in keys(content, line: number) {
        let problem = indentation.add(key)
        if number == line, let problem { return problem }
      }
      if number == line { return nil }
    }
    return nil
  }

  /// The line without a comment, the column of a quotation mark that is not closed in it, and the number of open brackets.
  private static func scan(
    _ line: ArraySlice<Unicode.Scalar>
  ) -> (content: ArraySlice<Unicode.Scalar>, openQuote: Int?, brackets: Int) {
    var brackets = 0
    var quote: (mark: Unicode.Scalar, index: Int)?
    // A quotation mark or a "#" within a word is an ordinary character.
    var previous: Unicode.Scalar = " "
    for (index, scalar) in zip(line.indices, line) {
      if let open = quote {
        if scalar == open.mark { quote = nil }
      } else {
        switch scalar {
        case "#" where previous == " ": return (line[..<index], nil, brackets)
        case "\"", "'": if [" ", "[", "{", ","].contains(previous) { quote = (scalar, index) }
        case "[", "{": brackets += 1
        case "]", "}": brackets -= 1
        default: break
        }
      }
      previous = scalar
    }
    return (line, quote.map { $0.index - line.startIndex + 1 }, brackets)
  }

  /// The keys that begin in a line: none, one, or one after the dashes of lists.
  private static func keys(_ content: ArraySlice<Unicode.Scalar>, line: Int) -> [OpenKey] {
    var rest = content
    var keys: [OpenKey] = []
    func spaces() -> Int { rest.startIndex - content.startIndex }
    while true {
      rest = rest.drop { $0 == " " }
      guard let first = rest.first else { return keys }
      let position = Position(line: line, column: spaces() + 1)
      guard first == "-", rest.dropFirst().first ?? " " == " " else {
        let colon = rest.indices.first { rest[$0] == ":" && ($0 + 1 == rest.endIndex || rest[$0 + 1] == " ") }
        let name = rest[..<(colon ?? rest.endIndex)]
        let value = rest[name.endIndex...].dropFirst().drop { $0 == " " }
        return keys + [
          OpenKey(
            column: 2 * spaces(), position: position, name: string(name), hasValue: colon == nil || !value.isEmpty,
            lacksColon: colon == nil)
        ]
      }
      keys.append(OpenKey(column: 2 * spaces() + 1, position: position, name: "-", hasValue: false))
      rest = rest.dropFirst()
    }
  }

  private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    return String(text)
  }

  /// Closes the keys that end before this one. Returns the problem of this one.
  private mutating func add(_ key: OpenKey) -> Problem? {
    var closed: OpenKey?
    while let last = open.last, last.column > key.column { closed = open.removeLast() }
    defer { open.append(key) }
    if let last = open.last, last.column == key.column {
      open.removeLast()
      return last.lacksColon ? .missingColon(in: last.name, at: last.position) : nil
    }
    guard let closed else { return open.last.flatMap { $0.hasValue ? key.problem(below: $0) : nil } }
    guard let outer = open.last else { return key.problem(beside: closed) }
    let distances = (inner: closed.column - key.column, outer: key.column - outer.column)
    let section = Keys.all.first { $0.name == outer.name }?.keys ?? []
    func has(_ keys: [Key]) -> Bool { keys.contains { $0.name == key.name } }
    let isOutermost = outer.column == 0 && has(Keys.all) && !has(section)
    let isBesideOuter = distances.outer < distances.inner || (distances.outer == distances.inner && isOutermost)
    return key.problem(beside: isBesideOuter ? outer : closed)
  }
}
