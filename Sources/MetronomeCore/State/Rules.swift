/// Settings that only the configuration changes.
public struct Rules: Hashable, Sendable {
  /// The tempo that ``Command/resetTempo`` restores.
  public var homeTempo: Tempo
  /// Count-in bars before the first bar, 0 to ``maxCountedIn``.
  public var countIn: Int
  /// Whether a tapped tempo is rounded to whole beats per minute.
  public var tapRounds: Bool
  /// Whether tapping starts a stopped metronome.
  public var tapStarts: Bool
  /// Stops the metronome after this time without input; nil: never.
  public var autoStop: Nanoseconds?

  public static let maxCountedIn = 4

  public init(
    homeTempo: Tempo = .initial, countIn: Int = 0, tapRounds: Bool = true, tapStarts: Bool = false,
    autoStop: Nanoseconds? = nil
  ) {
    self.homeTempo = homeTempo
    self.countIn = countIn
    self.tapRounds = tapRounds
    self.tapStarts = tapStarts
    self.autoStop = autoStop
  }
}
