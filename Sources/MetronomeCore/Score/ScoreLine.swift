/// A line of a score: its words, without its comment. A text in quotation marks is one word.
struct ScoreLine {
  struct Word {
    /// Counted from 1 in Unicode scalars.
    var column: Int
    var text: Substring

    /// The parts before and after the first `=`; the value is empty without one.
    var option: (key: Substring, value: Substring) {
      guard let equals = text.firstIndex(of: "=") else { return (text, "") }
      return (text[..<equals], text[text.index(after: equals)...])
    }

    /// Digits, `+` and at least one `/`.
    var isSignature: Bool {
      text.has("/")
        && text.utf8.allSatisfy { (48...57).contains($0) || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/") }
    }

    func suffix(from index: Substring.Index) -> Word {
      Word(column: column + text[..<index].unicodeScalars.count, text: text[index...])
    }
  }

  /// Counted from 1.
  let number: Int
  /// With the comment.
  let text: Substring
  private(set) var words: ArraySlice<Word>

  init(_ text: Substring, _ number: Int) {
    (self.text, self.number) = (text, number)
    words = ScoreLine.words(of: text)[...]
  }

  private static func words(of text: Substring) -> [Word] {
    let bytes = text.utf8
    var words: [Word] = []
    var (column, index, start) = (0, bytes.startIndex, bytes.startIndex)
    var begun: Int?
    var isQuoted = false
    while index < bytes.endIndex {
      let byte = bytes[index]
      // The first byte of a scalar.
      if byte & 0xC0 != 0x80 { column += 1 }
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if byte == UInt8(ascii: "#"), !isQuoted { break }
      if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t"), !isQuoted {
        if let begun { words.append(Word(column: begun, text: text[start..<index])) }
        begun = nil
      } else if begun == nil {
        (begun, start) = (column, index)
      }
      bytes.formIndex(after: &index)
    }
    if let begun { words.append(Word(column: begun, text: text[start..<index])) }
    return words
  }

  /// Removes and returns the first word; nil if there is none.
  mutating func next() -> Word? { words.popFirst() }

  /// Removes the first character of the first word; nothing if there is no word.
  mutating func dropCharacter() {
    guard let first = words.popFirst() else { return }
    let rest = first.suffix(from: first.text.index(after: first.text.startIndex))
    if !rest.text.isEmpty { words = [rest] + words }
  }

  /// Removes and returns the label before a colon; nil if there is none. There may be blanks before the colon and after it.
  mutating func nextLabel() -> String? {
    guard let first = words.first else { return nil }
    let end = first.text.unicodeScalars.firstIndex { !$0.isInLabels }
    let label = first.text[..<(end ?? first.text.endIndex)]
    var line = self
    // The colon is in the label's word or at the beginning of the next one.
    _ = line.next()
    if end != nil { line.words = [first.suffix(from: label.endIndex)] + line.words }
    guard !label.isEmpty, line.words.first?.text.first == ":" else { return nil }
    line.dropCharacter()
    self = line
    return String(label)
  }

  /// The words at their columns, with blanks between them.
  static func text(of words: [Word]) -> String {
    var text = ""
    var column = 1
    for word in words {
      text += String(repeating: " ", count: word.column - column) + word.text
      column = word.column + word.text.unicodeScalars.count
    }
    return text
  }

  /// A whole number. `form` is the error's text.
  func whole(
    _ word: Word, _ text: Substring, _ range: ClosedRange<Int64>, _ form: String
  ) throws(NotationError) -> Int64 {
    guard let number = Int64(digits: text, atMost: 18), range.contains(number) else { throw error(word, form) }
    return number
  }

  func error(_ word: Word, _ text: String) -> NotationError {
    NotationError(line: number, column: word.column, text: text)
  }
}

extension Unicode.Scalar {
  /// Whether a label may have it: a letter of any script or a mark on one, a digit, `-` or `_`.
  var isInLabels: Bool {
    if isASCII { return "0"..."9" ~= self || "A"..."Z" ~= self || "a"..."z" ~= self || self == "-" || self == "_" }
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
      .spacingMark:
      return !properties.isDefaultIgnorableCodePoint
    default: return false
    }
  }
}
