import MetronomeCore

struct PresetTable {
  let savedState: SavedState

  /// One line for each preset: the place, a star for the last recalled preset, tempo, signature and name. A beat other than the
  /// quarter, and a rhythm, follow in parentheses. A preset that names a place in a score has only that place in parentheses:
  /// its tempo and signature have no effect.
  var text: String {
    let width = numbered.filter { $1.place == nil }.map { $1.signature.description.utf8.count }.max() ?? 0
    return numbered.map { place, preset in
      let star = place == savedState.recalled ? "*" : " "
      let isInScore = preset.place != nil
      let tempo = right(isInScore ? "" : "\(preset.tempo.number) BPM", 11)
      let signature = left(isInScore ? "" : preset.signature.description, max(5, width))
      return "\(right(String(place), 3))\(star) \(tempo)  \(signature)  \(preset.name)\(remark(preset))\n"
    }.joined()
  }

  private func remark(_ preset: Preset) -> String {
    if let place = preset.place { return "  (\(place.text))" }
    let beat = preset.unit == .quarter ? "" : "beat \(preset.unit)"
    let parts = [beat, preset.rhythm.text].filter { !$0.isEmpty }
    return parts.isEmpty ? "" : "  (\(parts.joined(separator: ", ")))"
  }

  private var numbered: [(Int, Preset)] { savedState.presets.presets.enumerated().map { ($0 + 1, $1) } }

  private func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.utf8.count)) + text
  }

  private func left(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.utf8.count))
  }
}

extension PresetTable: Encodable {
  private struct Row: Encodable {
    var place: Int
    var name: String
    var tempo: Double
    var signature: String
    /// nil for a quarter.
    var beat: String?
    /// nil for the metre's own rhythm.
    var rhythm: String?
    var score: ScorePlace?
  }

  /// The place in a score; song and bar are counted from 1.
  private struct ScorePlace: Encodable {
    var name: String
    var song: Int
    var bar: Int64
    /// In per cent.
    var speed: Double

    init(_ place: SavedPlace) {
      (name, song, bar, speed) = (place.score, place.song + 1, place.bar + 1, Double(place.speed ?? 1_000) / 10)
    }
  }

  private enum Key: CodingKey { case presets, recalled }

  func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Key.self)
    let rows = numbered.map { place, preset in
      Row(
        place: place, name: preset.name.description, tempo: Double(preset.tempo.milliBPM) / 1_000,
        signature: preset.signature.description, beat: preset.unit == .quarter ? nil : preset.unit.description,
        rhythm: preset.rhythm == Rhythm() ? nil : preset.rhythm.text, score: preset.place.map { ScorePlace($0) })
    }
    try object.encode(rows, forKey: .presets)
    try object.encode(savedState.recalled, forKey: .recalled)
  }
}
