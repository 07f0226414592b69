import MetronomeCore

/// A key of the file, described once: its name, what may be written there, what it means, and where a configuration has it.
///
/// Reading, writing, comparing on reload, the comments that `metronome config` prints, the manual page made of them, and the
/// table of keys all follow from it.
struct Key {
  /// How the keys of a section are written.
  enum Layout {
    /// In brackets on one line.
    case line
    /// A line each, each explained above it.
    case block
    /// Sections with the same keys, which are explained once, above all of them.
    case alike
  }

  let name: String
  /// What it means: the beginning of a sentence without its capital; for a section whole sentences, or nothing.
  let meaning: String
  /// What may be written, as the end of a sentence that begins with "write".
  let form: String
  var layout = Layout.line
  /// The keys below it.
  var keys: [Key] = []
  /// Whether other keys of its section cannot be read before it.
  var isReadFirst = false
  let read: (Field, inout ConfigurationReader) throws(Problem) -> Void
  /// The value as the file has it; nil if the key is not to be written.
  let text: (Configuration) -> String?
  let isSame: (Configuration, Configuration) -> Bool
}

extension Key {
  /// A key with a value.
  init<Value: Equatable>(
    _ name: String, _ place: WritableKeyPath<Configuration, Value>, _ form: Form<Value>, isReadFirst: Bool = false,
    _ meaning: String
  ) {
    self.init(
      name: name, meaning: meaning, form: form.words, isReadFirst: isReadFirst,
      read: { (field, reader) throws(Problem) in
        reader.configuration[keyPath: place] = try field.read(form, in: reader.configuration)
        reader.positions[field.path] = field.valuePosition
      },
      text: { form.text($0[keyPath: place]) },
      isSame: { $0[keyPath: place] == $1[keyPath: place] })
  }

  /// A key that says what a gesture does.
  ///
  /// - Parameter isAlwaysWritten: also where the gesture does nothing, now or by default.
  init(_ name: String, _ gesture: Gesture, isAlwaysWritten: Bool, _ meaning: String) {
    self.init(
      name: name, meaning: meaning, form: Form<Command?>.command.words,
      read: { (field, reader) throws(Problem) in
        let command = try field.read(Form<Command?>.command, in: reader.configuration)
        reader.gestures[gesture] = Bound(command: command, position: field.valuePosition)
      },
      text: { configuration in
        let command = configuration.gestures[gesture]
        let isWritten = isAlwaysWritten || command != nil || GestureTable<Command>.standard[gesture] != nil
        return isWritten ? command?.words ?? "none" : nil
      },
      isSame: { $0.gestures[gesture] == $1.gestures[gesture] })
  }

  /// A section.
  ///
  /// - Parameter check: what to look at when all its keys are read.
  init(
    _ name: String, _ layout: Layout, _ keys: [Key], _ meaning: String = "",
    check: @escaping (Field, Configuration) throws(Problem) -> Void = { (_, _) throws(Problem) in }
  ) {
    self.init(
      name: name, meaning: meaning, form: Field.sectionForm(keys.map(\.name)), layout: layout, keys: keys,
      read: { (field, reader) throws(Problem) in
        try reader.read(field, keys)
        try check(field, reader.configuration)
      },
      text: { configuration in
        let entries = keys.compactMap { key in key.text(configuration).map { "\(key.name): \($0)" } }
        return "{\(entries.joined(separator: ", "))}"
      },
      isSame: { new, old in keys.allSatisfy { $0.isSame(new, old) } })
  }
}

extension Configuration {
  /// The configuration with every key, as a file that reads back as an equal configuration.
  ///
  /// What no file can say is written as the nearest that it can: pulses and latencies in whole microseconds, the volume and
  /// the gain in thousandths.
  public var yaml: String {
    let lines = Key.all.flatMap { [""] + $0.lines(of: self) }
    return "# Every key may be left out, and then is as built in.\n" + lines.map { $0 + "\n" }.joined()
  }

  /// The keys that differ from another configuration's, in the order of the file: a section's own keys, and no deeper.
  public func changes(from old: Configuration) -> [String] {
    Key.all.flatMap { key in
      guard !key.keys.isEmpty else { return key.isSame(self, old) ? [] : [key.name] }
      return key.keys.filter { !$0.isSame(self, old) }.map { "\(key.name).\($0.name)" }
    }
  }

  /// The table of all keys in Markdown: what may be written, what is built in, what it means.
  public static var keyTable: String {
    let rows = Key.all.flatMap { $0.rows(in: "") }
    return "| key | value | built in | meaning |\n|---|---|---|---|\n" + rows.map { $0 + "\n" }.joined()
  }
}

extension Key {
  private static let width = 120

  /// The key as the file has it.
  fileprivate func lines(of configuration: Configuration, indent: String = "", isExplained: Bool = true) -> [String] {
    var lines = isExplained ? comments.flatMap { wrapped($0, indent: indent + "# ") } : []
    if keys.isEmpty || layout == .line {
      let text = text(configuration)
      lines += text.map { ["\(indent)\(name):\($0.hasPrefix("\n") ? "" : " ")\($0)"] } ?? []
    } else {
      lines.append("\(indent)\(name):")
      for key in keys {
        lines += key.lines(of: configuration, indent: indent + "  ", isExplained: isExplained && layout == .block)
      }
    }
    return lines
  }

  /// What is said above it.
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

  /// Its rows of the table.
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
