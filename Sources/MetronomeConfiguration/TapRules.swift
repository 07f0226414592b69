/// What tapping does besides setting a tempo.
public struct TapRules: Hashable, Sendable {
  /// Whether the tempo is rounded to whole beats per minute.
  public var rounds: Bool
  /// Whether the third tap starts a metronome that is stopped.
  public var starts: Bool

  public init(rounds: Bool = true, starts: Bool = false) {
    self.rounds = rounds
    self.starts = starts
  }
}
