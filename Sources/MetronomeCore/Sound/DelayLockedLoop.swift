/// The filter of a clock map's delay-locked loop: decides how each reading changes the map.
///
/// Times are in nanoseconds. The form of the loop is Adriaensen's ("Using a DLL to filter time", 2005). Its bandwidths and
/// thresholds were tuned with `sound-benchmark`, which prints the resulting accuracy.
struct DelayLockedLoop: Hashable, Sendable, BitwiseCopyable {
  /// Initial bandwidth in Hz, and its duration. At 0.25 Hz, positions in steps of 1 ms cause errors of more than 150 µs.
  private static let wideBandwidth = 0.2
  private static let wideSpan = 8e9
  /// Bandwidth in Hz after that: a lower value passes less noise, but follows changes more slowly. With quiet interrupts, the
  /// largest error is at most 0.57 times that of a 0.1 Hz loop; at 0.042 Hz, 0.63 times.
  private static let narrowBandwidth = 0.036
  /// Bandwidth in Hz, and its duration, after the card's rate has changed.
  private static let chaseBandwidth = 0.5
  private static let chaseSpan = 2e9
  /// The rate has changed if the mean error over a second exceeds both this many deviations and this many nanoseconds.
  private static let chaseShare = 1.2
  private static let chaseFloor = 15e3
  private static let meanSpan = 1e9
  /// The averaging time of the deviation. After this time the map is locked.
  private static let deviationSpan = 2e9
  /// Noise-free readings, as from a simulated card, must not make the map insensitive to changes.
  private static let deviationFloor = 2e3
  /// An error is limited to this many deviations, so that one late reading in a thousand does not disturb the map.
  private static let errorLimit = 4.0
  /// A reading further off than this is ignored, but this many such readings in a row set the phase.
  private static let outlier = 2e6
  private static let outlierLimit = 4
  /// After a gap longer than this, the phase may have drifted: the first reading sets the phase.
  private static let gap = 10e9
  /// Radians per reading: the discrete loop is stable up to 1.03 (√2·ω + ω²/2 < 2), and well damped up to this value.
  private static let omegaLimit = 0.25
  /// The largest deviation of a card: crystals are off by 0.0001, and rates derived from one by a multiplier possibly by 0.001.
  static let stretchLimit = 0.002

  enum Verdict {
    case ignore
    case seed
    /// Moves the phase by this many nanoseconds, and stretches the frames by this fraction.
    case adjust(phase: Double, slope: Double)
  }

  var isSeeded = false
  /// The time of the newest reading that was accepted.
  private var newest = Instant.zero
  private(set) var deviation = DelayLockedLoop.deviationFloor
  private var mean = 0.0
  /// How long readings have been coming in since the phase was set.
  private var age = 0.0
  /// The number of readings since then.
  private var count = 1.0
  private var wideLeft = 0.0
  private var chaseLeft = 0.0
  private var outliers = 0

  var isLocked: Bool { isSeeded && age >= Self.deviationSpan }

  /// Restarts with a reading that sets the phase.
  mutating func start(at instant: Instant) {
    self = DelayLockedLoop()
    (isSeeded, newest, wideLeft) = (true, instant, Self.wideSpan)
  }

  /// Judges a reading that is `error` later than the map's prediction, which is `elapsed` after the newest reading.
  mutating func judge(_ error: Double, at instant: Instant, after elapsed: Double) -> Verdict {
    guard Double((instant - newest).count) <= Self.gap else { return .seed }
    guard error.magnitude <= Self.outlier else { return judgeOutlier() }
    outliers = 0
    // A reading that is not later than the previous reading carries no information.
    guard instant > newest else { return .ignore }
    newest = instant
    let limited = limit(error)
    count += 1
    updateMeans(error, for: elapsed)
    let omega = min(2 * .pi * bandwidth * elapsed / 1e9, Self.omegaLimit)
    age += elapsed
    wideLeft -= elapsed
    chaseLeft -= elapsed
    // At first the phase is the mean of all readings so far, so that no single one determines it.
    return .adjust(phase: max(2.0.squareRoot() * omega, 1 / count) * limited, slope: omega * omega * limited / elapsed)
  }

  /// Judges a reading that contradicts the earlier readings.
  mutating func judgeOutlier() -> Verdict {
    outliers += 1
    return outliers < Self.outlierLimit ? .ignore : .seed
  }

  private var bandwidth: Double {
    if wideLeft > 0 { return Self.wideBandwidth }
    return chaseLeft > 0 ? Self.chaseBandwidth : Self.narrowBandwidth
  }

  /// Limits the error. A large mean widens the limit, because it means that the card's rate has changed.
  private func limit(_ error: Double) -> Double {
    guard isLocked else { return error }
    let most = Self.errorLimit * (deviation + mean.magnitude)
    return min(max(error, -most), most)
  }

  private mutating func updateMeans(_ error: Double, for elapsed: Double) {
    let clamped = isLocked ? min(error.magnitude, Self.errorLimit * deviation) : error.magnitude
    let share = min(elapsed / min(max(age, elapsed), Self.deviationSpan), 1)
    deviation = max(deviation + (clamped - deviation) * share, Self.deviationFloor)
    mean += (error - mean) * min(elapsed / Self.meanSpan, 1)
    if wideLeft <= 0, mean.magnitude > max(Self.chaseShare * deviation, Self.chaseFloor) { chaseLeft = Self.chaseSpan }
  }
}
