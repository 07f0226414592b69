import HardwareAbstraction
import MetronomeCore

/// The box as a terminal shows it.
struct Picture {
  var levels: OutputLevels
  var state: MetronomeState
  /// The beat that was begun last; nil when stopped.
  var beat: Beat?
  /// What the sound does, in a word or two.
  var sound: String

  var lines: [String] {
    [
      "",
      "  metronome, the simulated board",
      "",
      "      \(lamp(.light, "33"))  light      \(lamp(.pendulum, "36"))  pendulum      \(lamp(.buzzer, "35"))  buzzer      \(sound)",
      "",
      "  " + bar,
      "",
      "  \(state.tempo)    \(state.signature)    \(state.isPlaying ? "playing" : "stopped")" + place,
      "",
      "  space play/stop   - slower   + faster   n numerator   d denominator",
      "  t tap             q quit",
    ]
  }

  private func lamp(_ output: Output, _ color: String) -> String {
    levels.contains(OutputLevels(output)) ? "\u{1B}[1;\(color)m●\u{1B}[0m" : "\u{1B}[2m○\u{1B}[0m"
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
