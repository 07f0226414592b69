import MetronomeCore

/// A key of the file with its value, before anything is known about the value.
struct Field {
  var key: String
  /// With its sections, as `outputs.light.line`; empty for the file itself.
  var path: String
  var position: Position
  var value: Node

  /// Where the value stands.
  var valuePosition: Position { value.position }

  /// The value as text.
  ///
  /// - Parameter expected: what would be right, as the end of a sentence that begins with "write".
  func scalar(_ expected: String) throws(Problem) -> Scalar {
    switch value.content {
    case .scalar(let scalar):
      if scalar.isPlain, ["", "~", "null", "Null", "NULL"].contains(scalar.text) {
        throw Problem("\(path) has no value", remedy: "write \(expected), or leave the line out", at: position)
      }
      return scalar
    case .section: throw Problem("\(path) cannot be a section", remedy: "write \(expected)", at: valuePosition)
    case .list: throw Problem("\(path) cannot be a list", remedy: "write \(expected)", at: valuePosition)
    }
  }

  /// The value, in this form.
  func read<Value>(_ form: Form<Value>, in configuration: Configuration = .standard) throws(Problem) -> Value {
    let scalar = try scalar(form.words)
    do throws(WrongValue) {
      if let value = try form.read(scalar, configuration) { return value }
    } catch {
      throw Problem("\(path) cannot be \(quoted(scalar.text))\(error.reason)", remedy: error.remedy, at: valuePosition)
    }
    throw refusal(of: scalar, form.words)
  }

  /// What to throw for a value that is not what was expected.
  private func refusal(of scalar: Scalar, _ expected: String) -> Problem {
    Problem("\(path) cannot be \(quoted(scalar.text))", remedy: "write \(expected)", at: valuePosition)
  }
}

extension Field {
  /// What is expected of a section with these keys.
  static func sectionForm(_ names: [String]) -> String { "its keys below it, indented: \(enumeration(names))" }

  /// The fields of the section that this one is, in the file's order, all of them of these names.
  func fields(_ names: [String]) throws(Problem) -> [Field] {
    let fields = try entries(Field.sectionForm(names), remedy: Field.keys(names))
    if let unknown = fields.first(where: { !names.contains($0.key) }) { throw unknown.unknownKey(in: path, names) }
    return fields
  }

  /// The same where the names are not known beforehand.
  ///
  /// - Parameters:
  ///   - expected: what would be right, as the end of a sentence that begins with "write".
  ///   - remedy: what would be right in place of a key that is no text.
  func entries(_ expected: String, remedy: String? = nil) throws(Problem) -> [Field] {
    guard case .section(let entries) = value.content else { throw refusal(of: try scalar(expected), expected) }
    var fields: [Field] = []
    for (name, value) in entries {
      guard case .scalar(let scalar) = name.content else {
        throw Problem("a key cannot be a list or a section", remedy: remedy ?? "write \(expected)", at: name.position)
      }
      let path = path.isEmpty ? scalar.text : "\(path).\(scalar.text)"
      fields.append(Field(key: scalar.text, path: path, position: name.position, value: value))
    }
    return fields
  }

  /// The fields of a list, each with this one's key and path.
  func list(_ expected: String) throws(Problem) -> [Field] {
    switch value.content {
    case .list(let items): return items.map { Field(key: key, path: path, position: $0.position, value: $0) }
    case .section: throw Problem("\(path) must be a list", remedy: "write \(expected)", at: valuePosition)
    case .scalar: throw refusal(of: try scalar(expected), expected)
    }
  }

  private static func keys(_ known: [String]) -> String { "the keys are \(enumeration(known, last: "and"))" }

  private func unknownKey(in path: String, _ known: [String]) -> Problem {
    let what = "unknown key \(quoted(key))" + (path.isEmpty ? "" : " in \(path)")
    if let nearest = nearestKey(to: key, among: known) {
      return Problem(what, remedy: "did you mean \(quoted(nearest))?", at: position)
    }
    let all = Key.all
    if path.isEmpty, let section = all.first(where: { $0.keys.contains { $0.name == key } }) {
      return Problem(what, remedy: "it belongs under \(quoted(section.name)), indented", at: position)
    }
    // A button may be called as a section is.
    if let buttons = all.first(where: { $0.layout == .alike && $0.keys.contains { $0.name == path } }),
      buttons.keys[0].keys.contains(where: { $0.name == key })
    {
      return Problem(what, remedy: "it belongs under \(quoted(path)) in \(quoted(buttons.name))", at: position)
    }
    if let word = key.split(separator: ":").first, known.contains(String(word)), word.count < key.count {
      return Problem(what, remedy: "put a space after the colon", at: position)
    }
    return Problem(what, remedy: Field.keys(known), at: position)
  }
}
