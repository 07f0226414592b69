import HardwareAbstraction
import MetronomeCore

/// What a file can add under a name of its own: a section with a line.
enum NamedPart: String, CaseIterable, Sendable {
  case output, button

  init?(section: String) {
    guard let part = NamedPart.allCases.first(where: { $0.section == section }) else { return nil }
    self = part
  }

  /// The section of the file, such as `outputs`.
  var section: String { rawValue + "s" }

  /// The names of all such parts, in the order of their places.
  func list(in names: BoxNames) -> [String] {
    switch self {
    case .output: names.outputNames
    case .button: names.buttonNames
    }
  }

  func add(_ name: String, to names: inout BoxNames) {
    switch self {
    case .output: names.append(output: name)
    case .button: names.append(button: name)
    }
  }

  fileprivate var article: String { self == .output ? "an" : "a" }

  fileprivate var full: String {
    switch self {
    case .output: "remove one: there is room for sixteen, with light, pendulum and buzzer"
    case .button: "remove one: there is room for sixteen, with the twelve that have default commands"
    }
  }

  fileprivate var lineRemedy: String {
    let line = "add the key line, such as \"line: GPIO12\""
    return self == .output ? line : line + ", or \"line: none\" for a button of an input device"
  }
}

extension ConfigurationReader {
  /// Gives places to the outputs or buttons that the file adds, in its order.
  mutating func add(_ part: NamedPart, in section: Field) {
    guard case .section(let entries) = section.value.content else { return }
    for case (let name, let value) in entries {
      guard case .scalar(let scalar) = name.content else { continue }
      let path = Field.shown(scalar.text)
      let field = Field(key: scalar.text, path: path, position: name.position, value: value)
      let names = configuration.wiring.names
      guard !part.list(in: names).contains(field.key), field.hasLine else { continue }
      if field.nameProblem(of: part, names) == nil { part.add(field.key, to: &configuration.wiring.names) }
    }
  }
}

extension Field {
  /// Names that would be taken for something else, besides those of outputs and buttons.
  private static let taken: Set<String> = {
    let sections = ["audio", "chords", "display", "midi", "none", "null", "rgb"]
    let colors = LightColor.allCases.map(\.rawValue)
    let named = Keys.all.filter { $0.layout == .alike }.flatMap { $0.keys[0].keys.map(\.name) }
    return Set(sections).union(colors).union(booleanWords).union(named)
  }()

  /// Whether this is a section with a line.
  fileprivate var hasLine: Bool {
    guard case .section(let entries) = value.content else { return false }
    return entries.contains { if case .scalar(let scalar) = $0.0.content { scalar.text == "line" } else { false } }
  }

  /// Why no part of this kind can be added with this name.
  fileprivate func nameProblem(of part: NamedPart, _ names: BoxNames) -> Problem? {
    let isWord =
      key.utf8.allSatisfy("abcdefghijklmnopqrstuvwxyz0123456789_".utf8.contains) && key.first?.isLetter == true
    guard isWord, key.utf8.count <= 31 else {
      return Problem(
        "\(path): this is not a name of \(part.article) \(part.rawValue)",
        remedy: "write at most 31 small letters, digits and \"_\", with a letter first", at: position)
    }
    let isUsed = names.outputNames.contains(key) || names.buttonNames.contains(key)
    guard isUsed || Field.taken.contains(key) else { return nil }
    return Problem(
      "\(path): this name has another meaning", remedy: "write another name, such as \(quoted(key + "_2"))",
      at: position)
  }

  /// Why a section of `outputs` or `buttons` adds nothing; nil if it is probably another mistake.
  func problem(of part: NamedPart, beside known: [String], _ names: BoxNames) -> Problem? {
    if case .scalar(let line) = value.content, line.text.hasPrefix("GPIO") || Int(line.text) != nil,
      nameProblem(of: part, names) == nil, nearestKey(to: key, among: known) == nil
    {
      return Problem(
        "\(path): \(part.article) \(part.rawValue) has keys", remedy: "write \(key): {line: \(line.text)}", at: position
      )
    }
    guard case .section = value.content,
      !Keys.all.contains(where: { $0.keys.first?.keys.contains { $0.name == key } == true })
    else { return nil }
    if hasLine, let problem = nameProblem(of: part, names) { return problem }
    if hasLine { return Problem("\(path) is the 17th \(part.rawValue)", remedy: part.full, at: position) }
    if nearestKey(to: key, among: known) != nil || Keys.all.contains(where: { $0.name == key }) { return nil }
    return Problem("\(path) has no line", remedy: part.lineRemedy, at: position)
  }
}
