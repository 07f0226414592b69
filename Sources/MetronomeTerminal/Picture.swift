import HardwareAbstraction
import MetronomeCore

/// The box as a terminal shows it.
package struct Picture {
  private let levels: OutputSet
  private let state: MetronomeState
  private let beat: Beat?
  private let sound: String
  private let countIn: Int
  private let preset: RecalledPreset?
  private let holdsNext: Bool
  private let figures: String?

  /// - Parameters:
  ///   - beat: the one that was begun last; nil when stopped.
  ///   - sound: what the sound does, in a word or two.
  ///   - countIn: how many bars are counted in.
  ///   - preset: the one recalled last.
  ///   - holdsNext: whether the next key is a held one.
  ///   - figures: how the beats have come so far, in a few words; nil before the first.
  package init(
    levels: OutputSet, state: MetronomeState, beat: Beat?, sound: String, countIn: Int = 0,
    preset: RecalledPreset? = nil, holdsNext: Bool = false, figures: String? = nil
  ) {
    self.levels = levels
    self.state = state
    self.beat = beat
    self.sound = sound
    self.countIn = countIn
    self.preset = preset
    self.holdsNext = holdsNext
    self.figures = figures
  }

  /// A line of the picture; those of low rank are left out last.
  private struct Line {
    var text: String
    var rank: Int
  }

  /// The picture, from the top.
  ///
  /// - Parameter rows: how many lines there is room for. Where there are few, blank ones go first and the lamps last.
  package func lines(rows: Int) -> [String] {
    let lines = all
    let kept = Set(lines.indices.sorted { (lines[$0].rank, $0) < (lines[$1].rank, $1) }.prefix(max(1, rows)))
    return lines.indices.filter(kept.contains).map { lines[$0].text }
  }

  private var all: [Line] {
    let blank = Line(text: "", rank: 9)
    let lamps = Lamps(levels).text(of: Output.lines)
    return [
      blank,
      Line(text: "  metronome, the simulated board", rank: 8),
      blank,
      Line(text: "      \(lamps)      \(sound)", rank: 0),
      blank,
      Line(text: "  " + bar, rank: 1),
      blank,
      Line(
        text: "  \(state.tempo)    \(state.signature)    \(state.isPlaying ? "playing" : "stopped")\(silence)" + place,
        rank: 2),
      preset.map { Line(text: "  preset \($0.place) of \($0.count): \($0.name)", rank: 7) } ?? blank,
      figures.map { Line(text: "  " + $0, rank: 8) } ?? blank,
    ] + keys
  }

  /// What the keys do.
  private var keys: [Line] {
    let hold = "h hold till next key:"
    let held = "space lights only   - + n d on and on   1-4 store"
    return [
      Line(text: "  space play/stop   - slower   + faster   n numerator   d denominator", rank: 3),
      Line(text: "  t tap   1-4 presets   [ ] previous, next preset   < > dial   q quit", rank: 4),
      Line(text: "  \(holdsNext ? "\u{1B}[1m\(hold)\u{1B}[0m" : hold)   \(held)", rank: 5),
      Line(text: "  0 configured tempo   r tells the tempo   s tells the signature", rank: 6),
    ]
  }

  private var silence: String { state.isSilent ? ", silent" : "" }

  /// A cell for each beat of the bar, the present one filled.
  private var bar: String {
    (0..<state.signature.numerator).map { place in
      let isNow = place == beat?.position
      switch (place == 0, isNow) {
      case (true, true): return "\u{1B}[1;33m■\u{1B}[0m"
      case (false, true): return "\u{1B}[1m■\u{1B}[0m"
      case (true, false): return "\u{1B}[33m□\u{1B}[0m"
      case (false, false): return "\u{1B}[2m□\u{1B}[0m"
      }
    }.joined(separator: " ")
  }

  private var place: String {
    guard let beat else { return "" }
    if beat.bar < 0 {
      return "    count-in, bar \(Int64(countIn) + beat.bar + 1) of \(countIn), beat \(beat.position + 1)"
    }
    return "    bar \(beat.bar + 1), beat \(beat.position + 1)"
  }
}

/// The outputs as lamps on a line of a terminal.
package struct Lamps {
  private let levels: OutputSet

  package init(_ levels: OutputSet) { self.levels = levels }

  /// A lamp and a name for each of these.
  package func text(of outputs: OutputSet) -> String {
    outputs.map { lamp($0) + "  " + $0.rawValue }.joined(separator: "      ")
  }

  private func lamp(_ output: Output) -> String {
    levels.contains(output) ? "\u{1B}[1;\(color(of: output))m●\u{1B}[0m" : "\u{1B}[2m○\u{1B}[0m"
  }

  /// Yellow, cyan, magenta, green, blue.
  private func color(of output: Output) -> Int {
    let colors = [33, 36, 35, 32, 34]
    return colors[(Array(Output.lines).firstIndex(of: output) ?? 0) % colors.count]
  }
}

/// The preset that was recalled last, and its place in the list.
package struct RecalledPreset: Hashable {
  /// Counted from 1.
  package var place: Int
  /// How many there are.
  package var count: Int
  package var name: PresetName

  package init(place: Int, count: Int, name: PresetName) {
    self.place = place
    self.count = count
    self.name = name
  }

  /// The one that is remembered; nil before the first.
  package init?(_ memory: SavedState) {
    guard let place = memory.recalled, let preset = memory.presets[place: place] else { return nil }
    self.init(place: place, count: memory.presets.count, name: preset.name)
  }
}
