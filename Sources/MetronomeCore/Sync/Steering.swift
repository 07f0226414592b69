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

/// Where the next beat goes.
struct SteeringStep: Hashable, Sendable {
  /// The source's position of the beat, in millionths of a quarter.
  var quarter: Int64
  var instant: Instant
  /// Whether the beat and its tempo stay as planned.
  var isKept = false
  /// Whether the beat takes the place that its position has in the bar.
  var isPlaced = false
}

/// Decides how the beats follow a source. No beat is lost or doubled; the numbers of the beats go on.
///
/// An error of up to 30 µs is left alone, unless the tempo is wrong, too. Up to 10 ms are corrected by at most 0.5 % of a beat
/// or 200 µs, whichever is more, with each observation: less than the 2.5 % or 6 ms that are heard (A. Friberg, J. Sundberg, "Time
/// discrimination in a monotonic, isochronous sequence", 1995). Larger errors are corrected by at most 5 % of a beat.
///
/// After a sudden change of tempo the beat goes to its place at the source at once. If the source jumps, or is half a beat off (after
/// a change of tempo two beats behind, or four ahead), the beat goes to the first beat of the source. In both cases it is at least
/// 0.6 beats after the one before.
struct Steering: Sendable {
  private static let tolerance: Int64 = 30_000
  private static let smooth: Int64 = 10_000_000
  private static let least: Int64 = 200_000
  /// To catch up with more beats, 0.6 beats apart, would take more segments than a timeline has.
  private static let mostBehind: Int64 = 4

  /// Whether the source sends many messages in each beat. Each then corrects at most a quarter of what is left of the beat, so that the
  /// clocks in it stay even.
  private let hasClocks: Bool
  /// The epoch in which the beats are placed.
  private var epoch: Int?
  /// The tempi of the source so far, and whether the beats have not reached the last one.
  private var changes = 0
  private var isCatchingUp = false
  /// The tempo that is played, in femtoseconds per quarter.
  private var period: Int64 = 0
  /// How often the beats were resynchronized.
  private(set) var resyncs = 0

  /// With an `epoch` other than the source's, the first beat is placed.
  init(epoch: Int? = nil, hasClocks: Bool = true) { (self.epoch, self.hasClocks) = (epoch, hasClocks) }

  /// The beats start anew with the source. The count of ``resyncs`` goes on.
  mutating func restart(with source: BeatObservation) {
    (epoch, changes, period, isCatchingUp) = (source.epoch, source.changes, 0, false)
  }

  /// Where the beat goes that is planned at an instant, and is at a position of the source, in millionths of a quarter. `before` is
  /// the beat before it, which cannot move. `length` is the length of a beat in millionths of a quarter. No beat can be moved to before `effective`.
  mutating func steer(
    _ source: BeatObservation, planned: Instant, quarter: Int64, before: Instant?, length: Int64, effective: Instant
  ) -> SteeringStep {
    func duration(_ period: Int64) -> Nanoseconds {
      Nanoseconds(Int64(Int128(length) * Int128(period) / 1_000_000_000_000))
    }
    let isNew = epoch.map { $0 != source.epoch } ?? false
    isCatchingUp = isCatchingUp || changes != source.changes
    (epoch, changes) = (source.epoch, source.changes)
    let beat = duration(source.period)
    let wanted = source.instant(of: quarter)
    let error = (wanted - planned).count
    // Two beats are not nearer than 0.6 of the shorter period.
    let earliest = before.map { $0 + min(beat, period > 0 ? duration(period) : beat) * 3 / 5 } ?? effective
    let behind = (max(earliest, effective) - wanted).count
    let isFar = error >= 2 * beat.count || behind >= Steering.mostBehind * beat.count
    // What the tempo is off by adds up over a beat.
    let drift = duration(source.period - period).count
    var step = SteeringStep(quarter: quarter, instant: max(wanted, earliest))
    if isNew || (isCatchingUp ? isFar : abs(error) >= beat.count / 2) {
      resyncs += 1
      isCatchingUp = false
      step = place(source, quarter, length, max(earliest, effective))
    } else if isCatchingUp {
      isCatchingUp = wanted < max(earliest, effective)
    } else if abs(error) <= Steering.tolerance, abs(drift) <= Steering.tolerance {
      (step.instant, step.isKept) = (planned, true)
      return step
    } else {
      var limit = abs(error) <= Steering.smooth ? max(beat.count / 200, Steering.least) : beat.count / 20
      if hasClocks { limit = min(limit, max(0, (planned - effective).count) / 4) }
      step.instant = max(planned + Nanoseconds(min(max(error, -limit), limit)), earliest)
    }
    period = source.period
    return step
  }

  private func place(_ source: BeatObservation, _ plan: Int64, _ length: Int64, _ earliest: Instant) -> SteeringStep {
    // Without a position of its own the source has beats where the plan has them.
    let phase = source.isPlaying ? 0 : plan
    let number = -(phase - source.quarter(at: earliest)).floorDivided(by: length)
    var quarter = phase + number * length
    while source.instant(of: quarter) < earliest { quarter += length }
    // The position of a stopped source means nothing: its bar goes on.
    return SteeringStep(quarter: quarter, instant: source.instant(of: quarter), isPlaced: source.isPlaying)
  }
}
