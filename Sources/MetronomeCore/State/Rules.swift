/// What of the metronome's behaviour is a matter of configuration, and no hand changes.
public struct Rules: Hashable, Sendable {
  /// Where ``Command/resetTempo`` leads.
  public var homeTempo: Tempo
  /// Bars that are counted in before the first, 0 to ``mostCountedIn``.
  public var countIn: Int
  /// Whether a tapped tempo is rounded to whole beats per minute.
  public var tapRounds: Bool
  /// Whether tapping starts a metronome that is stopped.
  public var tapStarts: Bool
  /// After how long untouched it stops; nil: never.
  public var autoStop: Nanoseconds?

  public static let mostCountedIn = 4

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
