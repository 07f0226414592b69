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
