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

/// Words in a row as a sentence has them: `a, b or c`.
func enumeration(_ words: [String], last: String = "or") -> String {
  guard words.count > 1 else { return words.first ?? "" }
  return words.dropLast().joined(separator: ", ") + " \(last) " + words[words.count - 1]
}
