/// A beat of the timeline that can still move.
struct PlannedBeat {
  var instant: Instant
  /// The source's position of the beat, in millionths of a quarter.
  var quarter: Int64
  /// The beat before it, which cannot move; nil if there is none.
  var before: Instant?
}

/// What to do with the next beat.
enum SteeringStep: Hashable, Sendable {
  case keep
  /// The beat falls at an instant, and the beats after it at this tempo, in femtoseconds per quarter.
  case bend(Instant, period: Int64)
  /// The beat becomes the source's beat at this position, and falls at an instant.
  case place(quarter: Int64, Instant, period: Int64)
}

/// Decides how the beats follow a source. No beat is lost or doubled; the numbers of the beats go on.
///
/// An error of up to 30 µs is left alone, unless the tempo is wrong, too. Up to 10 ms are corrected by at most 0.5 % of a beat
/// or 200 µs, whichever is more, with each observation: less than the 2.5 % or 6 ms that are heard (A. Friberg, J. Sundberg, "Time
/// discrimination in a monotonic, isochronous sequence", 1995). Larger errors are corrected by at most 5 % of a beat. If the source
/// jumps, or is half a beat off, the beat goes to the first beat of the source that is at least 0.6 beats after the one before.
struct Steering: Sendable {
  private static let tolerance: Int64 = 30_000
  private static let smooth: Int64 = 10_000_000
  private static let least: Int64 = 200_000

  /// The epoch in which the beats are placed.
  private var epoch: Int?
  /// The tempo that is played, in femtoseconds per quarter.
  private var period: Int64 = 0
  /// How often the beats were resynchronized.
  private(set) var resyncs = 0

  /// With an `epoch` other than the source's, the first beat is placed.
  init(epoch: Int? = nil) { self.epoch = epoch }

  /// Forgets the source's beats, for a new start. The count of ``resyncs`` goes on.
  mutating func restart() { (epoch, period) = (nil, 0) }

  /// `length` is the length of a beat in millionths of a quarter.
  mutating func steer(_ source: BeatObservation, planned: PlannedBeat, length: Int64) -> SteeringStep {
    let isNew = epoch != nil && epoch != source.epoch
    epoch = source.epoch
    let beat = Nanoseconds(Int64(Int128(length) * Int128(source.period) / 1_000_000_000_000))
    let error = (source.instant(of: planned.quarter) - planned.instant).count
    if isNew || abs(error) >= beat.count / 2 {
      resyncs += 1
      period = source.period
      return place(source, planned, length, beat)
    }
    // What the tempo is off by adds up over a beat.
    let drift = Int64(Int128(length) * Int128(source.period - period) / 1_000_000_000_000)
    if abs(error) <= Steering.tolerance, abs(drift) <= Steering.tolerance { return .keep }
    period = source.period
    let limit = abs(error) <= Steering.smooth ? max(beat.count / 200, Steering.least) : beat.count / 20
    return .bend(planned.instant + Nanoseconds(min(max(error, -limit), limit)), period: source.period)
  }

  private func place(
    _ source: BeatObservation, _ planned: PlannedBeat, _ length: Int64, _ beat: Nanoseconds
  ) -> SteeringStep {
    let played = planned.before.map { min(planned.instant - $0, beat) } ?? .zero
    let earliest = planned.before.map { $0 + played * 3 / 5 } ?? planned.instant
    let from = source.quarter(at: earliest)
    // Without a position of its own the source has beats where the plan has them.
    let phase = source.isPlaying ? 0 : planned.quarter
    let number = -(phase - from).floorDivided(by: length)
    var quarter = phase + number * length
    while source.instant(of: quarter) < earliest { quarter += length }
    return .place(quarter: quarter, source.instant(of: quarter), period: source.period)
  }
}
