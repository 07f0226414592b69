import HardwareAbstraction
import MetronomeCore
import Yams

/// The keys that a section may have.
protocol SectionKey: RawRepresentable, CaseIterable where RawValue == String {
  static var names: [String] { get }
}

extension SectionKey {
  static var names: [String] { allCases.map(\.rawValue) }
}

/// Keys of the file's outermost level.
enum RootKey: String, SectionKey {
  case tempo
  case signature
  case numeratorLimit = "numerator_limit"
  case autoplay
  case restore
  case countIn = "count_in"
  case autoStop = "auto_stop"
  case debounceMilliseconds = "debounce_ms"
  case tap
  case chip
  case outputs
  case buttons
  case chords
  case inputs
  case audio
  case timing
}

enum TimingKey: String, SectionKey {
  case spin
}

enum TapKey: String, SectionKey {
  case round
  case starts
}

enum OutputKey: String, SectionKey {
  case line
  case active
  case firstMilliseconds = "first_ms"
  case regularMilliseconds = "regular_ms"
  case latencyMicroseconds = "latency_us"
}

enum ButtonKey: String, SectionKey {
  case line
  case active
  case bias
  case short
  case long
  case repetition = "repeat"
}

enum InputKey: String, SectionKey {
  case device
  case keys
  case relative
  case grab
}

enum AudioKey: String, SectionKey {
  case device
  case rate
  case period
  case periods
  case volume
  case latencyMicroseconds = "latency_us"
  case gainDB = "gain_db"
  case sounds
}

enum SoundKey: String, SectionKey {
  case first
  case regular
}

extension Field {
  /// The fields of the section that this one is, in the file's order.
  func fields<Inner: SectionKey>(_: Inner.Type = Inner.self) throws(Problem) -> [Field<Inner>] {
    let expected = "its keys below it, indented: \(enumeration(Inner.names))"
    return try MetronomeConfiguration.fields(of: try mapping(expected), in: path)
  }

  /// The same where the keys are not known beforehand.
  ///
  /// - Parameter expected: what would be right, as the end of a sentence that begins with "write".
  func entries(_ expected: String) throws(Problem) -> [Field<String>] {
    try MetronomeConfiguration.entries(of: try mapping(expected), in: path, remedy: "write \(expected)")
  }

  /// The fields of a list, each with this one's key and path.
  func list(_ expected: String) throws(Problem) -> [Field] {
    switch value {
    case .sequence(let sequence):
      return sequence.map { Field(key: key, path: path, position: $0.mark.map(Position.init) ?? position, value: $0) }
    case .mapping: throw Problem("\(path) must be a list", remedy: "write \(expected)", at: valuePosition)
    case .scalar, .alias: throw refusal(of: try scalar(expected), expected)
    }
  }

  private func mapping(_ expected: String) throws(Problem) -> Node.Mapping {
    if case .mapping(let mapping) = value { return mapping }
    throw refusal(of: try scalar(expected), expected)
  }
}

/// The fields of a section, in the file's order. Its path is empty for the outermost one.
func fields<Key: SectionKey>(of mapping: Node.Mapping, in path: String) throws(Problem) -> [Field<Key>] {
  var fields: [Field<Key>] = []
  for entry in try entries(of: mapping, in: path, remedy: keys(Key.names)) {
    guard let key = Key(rawValue: entry.key), Key.names.contains(entry.key) else {
      throw unknownKey(entry.key, in: path, known: Key.names, at: entry.position)
    }
    fields.append(Field(key: key, path: entry.path, position: entry.position, value: entry.value))
  }
  return fields
}

/// What a section has, in the file's order.
///
/// - Parameter remedy: what would be right in place of a key that is no text.
private func entries(of mapping: Node.Mapping, in path: String, remedy: String) throws(Problem) -> [Field<String>] {
  var entries: [Field<String>] = []
  for (keyNode, value) in mapping {
    let position = (keyNode.mark ?? mapping.mark).map(Position.init) ?? Position()
    guard case .scalar(let scalar) = keyNode else {
      throw Problem("a key cannot be a list or a section", remedy: remedy, at: position)
    }
    let name = path.isEmpty ? scalar.string : "\(path).\(scalar.string)"
    entries.append(Field(key: scalar.string, path: name, position: position, value: value))
  }
  return entries
}

private func unknownKey(_ text: String, in path: String, known: [String], at position: Position) -> Problem {
  let what = "unknown key \(quoted(text))" + (path.isEmpty ? "" : " in \(path)")
  if let nearest = nearestKey(to: text, among: known) {
    return Problem(what, remedy: "did you mean \(quoted(nearest))?", at: position)
  }
  if path.isEmpty, let section = section(of: text) {
    return Problem(what, remedy: "it belongs under \(quoted(section)), indented", at: position)
  }
  if path == RootKey.tap.rawValue, ButtonKey.names.contains(text) {
    return Problem(what, remedy: "it belongs under \"tap\" in \"buttons\"", at: position)
  }
  if let word = text.split(separator: ":").first, known.contains(String(word)), word.count < text.count {
    return Problem(what, remedy: "put a space after the colon", at: position)
  }
  return Problem(what, remedy: keys(known), at: position)
}

/// The section whose key this would be.
private func section(of key: String) -> String? {
  let sections: [(RootKey, [String])] = [(.outputs, Output.names), (.buttons, Button.names), (.audio, AudioKey.names)]
  return sections.first { $0.1.contains(key) }?.0.rawValue
}

private func keys(_ known: [String]) -> String { "the keys are \(enumeration(known, last: "and"))" }
