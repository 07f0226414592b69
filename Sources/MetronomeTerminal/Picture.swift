import HardwareAbstraction
import MetronomeCore

/// The box as a terminal shows it.
package struct Picture {
  private let levels: OutputLevels
  private let state: MetronomeState
  private let beat: Beat?
  private let sound: String

  /// - Parameters:
  ///   - beat: the one that was begun last; nil when stopped.
  ///   - sound: what the sound does, in a word or two.
  package init(levels: OutputLevels, state: MetronomeState, beat: Beat?, sound: String) {
    self.levels = levels
    self.state = state
    self.beat = beat
    self.sound = sound
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
    let blank = Line(text: "", rank: 6)
    let lamps = Lamps(levels).text(of: Output.allCases)
    return [
      blank,
      Line(text: "  metronome, the simulated board", rank: 5),
      blank,
      Line(text: "      \(lamps)      \(sound)", rank: 0),
      blank,
      Line(text: "  " + bar, rank: 1),
      blank,
      Line(
        text: "  \(state.tempo)    \(state.signature)    \(state.isPlaying ? "playing" : "stopped")" + place, rank: 2),
      blank,
      Line(text: "  space play/stop   - slower   + faster   n numerator   d denominator", rank: 3),
      Line(text: "  t tap             q quit", rank: 4),
    ]
  }

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
    return "    bar \(beat.bar + 1), beat \(beat.position + 1)"
  }
}
