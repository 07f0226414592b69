import MetronomeCore

/// Finds out what is wrong with the indentation of a line. libyaml only reports that the line does not fit.
///
/// It reads the lines above one by one, and keeps the keys that are open: the last key, its section, and so on. Columns count double:
/// a dash in the column of its key then counts as one step further in, so it is inside the key.
struct Indentation {
  private struct OpenKey {
    /// Twice the number of spaces before the key, plus 1 for the dash of a list.
    var column: Int
    var position: Position
    /// "-" for the dash of a list.
    var name: String
    /// Whether a value follows on the same line, so that no key can be below this one.
    var hasValue = false
    /// Whether the line has no ":" after a key.
    var lacksColon = false

    private var shown: String {
      (name == "-" ? "the list" : quoted(name)) + " on line \(position.line)"
    }

    /// The problem of a key below another one that cannot contain it; nil if the other one can.
    func problem(below other: Self) -> Problem? {
      if other.lacksColon { return .missingColon(in: other.name, at: other.position) }
      guard other.hasValue else { return nil }
      if name == "-" {
        return Problem(
          "a list cannot be below \(other.shown), which has a value", remedy: "write either the value or the list",
          at: position)
      }
      return Problem(
        "this line is indented further than \(other.shown), which already has a value",
        remedy: "begin both lines in the same column, or write the name of a section above this one; if this is a "
          + "note, begin it with \"#\"", at: position)
    }

    /// The problem of an earlier key that explains why this one is in another column: the name of its section is missing, or not
    /// indented. nil if there is no such key. `other` is the last key in `outer`, whose keys are `section`.
    func problem(after other: Self, in outer: Self, _ section: [Key]) -> Problem? {
      let names = section.map(\.name)
      if names.contains(name), !names.contains(other.name), other.name != "-", !other.lacksColon {
        return other.field.unknownKey(in: outer.name, names)
      }
      let known = Keys.all.map(\.name)
      let isSibling = Keys.all.contains { each in
        let names = each.keys.map(\.name)
        return names.contains(name) && names.contains(outer.name)
      }
      return isSibling && !known.contains(outer.name) ? outer.field.unknownKey(in: "", known) : nil
    }

    /// Without its value: the message about an unknown key does not need it.
    private var field: Field {
      Field(key: name, path: name, position: position, value: Node(content: .section([]), position: position))
    }

    /// The problem of a key in another column than the one that it seems to belong to.
    func problem(beside other: Self) -> Problem {
      if other.name == "-", other.position.column == position.column {
        return Problem(
          "this line begins in the same column as \(other.shown)",
          remedy: "remove the \"-\" there, or indent this line", at: position)
      }
      return Problem(
        "this line begins in column \(position.column), but \(other.shown) begins in column \(other.position.column)",
        remedy: "begin all keys of a section in the same column, below the name of the section", at: position)
    }
  }

  private var open: [OpenKey] = []

  /// The problem of a line; nil if its indentation fits the lines above, or if they cannot be interpreted.
  static func problem(in text: CheckedText, line: Int) -> Problem? {
    var indentation = Indentation()
    for (index, characters) in text.scalars.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let number = index + 1
      if characters.starts(with: "---".unicodeScalars), indentation.open.isEmpty { continue }
      // A directive, or the end of a document.
      if ["%", "---", "..."].contains(where: { characters.starts(with: $0.unicodeScalars) }) { return nil }
      let (content, openQuote, unclosedBrackets) = scan(characters)
      if number < line {
        if let column = openQuote { return .openQuote(at: Position(line: number, column: column)) }
        guard unclosedBrackets == 0 else { return nil }
      }
      for key in keys(content, line: number) {
        let problem = indentation.add(key)
        if number == line, let problem { return problem }
      }
      if number == line { return nil }
    }
    return nil
  }

  /// The line without a comment, the column of a quotation mark that is not closed in it, and its opening minus its closing brackets.
  private static func scan(
    _ line: ArraySlice<Unicode.Scalar>
  ) -> (content: ArraySlice<Unicode.Scalar>, openQuote: Int?, unclosedBrackets: Int) {
    var brackets = 0
    var quote: Int?
    // The last character that is not blank. A quotation mark elsewhere than at the beginning of a value is an ordinary character.
    var before: Unicode.Scalar?
    var index = line.startIndex
    while index < line.endIndex {
      let scalar = line[index]
      let next = index + 1 < line.endIndex ? line[index + 1] : " "
      if let open = quote {
        if scalar == "\\" && line[open] == "\"" || scalar == "'" && line[open] == "'" && next == "'" {
          index += 1
        } else if scalar == line[open] {
          quote = nil
        }
      } else {
        let followsBlank = index == line.startIndex || isBlank(line[index - 1])
        switch scalar {
        case "#" where followsBlank: return (line[..<index], nil, brackets)
        case "\"", "'": if begins(after: before, brackets, followsBlank) { quote = index }
        case "[", "{": brackets += 1
        case "]", "}": brackets -= 1
        default: break
        }
      }
      if !isBlank(scalar) { before = scalar }
      index += 1
    }
    return (line, quote.map { $0 - line.startIndex + 1 }, brackets)
  }

  /// Whether a value or a key begins after this character.
  private static func begins(after before: Unicode.Scalar?, _ brackets: Int, _ followsBlank: Bool) -> Bool {
    guard let before else { return true }
    return brackets > 0 && "[{,".unicodeScalars.contains(before) || followsBlank && (before == ":" || before == "-")
  }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }

  /// The dashes at the beginning of a line, and the key after them.
  private static func keys(_ content: ArraySlice<Unicode.Scalar>, line: Int) -> [OpenKey] {
    var rest = content
    var keys: [OpenKey] = []
    while true {
      rest = rest.drop(while: isBlank)
      guard let first = rest.first else { return keys }
      let spaces = rest.startIndex - content.startIndex
      let position = Position(line: line, column: spaces + 1)
      guard first == "-", isBlank(rest.dropFirst().first ?? " ") else {
        let colon = rest.indices.first { rest[$0] == ":" && ($0 + 1 == rest.endIndex || isBlank(rest[$0 + 1])) }
        let end = colon ?? rest.endIndex
        let marks = Set("\"'".unicodeScalars)
        var name = String.UnicodeScalarView()
        name.append(contentsOf: rest[..<end].filter { !marks.contains($0) })
        let hasValue = !rest[end...].dropFirst().drop(while: isBlank).isEmpty
        return keys + [
          OpenKey(
            column: 2 * spaces, position: position, name: String(name), hasValue: hasValue, lacksColon: colon == nil)
        ]
      }
      keys.append(OpenKey(column: 2 * spaces + 1, position: position, name: "-"))
      rest = rest.dropFirst()
    }
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
    guard let closed else { return open.last.flatMap(key.problem(below:)) }
    guard let outer = open.last else { return key.problem(beside: closed) }
    // The key was probably meant to be in the nearest column. Between two at the same distance, its name decides.
    let distances = (inner: closed.column - key.column, outer: key.column - outer.column)
    let section = Keys.all.first { $0.name == outer.name }?.keys ?? []
    func has(_ keys: [Key]) -> Bool { keys.contains { $0.name == key.name } }
    if outer.column == 0, let problem = key.problem(after: closed, in: outer, section) { return problem }
    let isOutermost = outer.column == 0 && has(Keys.all) && !has(section)
    let isBesideOuter = distances.outer < distances.inner || (distances.outer == distances.inner && isOutermost)
    return key.problem(beside: isBesideOuter ? outer : closed)
  }
}
