extension ClockMap {
  /// How well a clock map is doing, in figures for a person.
  public struct Health: Hashable, Sendable, BitwiseCopyable {
    /// The card against its nominal rate, in parts per million; positive for a fast card.
    public var ratePPM: Double
    /// How far a reading lies from the map on average.
    public var deviation: Nanoseconds
    /// Whether readings have been coming in for long enough, two seconds since the phase was set, to be trusted.
    public var isLocked: Bool

    public init(ratePPM: Double, deviation: Nanoseconds, isLocked: Bool) {
      self.ratePPM = ratePPM
      self.deviation = deviation
      self.isLocked = isLocked
    }
  }
}
