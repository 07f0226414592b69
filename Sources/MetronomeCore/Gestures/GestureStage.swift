/// From raw edges of all buttons to the metronome's commands. Later gestures (long, repeat, chords, taps) join it.
public typealias GestureStage = Presses<Command>

extension Presses where Meaning == Command {
  /// What a press of each button means. The tap button has no meaning yet.
  public static var standardTable: [Button: Command] {
    [
      .play: .togglePlaying,
      .slower: .stepTempo(byMilliBPM: -1_000),
      .faster: .stepTempo(byMilliBPM: 1_000),
      .numerator: .nextNumerator,
      .denominator: .nextDenominator,
    ]
  }

  public init() { self.init(table: GestureStage.standardTable) }
}
