import MetronomeCore
import Yams

/// A key of the file with its value, before anything is known about the value.
struct Field<Key> {
  var key: Key
  /// With its sections, as `outputs.light.line`.
  var path: String
  var position: Position
  var value: Node

  /// Where the value stands.
  var valuePosition: Position { value.mark.map(Position.init) ?? position }

  /// The value as text.
  ///
  /// - Parameter expected: what would be right, as the end of a sentence that begins with "write".
  func scalar(_ expected: String) throws(Problem) -> Scalar {
    switch value {
    case .scalar(let scalar):
      let isPlain = scalar.style == .plain
      if isPlain, ["", "~", "null", "Null", "NULL"].contains(scalar.string) {
        throw Problem("\(path) has no value", remedy: "write \(expected), or leave the line out", at: position)
      }
      return Scalar(text: scalar.string, isPlain: isPlain)
    case .mapping: throw Problem("\(path) cannot be a section", remedy: "write \(expected)", at: valuePosition)
    case .sequence, .alias: throw Problem("\(path) cannot be a list", remedy: "write \(expected)", at: valuePosition)
    }
  }

  /// What to throw for a value that is not what was expected.
  func refusal(of scalar: Scalar, _ expected: String) -> Problem {
    Problem("\(path) cannot be \(quoted(scalar.text))", remedy: "write \(expected)", at: valuePosition)
  }
}

/// A value as it was written.
struct Scalar {
  var text: String
  /// Without quotes.
  var isPlain: Bool
}
