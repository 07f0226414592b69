/// Where an external source was, and how fast it went, at one instant.
public struct BeatObservation: Hashable, Sendable, BitwiseCopyable {
  /// The number of jumps of the source so far: it started, continued elsewhere, or lost count.
  public var epoch: Int
  /// The number of starts and continues so far.
  public var starts: Int
  /// The number of sudden changes of tempo so far. With each, the last clocks are counted again, so that the position may go back.
  public var changes: Int
  /// The position in millionths of a quarter note. It means nothing to the bar unless the source ``isPlaying``.
  public var quarter: Int64
  /// The filtered instant of that position.
  public var instant: Instant
  /// The duration of a quarter note in femtoseconds (10⁻¹⁵ s), so that a tempo such as 132.9999468 BPM is kept.
  public var period: Int64
  /// The mean deviation of the source's messages from the estimate.
  public var spread: Nanoseconds
  public var isPlaying: Bool

  public init(
    epoch: Int, starts: Int = 0, changes: Int = 0, quarter: Int64, instant: Instant, period: Int64,
    spread: Nanoseconds = .zero, isPlaying: Bool
  ) {
    (self.epoch, self.starts, self.changes) = (epoch, starts, changes)
    (self.quarter, self.instant, self.period) = (quarter, instant, period)
    (self.spread, self.isPlaying) = (spread, isPlaying)
  }

  /// The tempo, within 1 to 999 quarters per minute.
  var tempo: ScoreTempo { ScoreTempo(clampingFemtosecondsPerQuarter: period) }

  /// Millionths of a quarter × femtoseconds in a nanosecond.
  private static let scale: Int128 = 1_000_000 * 1_000_000

  /// When the source reaches a position at its current tempo.
  public func instant(of quarter: Int64) -> Instant {
    instant
      + Nanoseconds(Int64((Int128(quarter - self.quarter) * Int128(period)).floorDivided(by: BeatObservation.scale)))
  }

  /// The source's position at an instant at its current tempo.
  public func quarter(at instant: Instant) -> Int64 {
    quarter + Int64((Int128((instant - self.instant).count) * BeatObservation.scale).floorDivided(by: Int128(period)))
  }
}
