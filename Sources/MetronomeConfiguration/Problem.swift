/// What is wrong with a configuration, before it is known which file it came from.
struct Problem: Error {
  /// nil where it is the file as a whole.
  var position: Position?
  var what: String
  var remedy: String

  init(_ what: String, remedy: String, at position: Position?) {
    self.what = what
    self.remedy = remedy
    self.position = position
  }
}

/// A piece of the file as it is shown in a message: in quotes, on one line, and not too long.
func quoted(_ text: some StringProtocol) -> String {
  let limit = 40
  let scalars = text.unicodeScalars
  let shown = scalars.prefix(limit).map(shownInMessage).joined()
  return scalars.dropFirst(limit).isEmpty ? "\"\(shown)\"" : "\"\(shown)…\""
}

/// A character as it is shown in a message: itself, or its number where it would not be seen or would break the line.
func shownInMessage(_ scalar: Unicode.Scalar) -> String {
  switch scalar.properties.generalCategory {
  case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
    codePoint(scalar)
  default: String(Character(scalar))
  }
}

/// A character's number as Unicode writes it, `U+0007`.
func codePoint(_ scalar: Unicode.Scalar) -> String {
  let digits = String(scalar.value, radix: 16, uppercase: true)
  return "U+" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
}

/// Words in a row as a sentence has them: `a, b or c`.
func enumeration(_ words: [String], last: String = "or") -> String {
  guard words.count > 1 else { return words.first ?? "" }
  return words.dropLast().joined(separator: ", ") + " \(last) " + words[words.count - 1]
}
