import MetronomeCore

/// The presets as they are listed.
struct PresetTable {
  private let memory: Memory

  init(_ memory: Memory) { self.memory = memory }

  func write(asJSON: Bool) throws {
    try OutputFile.print(asJSON ? json : table)
  }

  /// A line each: the place, a star for the one recalled last, what it is set to, the name.
  private var table: String {
    numbered.map { place, preset in
      let star = place == memory.recalled ? "*" : " "
      let columns = [right(String(place), 3), right(preset.tempo.number, 7), left(preset.signature.description, 5)]
      return "\(columns[0])\(star) \(columns[1]) BPM  \(columns[2])  \(preset.name)\n"
    }.joined()
  }

  private var json: String {
    let presets = numbered.map { place, preset in
      "{\"place\":\(place),\"name\":\"\(escaped(preset.name.description))\",\"tempo\":\(preset.tempo.number),"
        + "\"signature\":\"\(preset.signature)\"}"
    }
    let recalled = memory.recalled.map(String.init) ?? "null"
    return "{\"presets\":[\(presets.joined(separator: ","))],\"recalled\":\(recalled)}\n"
  }

  private var numbered: [(Int, Preset)] { memory.presets.presets.enumerated().map { ($0 + 1, $1) } }

  private func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.utf8.count)) + text
  }

  private func left(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.utf8.count))
  }

  /// A name has no characters but these that JSON would have otherwise.
  private func escaped(_ text: String) -> String {
    text.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
  }
}
