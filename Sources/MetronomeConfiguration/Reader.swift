import HardwareAbstraction
import MetronomeCore

/// Reads the keys of a document, in the file's order, into a configuration.
struct ConfigurationReader {
  var configuration = Configuration.standard
  /// The position of the value of each key.
  var positions: [String: Position] = [:]
  /// The gestures in the file. They are bound after all keys are read, because the order of the keys must not matter.
  var gestures: [Gesture: Bound] = [:]
  /// The problems of the keys read so far.
  private var problems: [Problem] = []
  /// The maximum number of problems that are reported.
  private static let maxProblems = 20

  /// Reads the whole document. Relative paths in it are relative to `folder`.
  static func read(_ text: CheckedText, folder: String) throws(Problem) -> Configuration {
    var reader = ConfigurationReader()
    guard let root = try YAMLReader.root(of: text) else { return .standard }
    switch root.content {
    case .scalar(let scalar) where scalar.text.isEmpty && scalar.isPlain: return .standard
    case .section: _ = try reader.read(Field(key: "", path: "", position: root.position, value: root), Keys.all)
    case .scalar(let scalar):
      throw text.lookAlike(onLine: root.position.line)
        ?? Problem(
          "the file contains \(quoted(scalar.text)) instead of keys",
          remedy: "write one \"key: value\" per line, with a space after the colon, or begin a note with \"#\"",
          at: root.position)
    case .list:
      throw Problem(
        "the file contains a list instead of keys",
        remedy: "write one \"key: value\" per line, without dashes or brackets",
        at: root.position)
    }
    reader.checkLines()
    try reader.throwProblems()
    try reader.bindGestures()
    for level in Level.allCases { reader.configuration.clickFiles[level]?.folder = folder }
    for place in reader.configuration.numberFiles?.keys.map(\.self) ?? [] {
      reader.configuration.numberFiles?[place]?.file.folder = folder
    }
    reader.configuration.scoreFile?.folder = folder
    return reader.configuration
  }

  /// Reads the keys of a section, and collects their problems. Returns true if there are none.
  mutating func read(_ section: Field, _ keys: [Key]) throws(Problem) -> Bool {
    let names = keys.map(\.name)
    let all = try section.entries(Field.sectionForm(names), remedy: Field.keys(names))
    let known = Set(names)
    let fields = all.filter { known.contains($0.key) }
    let earlier = problems.count
    // Limited, because finding the nearest key takes time.
    let unknown = all.filter { !known.contains($0.key) }.prefix(ConfigurationReader.maxProblems)
    problems += unknown.map { $0.unknownKey(in: section.path, names, configuration.wiring.names) }
    var directKeysAreValid = unknown.isEmpty
    for turn in Key.Turn.allCases {
      for field in fields {
        for key in keys where key.name == field.key && key.turn == turn {
          // A value that is read last depends on the others, so its problem could be a consequence of theirs.
          if turn == .last, key.access != nil, !directKeysAreValid { continue }
          do throws(Problem) { try key.read(field, into: &self) } catch {
            problems.append(error)
            directKeysAreValid = false
          }
        }
      }
    }
    return problems.count == earlier
  }

  /// Reads a section whose keys are not in ``Keys``, and collects the problems of its fields. Returns true if there are none.
  @discardableResult
  mutating func readFields(
    of section: Field, _ names: [String], _ read: (Field, inout ConfigurationReader) throws(Problem) -> Void
  ) throws(Problem) -> Bool {
    let fields = try section.entries(Field.sectionForm(names), remedy: Field.keys(names))
    return readEach(fields) { (field, reader) throws(Problem) in
      guard names.contains(field.key) else {
        throw field.unknownKey(in: section.path, names, reader.configuration.wiring.names)
      }
      try read(field, &reader)
    }
  }

  /// Calls `read` for each field, and collects the problems. Returns true if there are none. Stops when there are as many as are
  /// reported, because some take time.
  @discardableResult
  mutating func readEach(
    _ fields: [Field], _ read: (Field, inout ConfigurationReader) throws(Problem) -> Void
  ) -> Bool {
    let earlier = problems.count
    for field in fields where problems.count - earlier < ConfigurationReader.maxProblems {
      do throws(Problem) { try read(field, &self) } catch { problems.append(error) }
    }
    return problems.count == earlier
  }

  /// Throws the problems that were collected, in the order of the file.
  private func throwProblems() throws(Problem) {
    let sorted = problems.sorted { ($0.position ?? Position()) < ($1.position ?? Position()) }
    guard var first = sorted.first else { return }
    first.further = Array(sorted.dropFirst().prefix(ConfigurationReader.maxProblems - 1))
    throw first
  }

  /// Collects the GPIO lines that another part already uses, earlier in the file or by default. With other problems, the default lines
  /// are not compared: an invalid key may be meant to change them.
  private mutating func checkLines() {
    let wiring = configuration.wiring
    let lines =
      LineSet.all.map { line in
        let isColorOfLight = line.output == .light && line.part != .main
        let path = isColorOfLight ? "rgb.\(line.part)" : "outputs.\(wiring.names[line.output])"
        let place = Key.position(of: line, at: path + ".line")
        return (path, isColorOfLight ? "" : ".line", wiring.outputs[line]?.line, place)
      }
      + wiring.names.buttons.map { button in
        let path = "buttons.\(wiring.names[button])"
        return (path, ".line", wiring.buttons[button]?.line, path + ".line")
      }
      + [("clock", wiring.display.clock), ("data", wiring.display.data)].map { name, line in
        ("display.\(name)", "", line, "display.\(name)")
      }
    let users = lines.compactMap { path, key, line, place in
      line.map { LineUser(path: path, key: path + key, line: $0, position: positions[place]) }
    }
    var earlier: [LineUser] = []
    let byDefault = problems.isEmpty ? users.filter { $0.position == nil } : []
    let written = users.compactMap { user in user.position.map { (user, $0) } }
    for (user, position) in written.sorted(by: { $0.1 < $1.1 }) {
      if wiring.chip == .auto, case .offset(let offset) = user.line, HeaderPin(bcm: offset) == nil {
        problems.append(user.problem(withOffset: offset, at: position))
      }
      if let other = (earlier + byDefault).first(where: user.clashes) {
        problems.append(user.problem(with: other, at: position))
      }
      earlier.append(user)
    }
  }
}

/// An output or a button with its line.
private struct LineUser {
  /// Its section, such as `outputs.light`.
  var path: String
  /// The key of the line, such as `outputs.light.line`.
  var key: String
  var line: LineID
  /// The position of the line in the file; nil if the line is the default.
  var position: Position?

  /// A number that is not a GPIO of the header, probably the number of a pin.
  func problem(withOffset offset: Int, at position: Position) -> Problem {
    let pin = HeaderPin.all.first { $0.number == offset }
    let meant = if case .gpio(let bcm)? = pin?.kind { "GPIO\(bcm), which is pin \(offset)" } else { "GPIO0 to GPIO27" }
    return Problem(
      "\(key): \(offset) means GPIO\(offset), which is not on the header",
      remedy: "write \(meant), or set chip to the label of the chip that has this line", at: position)
  }

  /// Whether both use the same line. On a Raspberry Pi `GPIO17` has the offset 17.
  func clashes(with other: LineUser) -> Bool { line == other.line || (line.bcm != nil && line.bcm == other.line.bcm) }

  func problem(with other: LineUser, at position: Position) -> Problem {
    guard let place = other.position else {
      return Problem(
        "\(line) is already used by \(other.path) by default",
        remedy: "use another GPIO line, or set \(other.key) to another line or none", at: position)
    }
    return Problem(
      "\(line) is already used by \(other.path) on line \(place.line) of the file",
      remedy: "use another GPIO line, or set \(key) or \(other.key) to none", at: position)
  }
}

/// A key of the file with its unchecked value.
struct Field {
  var key: String
  /// The key with its sections, such as `outputs.light.line`; empty for the file itself.
  var path: String
  var position: Position
  var value: Node

  /// The value as text. The remedy in an error begins with "write", followed by `expected`.
  func scalar(_ expected: String) throws(Problem) -> Scalar {
    switch value.content {
    case .scalar(let scalar):
      if scalar.isPlain, ["", "~", "null", "Null", "NULL"].contains(scalar.text) {
        throw Problem("\(path) has no value", remedy: "write \(expected), or remove the line", at: position)
      }
      return scalar
    case .section: throw Problem("\(path) cannot be a section", remedy: "write \(expected)", at: value.position)
    case .list: throw Problem("\(path) cannot be a list", remedy: "write \(expected)", at: value.position)
    }
  }

  func read<Value>(_ form: Form<Value>, in configuration: Configuration = .standard) throws(Problem) -> Value {
    let scalar = try scalar(form.words)
    do throws(WrongValue) {
      if let value = try form.read(scalar, configuration) { return value }
    } catch {
      var position = value.position
      // The first character is a quotation mark, unless the value is plain.
      if let column = error.column { position.column += column - (scalar.isPlain ? 1 : 0) }
      throw Problem(
        "\(path): invalid value \(quoted(scalar.text))\(error.reason)", remedy: error.remedy, at: position)
    }
    throw refusal(of: scalar, form.words)
  }

  private func refusal(of scalar: Scalar, _ expected: String) -> Problem {
    Problem("\(path): invalid value \(quoted(scalar.text))", remedy: "write \(expected)", at: value.position)
  }
}

extension Field {
  static func sectionForm(_ names: [String]) -> String { "its keys on indented lines below it: \(enumeration(names))" }

  /// The fields of a section whose keys may have any names. `remedy` is for a key that is a list or a section.
  func entries(_ expected: String, remedy: String? = nil) throws(Problem) -> [Field] {
    guard case .section(let entries) = value.content else { throw refusal(of: try scalar(expected), expected) }
    var fields: [Field] = []
    for (name, value) in entries {
      guard case .scalar(let scalar) = name.content else {
        throw Problem("a key cannot be a list or a section", remedy: remedy ?? "write \(expected)", at: name.position)
      }
      let path = (path.isEmpty ? "" : path + ".") + Field.shown(scalar.text)
      fields.append(Field(key: scalar.text, path: path, position: name.position, value: value))
    }
    return fields
  }

  /// The items of a list, each with the key and the path of the list.
  func list(_ expected: String) throws(Problem) -> [Field] {
    switch value.content {
    case .list(let items): return items.map { Field(key: key, path: path, position: $0.position, value: $0) }
    case .section: throw Problem("\(path) must be a list", remedy: "write \(expected)", at: value.position)
    case .scalar: throw refusal(of: try scalar(expected), expected)
    }
  }

  /// A key in a path: on one line, and cut if it is long. Known keys are unchanged.
  static func shown(_ key: String) -> String { String(quoted(key).dropFirst().dropLast()) }

  static func keys(_ known: [String]) -> String { "the keys are \(enumeration(known, last: "and"))" }
}
