import MetronomeCore

/// A problem of a configuration, without the name of its file.
struct Problem: Error {
  /// nil if the problem concerns the whole file.
  var position: Position?
  var what: String
  /// Empty if `what` already says how.
  var remedy: String
  /// Whether the file cannot be read at all.
  var isUnreadable = false
  /// The later problems of the same file.
  var further: [Problem] = []

  init(_ what: String, remedy: String, at position: Position?) {
    (self.what, self.remedy, self.position) = (what, remedy, position)
  }

  static func missingColon(in line: String, at position: Position) -> Problem {
    let word = line.prefix { $0 != ":" }
    if word != line, !word.contains(" ") {
      return Problem("a space is missing after the colon", remedy: "write \(quoted("\(word): value"))", at: position)
    }
    let remedy = "write \"key: value\", or begin a note with \"#\""
    return Problem("a \":\" is missing after the key", remedy: remedy, at: position)
  }

  static func openQuote(at position: Position) -> Problem {
    Problem(
      "the quoted text that begins here is not closed on its line", remedy: "close it on the same line", at: position)
  }
}

/// An enumeration in a sentence: `a, b or c`.
func enumeration(_ words: [String], last: String = "or") -> String {
  guard words.count > 1 else { return words.first ?? "" }
  return words.dropLast().joined(separator: ", ") + " \(last) " + words[words.count - 1]
}

/// The problems of a configuration file, for the user. The properties are those of the first problem.
///
/// A syntax error hides all other problems. The rhythm is not checked if another key beside it is wrong, nor an entry of a list as a
/// whole if one of its keys is wrong. Two checks are made only if there is no other problem: for gestures that exclude each other, and
/// for a GPIO line that another part uses by default.
public struct ConfigurationError: Error, Hashable, Sendable {
  public var file: String
  /// Counted from 1; nil if the problem concerns the whole file.
  public var line: Int?
  /// Counted from 1, one for each Unicode scalar; nil if the problem concerns the whole file.
  public var column: Int?
  public var problem: String
  /// How to fix the problem; empty if ``problem`` already says how.
  public var remedy: String
  /// Whether the file itself does not exist.
  public internal(set) var isMissing = false
  /// Whether the file exists but cannot be read, such as a directory.
  public let isUnreadable: Bool
  /// The other problems, in the order of the file, at most 19.
  public let further: [ConfigurationError]

  init(file: String, _ problem: Problem) {
    self.file = file
    line = problem.position?.line
    column = problem.position?.column
    self.problem = problem.what
    remedy = problem.remedy
    isUnreadable = problem.isUnreadable
    further = problem.further.map { ConfigurationError(file: file, $0) }
  }
}

extension ConfigurationError: CustomStringConvertible {
  /// A line for each problem: `FILE:LINE:COLUMN: problem; remedy`.
  public var description: String {
    ([self] + further).map { $0.remedy.isEmpty ? $0.fault : "\($0.fault); \($0.remedy)" }.joined(separator: "\n")
  }

  /// The first problem: `FILE:LINE:COLUMN: problem`.
  public var fault: String {
    let name = shownName(file)
    guard let line, let column else { return "\(name): \(problem)" }
    return "\(name):\(line):\(column): \(problem)"
  }
}
