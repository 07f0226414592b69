/// Maps frames of a sound card to instants: an estimate of the card's clock from noisy readings of its position.
///
/// The estimate is a line, anchored at the newest reading and corrected by each reading. The filter is the second-order
/// delay-locked loop of Fons Adriaensen, "Using a DLL to filter time" (Linux Audio Conference 2005), made robust against late
/// readings. For a card 60 ppm off, read with 15 µs of jitter and rare delays of 36 ms, it converges to ±50 µs within a second;
/// for a card whose position moves in steps of 1 ms, to ±150 µs within two seconds. At 200 ppm it takes up to three seconds.
///
/// The readings' clock must not be slewed: NTP may change the rate of `CLOCK_MONOTONIC` by 500 ppm (``ClockBridge`` converts).
/// Fixed size, no references, no allocation: usable on the audio thread.
public struct ClockMap: Hashable, Sendable, BitwiseCopyable {
  private let rate: Int64

  /// The line: frame `frame` begins at `anchor` plus `residue` nanoseconds.
  private var frame: Int64 = 0
  private var anchor = Instant.zero
  private var residue = 0.0
  /// The relative deviation of a frame's duration from its nominal value: 1e-6 means a card 1 ppm slow.
  private var stretch = 0.0

  private var loop = DelayLockedLoop()

  /// Starts with frame 0 at instant zero, at the nominal rate in frames per second, until the first observation sets the phase.
  public init(rate: Int) {
    precondition(rate > 0, "the sample rate must be greater than 0, not \(rate)")
    self.rate = Int64(rate)
  }

  public var nanosecondsPerFrame: Double { 1e9 / Double(rate) * (1 + stretch) }

  public var health: Health {
    let deviation = Nanoseconds(Int64(loop.deviation.rounded()))
    return Health(ratePPM: -stretch / (1 + stretch) * 1e6, deviation: deviation, isLocked: loop.isLocked)
  }

  /// When a frame begins to sound, rounded up to a whole nanosecond. Valid within 292 years of the newest observation.
  public func instant(ofFrame frame: Int64) -> Instant {
    let span = self.span(ofFrames: frame - self.frame)
    return anchor + Nanoseconds(span.whole + Int64((span.rest + residue).rounded(.up)))
  }

  /// The frame that sounds at an instant, accurate to a millionth of a frame within days of the newest observation.
  public func frame(at instant: Instant) -> FramePosition {
    let elapsed = (instant - anchor).count
    let (seconds, part) = elapsed.quotientAndRemainder(dividingBy: 1_000_000_000)
    let (frames, rest) = (part * rate).quotientAndRemainder(dividingBy: 1_000_000_000)
    // Exact for frames of nominal length; only the deviation uses floating point.
    let nominal = Double(elapsed) * Double(rate) / 1e9
    let correction = (nominal * stretch + residue * Double(rate) / 1e9) / (1 + stretch)
    return FramePosition(self.frame + seconds * rate + frames, plus: Double(rest) / 1e9 - correction)
  }

  /// Records that the card was at a frame at an instant.
  ///
  /// Readings without progress are ignored. So are readings that are more than 2 ms off or of an earlier frame, but the fourth
  /// such reading in a row sets the phase: the card has jumped. After 10 s without an accepted reading the next one sets the
  /// phase.
  public mutating func observe(frame: Int64, at instant: Instant) {
    guard loop.isSeeded else { return seed(frame: frame, at: instant) }
    guard frame >= self.frame else {
      if case .seed = loop.judgeOutlier() { seed(frame: frame, at: instant) }
      return
    }
    guard frame > self.frame else { return }
    let span = self.span(ofFrames: frame - self.frame)
    let predicted = anchor + Nanoseconds(span.whole)
    let error = Double((instant - predicted).count) - span.rest - residue
    switch loop.judge(error, at: instant, after: Double(span.whole) + span.rest) {
    case .ignore: return
    case .seed: seed(frame: frame, at: instant)
    case .adjust(let phase, let slope):
      self.frame = frame
      let rest = residue + span.rest + phase
      let whole = rest.rounded(.down)
      anchor = predicted + Nanoseconds(Int64(whole))
      residue = rest - whole
      stretch = min(max(stretch + slope, -DelayLockedLoop.stretchLimit), DelayLockedLoop.stretchLimit)
    }
  }

  /// Discards the phase, as after an underrun, and keeps the rate. The map gives the same results until the next observation.
  public mutating func reseed() { loop.isSeeded = false }

  private mutating func seed(frame: Int64, at instant: Instant) {
    (self.frame, anchor, residue) = (frame, instant, 0)
    loop.start(at: instant)
  }

  /// The duration of a number of frames: whole nanoseconds and the remainder, so that long spans are exact as well.
  private func span(ofFrames count: Int64) -> (whole: Int64, rest: Double) {
    let (seconds, frames) = count.quotientAndRemainder(dividingBy: rate)
    let (part, rest) = (frames * 1_000_000_000).quotientAndRemainder(dividingBy: rate)
    let left = Double(rest) / Double(rate) + Double(count) * 1e9 / Double(rate) * stretch
    let floor = left.rounded(.down)
    return (seconds * 1_000_000_000 + part + Int64(floor), left - floor)
  }
}

extension ClockMap {
  /// The quality of a clock map's estimate, for the user.
  public struct Health: Hashable, Sendable, BitwiseCopyable {
    /// The card's rate relative to nominal, in parts per million; positive for a fast card.
    public var ratePPM: Double
    /// The mean deviation of the readings from the map.
    public var deviation: Nanoseconds
    /// Whether the readings since the phase was set span at least two seconds, so that the map can be trusted.
    public var isLocked: Bool

    public init(ratePPM: Double, deviation: Nanoseconds, isLocked: Bool) {
      self.ratePPM = ratePPM
      self.deviation = deviation
      self.isLocked = isLocked
    }
  }
}

/// A position in an audio stream, possibly between two frames.
public struct FramePosition: Hashable, Sendable, BitwiseCopyable {
  /// The frame that is sounding, counted from the stream's first.
  public var whole: Int64
  /// The fraction of that frame that has passed, 0..<1.
  public var fraction: Double

  public init(whole: Int64, fraction: Double = 0) {
    self.whole = whole
    self.fraction = fraction
  }

  /// A whole number of frames plus any number of frames, of any sign and size.
  init(_ whole: Int64, plus rest: Double) {
    let floor = rest.rounded(.down)
    let fraction = rest - floor
    // Just below a whole number, `rest - floor` rounds up to 1.
    self.init(whole: whole + Int64(floor) + (fraction < 1 ? 0 : 1), fraction: fraction < 1 ? fraction : 0)
  }

  /// This position, moved to the beginning of a frame if that is closer than 1/16,384 frame (1.3 ns at 48,000 Hz): no
  /// interpolation is needed there.
  public var snapped: FramePosition {
    let least = 1.0 / 16_384
    if fraction < least { return FramePosition(whole: whole) }
    return fraction > 1 - least ? FramePosition(whole: whole + 1) : self
  }
}

/// The same moment on two clocks of the kernel.
///
/// Read one clock, the other, then the first again. Discard the pair if the two readings of the first differ too much.
public struct ClockPair: Hashable, Sendable, BitwiseCopyable {
  public var monotonic: Instant
  public var raw: Instant

  public init(monotonic: Instant, raw: Instant) {
    self.monotonic = monotonic
    self.raw = raw
  }
}

/// Converts between `CLOCK_MONOTONIC`, the time of beats, and `CLOCK_MONOTONIC_RAW`, against which a crystal can be measured.
///
/// NTP may change the rate of the first by 500 ppm at any time. Instants are converted along a line through the newest pair of
/// readings and a pair from about a second ago; a rate change causes an error of about ten microseconds for a second. No
/// allocation: usable on the audio thread.
public struct ClockBridge: Hashable, Sendable, BitwiseCopyable {
  /// The minimum length of the line in raw time; the maximum is twice the minimum.
  private static let span = Nanoseconds.milliseconds(500)
  /// Below this span jitter dominates: the clocks are assumed to run at the same rate.
  private static let shortestSpan = Nanoseconds.milliseconds(100)

  /// The far end of the line, the next far end, and the near end.
  private var base = ClockPair(monotonic: .zero, raw: .zero)
  private var next = ClockPair(monotonic: .zero, raw: .zero)
  private var newest = ClockPair(monotonic: .zero, raw: .zero)
  private var isEmpty = true
  /// How much faster raw time runs than monotonic time, relative to monotonic time.
  private var excess = 0.0

  /// Treats the clocks as identical until the first observation.
  public init() {}

  /// Records a pair of readings; a pair without progress of both clocks is ignored.
  public mutating func observe(_ pair: ClockPair) {
    if isEmpty {
      (base, next, newest, isEmpty) = (pair, pair, pair, false)
      return
    }
    guard pair.raw > newest.raw, pair.monotonic > newest.monotonic else { return }
    newest = pair
    if newest.raw - next.raw >= Self.span { (base, next) = (next, newest) }
    let (monotonic, raw) = (newest.monotonic - base.monotonic, newest.raw - base.raw)
    if raw >= Self.shortestSpan { excess = Double((raw - monotonic).count) / Double(monotonic.count) }
  }

  /// The raw time of a monotonic instant, accurate to the nanosecond near the newest observation.
  public func raw(of instant: Instant) -> Instant {
    let elapsed = instant - newest.monotonic
    return newest.raw + elapsed + Nanoseconds(Int64((Double(elapsed.count) * excess).rounded()))
  }

  /// The monotonic time of a raw instant, accurate to the nanosecond near the newest observation.
  public func monotonic(of instant: Instant) -> Instant {
    let elapsed = instant - newest.raw
    let correction = Double(elapsed.count) * excess / (1 + excess)
    return newest.monotonic + elapsed - Nanoseconds(Int64(correction.rounded()))
  }
}

/// The filter of a clock map's delay-locked loop: decides how each reading changes the map.
///
/// Times are in nanoseconds. The form of the loop is Adriaensen's ("Using a DLL to filter time", 2005). Its bandwidths and
/// thresholds were tuned with `cost-benchmark clocks`, which prints the resulting accuracy.
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
