import MetronomeCore

/// A key of the file, described once: reading, writing, comparing on reload, the comments that `metronome config` prints, the
/// manual page, and the table of keys all follow from it.
struct Key: Sendable {
  /// The layout of the keys of a section.
  enum Layout {
    /// In brackets on one line.
    case line
    /// One key per line, with its explanation above it.
    case block
    /// Sections with the same keys. The keys are explained once, above the first section.
    case alike
  }

  /// When a key is read: before the other keys of its section, with them, or after them. The form of a value may depend on the
  /// keys that are read before.
  enum Turn: CaseIterable {
    case first, normal, last
  }

  /// Functions that read, write and compare the value of a key.
  struct Access: Sendable {
    let read: @Sendable (Field, inout ConfigurationReader) throws(Problem) -> Void
    /// The value as written in the file; nil if the key is not written.
    let text: @Sendable (Configuration) -> String?
    let isSame: @Sendable (Configuration, Configuration) -> Bool
  }

  /// The key with its section, such as `audio.rate`.
  let path: String
  /// The description: the beginning of a sentence without its capital letter; for a section whole sentences, or empty.
  var meaning: String
  /// The allowed values, as the end of a sentence that begins with "write"; empty for a section.
  var form = ""
  var layout = Layout.line
  /// The keys of a section; for ``part`` those of the standard configuration.
  var keys: [Key] = []
  /// What a file can add to a section; nil: the section always has the same keys.
  var part: NamedPart?
  var turn = Turn.normal
  /// nil for a section.
  var access: Access?
  /// Checks a section after all its keys are read without a problem.
  var check: @Sendable (Field, Configuration) throws(Problem) -> Void = { (_, _) throws(Problem) in }

  fileprivate func keys(in configuration: Configuration) -> [Key] { part?.keys(in: configuration) ?? keys }

  var name: String { path.split(separator: ".").last.map(String.init) ?? path }
}

extension Key {
  init<Value: Equatable>(
    _ path: String, get: @escaping @Sendable (Configuration) -> Value,
    set: @escaping @Sendable (inout Configuration, Value) -> Void, _ form: Form<Value>, turn: Turn = .normal,
    _ meaning: String
  ) {
    self.init(path: path, meaning: meaning, form: form.words, turn: turn)
    access = Access(
      read: { (field, reader) throws(Problem) in
        set(&reader.configuration, try field.read(form, in: reader.configuration))
        reader.positions[field.path] = field.value.position
      }, text: { form.text(get($0)) }, isSame: { get($0) == get($1) })
  }

  /// A key whose value is a property of some part of the configuration.
  init<Value: Equatable>(
    _ path: String, _ place: WritableKeyPath<Configuration, Value> & Sendable, _ form: Form<Value>, _ meaning: String
  ) {
    self.init(path, get: { $0[keyPath: place] }, set: { $0[keyPath: place] = $1 }, form, meaning)
  }

  /// A key with the command of a gesture.
  ///
  /// - Parameter isAlwaysWritten: whether the key is written even if the gesture has no command, now and by default.
  init(_ name: String, _ gesture: Gesture, isAlwaysWritten: Bool, _ meaning: String) {
    self.init(path: name, meaning: meaning, form: Form<Command?>.command.words)
    access = Access(
      read: { (field, reader) throws(Problem) in
        let command = try field.read(Form<Command?>.command, in: reader.configuration)
        reader.gestures[gesture] = Bound(command: command, position: field.value.position)
      },
      text: { configuration in
        let command = configuration.gestures[gesture]
        let isWritten = isAlwaysWritten || command != nil || GestureTable.standard[gesture] != nil
        return isWritten ? command?.words ?? "none" : nil
      }, isSame: { $0.gestures[gesture] == $1.gestures[gesture] })
  }

  /// A section. ``Keys/all`` adds the keys whose paths begin with its name.
  init(_ path: String, _ layout: Layout, _ keys: [Key] = [], _ meaning: String = "") {
    self.init(path: path, meaning: meaning, layout: layout, keys: keys)
  }

  func read(_ field: Field, into reader: inout ConfigurationReader) throws(Problem) {
    if let access { return try access.read(field, &reader) }
    if let part { reader.add(part, in: field) }
    if try reader.read(field, keys(in: reader.configuration)) { try check(field, reader.configuration) }
  }

  fileprivate func text(_ configuration: Configuration) -> String? {
    if let access { return access.text(configuration) }
    let entries = keys.compactMap { key in key.text(configuration).map { "\(key.name): \($0)" } }
    return "{\(entries.joined(separator: ", "))}"
  }

  fileprivate func isSame(_ new: Configuration, _ old: Configuration) -> Bool {
    access?.isSame(new, old) ?? keys.allSatisfy { $0.isSame(new, old) }
  }
}

extension Configuration {
  /// A file with every key. Reading it gives an equal configuration, except that pulses and latencies are rounded to whole
  /// microseconds, and volume and gain to thousandths.
  public var yaml: String {
    let lines = Keys.all.flatMap { [""] + $0.lines(of: self) }
    return "# Every key is optional; a missing key has its default value.\n" + lines.map { $0 + "\n" }.joined()
  }

  /// The keys whose values differ from another configuration, in the order of the file, listed down to
  /// the direct keys of a section.
  public func changes(from old: Configuration) -> [String] {
    let before = old.arranged(like: wiring.names)
    return Keys.all.flatMap { key -> [String] in
      guard !key.keys.isEmpty else { return key.isSame(self, before) ? [] : [key.name] }
      let names = key.part?.list(in: wiring.names)
      let removed = names.map { names in key.keys(in: old).filter { !names.contains($0.name) } } ?? []
      let changed = key.keys(in: self).filter { !$0.isSame(self, before) }
      return (changed + removed).map { "\(key.name).\($0.name)" }
    }
  }

  /// The table of all keys in Markdown: allowed values, default and meaning.
  public static var keyTable: String {
    let rows = Keys.all.flatMap { $0.rows(in: "") }
    return "| key | value | default | meaning |\n|---|---|---|---|\n" + rows.map { $0 + "\n" }.joined()
  }
}

extension Key {
  private static let width = 120

  fileprivate func lines(of configuration: Configuration, indent: String = "", isExplained: Bool = true) -> [String] {
    var lines = isExplained ? comments.flatMap { wrapped($0, indent: indent + "# ") } : []
    if keys.isEmpty || layout == .line {
      let text = text(configuration)
      lines += text.map { ["\(indent)\(name):\($0.hasPrefix("\n") ? "" : " ")\($0)"] } ?? []
    } else {
      lines.append("\(indent)\(name):")
      for key in keys(in: configuration) {
        lines += key.lines(of: configuration, indent: indent + "  ", isExplained: isExplained && layout == .block)
      }
    }
    return lines
  }

  private var comments: [String] {
    if keys.isEmpty { return ["\(meaning.prefix(1).uppercased())\(meaning.dropFirst()) (\(form))."] }
    let explained =
      switch layout {
      case .line: keys
      case .block: [Key]()
      case .alike: keys[0].keys
      }
    return (meaning.isEmpty ? [] : [meaning]) + explained.map { "\($0.name): \($0.meaning) (\($0.form))." }
  }

  private func wrapped(_ text: String, indent: String) -> [String] {
    var lines = [indent]
    for word in text.split(separator: " ") {
      let isFirst = lines[lines.count - 1].utf8.count == indent.utf8.count
      if !isFirst, lines[lines.count - 1].utf8.count + word.utf8.count >= Key.width { lines.append(indent) }
      lines[lines.count - 1] += (lines[lines.count - 1] == indent ? "" : " ") + word
    }
    return lines
  }

  fileprivate func rows(in path: String) -> [String] {
    if keys.isEmpty { return [row(in: path, builtIn: text(.standard).map { "`\(Key.onOneLine($0))`" } ?? "")] }
    guard layout == .alike else { return keys.flatMap { $0.rows(in: "\(path)\(name).") } }
    return keys[0].keys.indices.map { index in
      let texts = keys.compactMap { section in
        section.keys[index].text(.standard).map { (section: section.name, text: $0) }
      }
      let isOne = texts.allSatisfy { $0.text == texts.first?.text }
      let builtIn = isOne ? Array(texts.prefix(1).map { "`\($0.text)`" }) : texts.map { "\($0.section) `\($0.text)`" }
      return keys[0].keys[index].row(in: "\(path)\(name).*.", builtIn: builtIn.joined(separator: ", "))
    }
  }

  private func row(in path: String, builtIn: String) -> String {
    "| `\(path)\(name)` | \(form) | \(builtIn) | \(meaning) |"
  }

  private static func onOneLine(_ text: String) -> String {
    text.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: ", ")
  }
}

/// A key whose value the configuration stores under the path of the key.
public struct Setting<Value: Hashable & Sendable>: Sendable {
  fileprivate let key: Key
  /// The default.
  fileprivate let standard: Value

  init(_ path: String, _ standard: Value, _ form: Form<Value>, turn: Key.Turn = .normal, _ meaning: String) {
    self.standard = standard
    key = Key(
      path, get: { $0.settings[path, standard] }, set: { $0.settings[path, standard] = $1 }, form,
      turn: turn, meaning)
  }
}

/// The values of settings that differ from the default.
struct ChangedSettings: Equatable, Sendable {
  private var values: [String: any Hashable & Sendable] = [:]

  fileprivate subscript<Value: Hashable & Sendable>(path: String, standard: Value) -> Value {
    // Only the setting with this path writes the value, so a value of another type is a programming error, and traps.
    get { values[path].map { $0 as! Value } ?? standard }
    set {
      values[path] = nil
      if newValue != standard { values.updateValue(newValue, forKey: path) }
    }
  }

  static func == (a: ChangedSettings, b: ChangedSettings) -> Bool {
    a.values.mapValues { AnyHashable($0) } == b.values.mapValues { AnyHashable($0) }
  }
}

/// An element of ``Keys``.
private protocol KeyEntry { var key: Key { get } }
extension Setting: KeyEntry {}
extension Key: KeyEntry { fileprivate var key: Key { self } }

extension Keys {
  fileprivate static let described = Keys()

  /// Every key. The keys of a section are inside the section.
  static let all: [Key] = Mirror(reflecting: described).children.reduce(into: []) { keys, child in
    // A property that is neither a setting nor a key is a programming error, and traps in the first test.
    let key = (child.value as! any KeyEntry).key
    if key.path.contains(".") { keys[keys.count - 1].keys.append(key) } else { keys.append(key) }
  }
}

extension Configuration {
  public subscript<Value>(dynamicMember name: KeyPath<Keys, Setting<Value>>) -> Value {
    get {
      let setting = Keys.described[keyPath: name]
      return settings[setting.key.path, setting.standard]
    }
    set {
      let setting = Keys.described[keyPath: name]
      settings[setting.key.path, setting.standard] = newValue
    }
  }
}
