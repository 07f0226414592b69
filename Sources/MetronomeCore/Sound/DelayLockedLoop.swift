/// The filter of a clock map's delay-locked loop: what to do about a reading.
///
/// Times are in nanoseconds. The form of the loop is Adriaensen's ("Using a DLL to filter time", 2005); its bandwidths
/// and thresholds were measured with `sound-benchmark`, which prints what they achieve.
struct DelayLockedLoop: Hashable, Sendable, BitwiseCopyable {
  /// Hz while the map is young, and for how long. At 0.25 Hz, positions in steps of 1 ms shake it by more than 150 µs
  /// in some runs of 480; in eight seconds the rate is known well enough for the narrow band.
  private static let wideBandwidth = 0.2
  private static let wideSpan = 8e9
  /// Hz once it knows the card. The less, the less noise passes, and the later a card that goes another way is noticed.
  /// At 0.042 the largest error under quiet interrupts is still up to 0.63 of what loops of 0.1 Hz let through, at
  /// 0.036 up to 0.57.
  private static let narrowBandwidth = 0.036
  /// Hz, and for how long, when the readings have moved away as a whole: the card's rate has changed.
  private static let chaseBandwidth = 0.5
  private static let chaseSpan = 2e9
  /// The mean error of about a second at which that is so: above what noise alone makes of it, and never for less than
  /// 15 µs, which nobody hears.
  private static let chaseShare = 1.2
  private static let chaseFloor = 15e3
  private static let meanSpan = 1e9
  /// The deviation is a mean over this span, and this is the span after which it is known: the map is locked.
  private static let deviationSpan = 2e9
  /// Readings without any noise, as a simulated card gives them, must not make the map blind to change.
  private static let deviationFloor = 2e3
  /// An error counts for at most this many deviations, so that one late reading in a thousand does not shake the map.
  private static let errorLimit = 4.0
  /// A reading further off than this says nothing about the rate, and this many in a row that the phase is another.
  private static let outlier = 2e6
  private static let outlierLimit = 4
  /// After a gap longer than this the phase may have wandered: the first reading sets it.
  private static let gap = 10e9
  /// Radians from reading to reading: the discrete loop is stable up to 1.03 (√2·ω + ω²/2 < 2), well damped to here.
  private static let omegaLimit = 0.25
  /// No card is off by more than this: crystals are by 0.0001, and a rate made from one by some multiple may be by 0.001.
  static let stretchLimit = 0.002

  enum Verdict {
    case ignore
    case seed
    /// By how many nanoseconds to move the phase and by what share to stretch the frames.
    case turn(phase: Double, slope: Double)
  }

  /// Whether the phase is known.
  var isSeeded = false
  /// When the newest reading was taken that was believed.
  private var newest = Instant.zero
  private(set) var deviation = DelayLockedLoop.deviationFloor
  private var mean = 0.0
  /// For how long readings have been coming in since the phase was set.
  private var age = 0.0
  /// How many readings it has been.
  private var count = 1.0
  private var wideLeft = 0.0
  private var chaseLeft = 0.0
  private var outliers = 0

  var isLocked: Bool { isSeeded && age >= Self.deviationSpan }

  /// Begins anew with a reading that sets the phase.
  mutating func start(at instant: Instant) {
    self = DelayLockedLoop()
    isSeeded = true
    newest = instant
    wideLeft = Self.wideSpan
  }

  /// What to do about a reading that lies `error` behind the map's prediction, which is `elapsed` after the newest.
  mutating func judge(_ error: Double, at instant: Instant, after elapsed: Double) -> Verdict {
    guard Double((instant - newest).count) <= Self.gap else { return .seed }
    guard error.magnitude <= Self.outlier else { return judgeOutlier() }
    outliers = 0
    // Within the jitter, but not after the one before: nothing to learn from.
    guard instant > newest else { return .ignore }
    newest = instant
    let limited = limit(error)
    count += 1
    watch(error, for: elapsed)
    let omega = min(2 * .pi * bandwidth * elapsed / 1e9, Self.omegaLimit)
    age += elapsed
    wideLeft -= elapsed
    chaseLeft -= elapsed
    // At first the phase is the mean of all readings so far: no single one sets it.
    return .turn(phase: max(2.0.squareRoot() * omega, 1 / count) * limited, slope: omega * omega * limited / elapsed)
  }

  /// What to do about a reading that cannot be true, if those before it are.
  mutating func judgeOutlier() -> Verdict {
    outliers += 1
    return outliers < Self.outlierLimit ? .ignore : .seed
  }

  private var bandwidth: Double {
    if wideLeft > 0 { return Self.wideBandwidth }
    return chaseLeft > 0 ? Self.chaseBandwidth : Self.narrowBandwidth
  }

  /// The error as far as it is believed.
  ///
  /// A mean that is off widens the limit: then it is not a late reading but the card that went another way.
  private func limit(_ error: Double) -> Double {
    guard isLocked else { return error }
    let most = Self.errorLimit * (deviation + mean.magnitude)
    return min(max(error, -most), most)
  }

  private mutating func watch(_ error: Double, for elapsed: Double) {
    let believed = isLocked ? min(error.magnitude, Self.errorLimit * deviation) : error.magnitude
    let share = min(elapsed / min(max(age, elapsed), Self.deviationSpan), 1)
    deviation = max(deviation + (believed - deviation) * share, Self.deviationFloor)
    mean += (error - mean) * min(elapsed / Self.meanSpan, 1)
    if wideLeft <= 0, mean.magnitude > max(Self.chaseShare * deviation, Self.chaseFloor) { chaseLeft = Self.chaseSpan }
  }
}
