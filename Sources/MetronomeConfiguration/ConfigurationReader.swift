import HardwareAbstraction
import MetronomeCore

/// Takes the keys of a document, one after the other as they stand in the file, into a configuration.
struct ConfigurationReader {
  var configuration = Configuration.standard
  /// Where the value of each key stands.
  var positions: [String: Position] = [:]
  /// What the file says of gestures. Bound last, because what a button is no longer for may stand below what it is for.
  var gestures: [Gesture: Bound] = [:]

  /// Reads the whole document.
  ///
  /// - Parameter folder: where the files that it names are looked for.
  static func read(_ text: CheckedText, folder: String) throws(Problem) -> Configuration {
    var reader = ConfigurationReader()
    guard let root = try YAMLReader.root(of: text) else { return .standard }
    switch root.content {
    case .scalar(let scalar) where scalar.text.isEmpty && scalar.isPlain: return .standard
    case .section: try reader.read(Field(key: "", path: "", position: root.position, value: root), Key.all)
    case .scalar(let scalar):
      throw Problem(
        "the file holds \(quoted(scalar.text)), and no keys", remedy: "write \"key: value\", a line each",
        at: root.position)
    case .list:
      throw Problem(
        "the file holds a list, and no keys", remedy: "write \"key: value\", a line each, without dashes or brackets",
        at: root.position)
    }
    try reader.checkLines()
    try reader.bindGestures()
    for level in Level.allCases { reader.configuration.clickFiles[level]?.folder = folder }
    return reader.configuration
  }

  /// Reads a section with these keys.
  mutating func read(_ section: Field, _ keys: [Key]) throws(Problem) {
    let fields = try section.fields(keys.map(\.name))
    for isFirst in [true, false] {
      for field in fields {
        for key in keys where key.name == field.key && key.isReadFirst == isFirst { try key.read(field, &self) }
      }
    }
  }

  private func checkLines() throws(Problem) {
    var clash = LineClash()
    for output in Output.lines {
      clash.add("outputs.\(output.rawValue)", configuration.wiring.outputs[output]?.line, positions)
    }
    for button in Button.allCases {
      clash.add("buttons.\(button.rawValue)", configuration.wiring.buttons[button]?.line, positions)
    }
    try clash.check()
  }
}

/// Who uses which line, to notice a line that is used twice.
private struct LineClash {
  /// An output or a button.
  struct User {
    /// Its section, as `outputs.light`.
    var path: String
    var line: LineID
    /// Where the file says so; nil where it is the default.
    var position: Position?
  }

  private var users: [User] = []

  mutating func add(_ path: String, _ line: LineID?, _ positions: [String: Position]) {
    if let line { users.append(User(path: path, line: line, position: positions["\(path).line"])) }
  }

  /// Refuses the first line in the file that another user has already: one further up, or one that the file leaves where
  /// it is by default.
  func check() throws(Problem) {
    let defaults = users.filter { $0.position == nil }
    var earlier: [User] = []
    let written = users.compactMap { user in user.position.map { (user, $0) } }
    for (user, position) in written.sorted(by: { $0.1 < $1.1 }) {
      if let other = (earlier + defaults).first(where: { LineClash.isSame($0.line, user.line) }) {
        throw LineClash.problem(user, at: position, with: other)
      }
      earlier.append(user)
    }
  }

  private static func problem(_ user: User, at position: Position, with other: User) -> Problem {
    guard let place = other.position else {
      return Problem(
        "\(user.line) already belongs to \(other.path), by default",
        remedy: "choose another, or give \(other.path) another line or \"line: none\"", at: position)
    }
    return Problem(
      "\(user.line) already belongs to \(other.path), on line \(place.line) of the file",
      remedy: "choose another, or \"line: none\" for one of the two", at: position)
  }

  /// Whether two lines are one. On a Raspberry Pi `GPIO17` has the offset 17.
  private static func isSame(_ a: LineID, _ b: LineID) -> Bool {
    a == b || (a.bcm != nil && a.bcm == b.bcm)
  }
}
