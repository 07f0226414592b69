import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

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

/// A place in a file, as editors count: lines and columns from 1, a column for each Unicode scalar.
struct Position: Hashable, Comparable, Sendable {
  var line = 1
  var column = 1

  /// Goes past a character. Lines end with a line feed alone: ``CheckedText`` knows no other end.
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

/// What is wrong with a configuration file, for the person who wrote it. Only the first problem is told.
public struct ConfigurationError: Error, Hashable, Sendable {
  public var file: String
  /// Counted from 1; nil where it is the file as a whole.
  public var line: Int?
  /// Counted from 1, one for each Unicode scalar; nil where it is the file as a whole.
  public var column: Int?
  /// What is wrong.
  public var problem: String
  /// What would be right.
  public var remedy: String

  init(file: String, _ problem: Problem) {
    self.file = file
    line = problem.position?.line
    column = problem.position?.column
    self.problem = problem.what
    remedy = problem.remedy
  }
}

extension ConfigurationError: CustomStringConvertible {
  /// One line: `FILE:LINE:COLUMN: what is wrong; what would be right`.
  public var description: String { "\(fault); \(remedy)" }

  /// What is wrong, and where: `FILE:LINE:COLUMN: what is wrong`.
  public var fault: String {
    let name = shownName(file)
    guard let line, let column else { return "\(name): \(problem)" }
    return "\(name):\(line):\(column): \(problem)"
  }
}

/// The known word that an unknown one was probably meant to be, or nil if none is near.
///
/// Near means: made from it by one slip for three letters or fewer, two for up to six, three beyond. A slip is a letter
/// too many, too few, wrong, or swapped with its neighbour. Capitals count as their small letters.
func nearestKey(to word: String, among known: [String]) -> String? {
  let letters = Array(word.lowercased().unicodeScalars)
  guard letters.count <= 40 else { return nil }
  var best: (key: String, slips: Int)?
  for key in known {
    let slips = slips(from: letters, to: Array(key.lowercased().unicodeScalars))
    let allowed = key.utf8.count <= 3 ? 1 : key.utf8.count <= 6 ? 2 : 3
    if slips <= allowed, slips < best?.slips ?? .max { best = (key, slips) }
  }
  return best?.key
}

/// The optimal string alignment distance.
private func slips(from a: [Unicode.Scalar], to b: [Unicode.Scalar]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...b.count)
  for i in a.indices {
    var row = [i + 1]
    for j in b.indices {
      var cost = min(last[j] + (a[i] == b[j] ? 0 : 1), min(last[j + 1], row[j]) + 1)
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforeLast[j - 1] + 1) }
      row.append(cost)
    }
    beforeLast = last
    last = row
  }
  return last[b.count]
}

/// A configuration as it was read, with the sounds that it names.
package struct Reading {
  package var configuration: Configuration
  package var sounds: ClickSounds

  /// So many keys are named in a line.
  private static let mostNamed = 6

  package init(_ configuration: Configuration) throws(ConfigurationError) {
    self.configuration = configuration
    sounds = try configuration.readSounds()
  }

  package init(_ configuration: Configuration, _ sounds: ClickSounds) {
    self.configuration = configuration
    self.sounds = sounds
  }

  /// What the engine plays.
  package var options: EngineOptions { configuration.engineOptions(sounds) }

  /// What of a board is another than with a former configuration.
  package func boardChanges(from old: Reading) -> BoardChanges {
    BoardChanges(
      from: old.configuration.wiring, old.configuration.audio, to: configuration.wiring, configuration.audio)
  }

  /// What has changed since a former one, in a line for the log.
  package func news(since old: Reading) -> String {
    var keys = configuration.changes(from: old.configuration)
    let isResounding = sounds.clicks != old.sounds.clicks
    if isResounding, !keys.contains("audio.sounds") { keys.append("audio.sounds") }
    let later: Set<String> = ["autoplay", "restore"]
    let named = keys.prefix(Reading.mostNamed).map { later.contains($0) ? "\($0) (from the next start on)" : $0 }
    let rest = keys.count - named.count
    let text = named.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    return "configuration read again: \(keys.isEmpty ? "nothing changed" : text)"
  }

  /// That another one is not taken, in a line for the log.
  package static func refusal(_ reason: String) -> String { "the old configuration stays in force: \(reason)" }
}
