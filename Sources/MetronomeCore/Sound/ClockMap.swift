/// Which frame of a sound card sounds at which instant: the card's own clock, told from noisy readings of its position.
///
/// A line, anchored at the newest reading and turned a little by each: the second-order delay-locked loop of Fons
/// Adriaensen, "Using a DLL to filter time" (Linux Audio Conference 2005), made robust against late readings. A card 60 ppm
/// off, read under 15 µs of jitter and rare delays of 36 ms, is found to ±50 µs after a second at most, one whose position
/// moves in steps of 1 ms to ±150 µs after two; at 200 ppm it takes up to three seconds.
///
/// The readings' clock should not be slewed: network time may bend `CLOCK_MONOTONIC` by 500 ppm, and the loop would lag by
/// hundreds of microseconds (`ClockBridge` converts). Anchor and fraction are kept apart, so that nothing loses precision.
/// Fixed size, no reference, no allocation: for the audio thread.
public struct ClockMap: Hashable, Sendable, BitwiseCopyable {
  private let rate: Int64

  /// The line: at `anchor` plus `residue` nanoseconds begins frame `frame`.
  private var frame: Int64 = 0
  private var anchor = Instant.zero
  private var residue = 0.0
  /// By how much a frame lasts longer than nominally, relative to it: 1e-6 is a card 1 ppm slow.
  private var stretch = 0.0

  private var loop = DelayLockedLoop()

  /// Frame 0 at instant zero, at the nominal rate, until the first observation sets the phase.
  ///
  /// - Parameter rate: frames a second, nominally; more than 0.
  public init(rate: Int) {
    precondition(rate > 0, "A sound card plays more than 0 frames a second; \(rate) is no rate.")
    self.rate = Int64(rate)
  }

  /// How long a frame lasts by the readings so far, in nanoseconds.
  public var nanosecondsPerFrame: Double { 1e9 / Double(rate) * (1 + stretch) }

  /// How well the map is doing.
  public var health: Health {
    Health(
      ratePPM: -stretch / (1 + stretch) * 1e6,
      deviation: Nanoseconds(Int64(loop.deviation.rounded())),
      isLocked: loop.isLocked)
  }

  /// When a frame begins to sound: the first whole nanosecond at which it has begun.
  ///
  /// For frames within 292 years of the newest observation.
  public func instant(ofFrame frame: Int64) -> Instant {
    let span = self.span(ofFrames: frame - self.frame)
    return anchor + Nanoseconds(span.whole + Int64((span.rest + residue).rounded(.up)))
  }

  /// The frame that sounds at an instant, and how much of it is over.
  ///
  /// The inverse of `instant(ofFrame:)`, to a millionth of a frame within days of the newest observation.
  public func frame(at instant: Instant) -> FramePosition {
    let elapsed = (instant - anchor).count
    let (seconds, part) = elapsed.quotientAndRemainder(dividingBy: 1_000_000_000)
    let (frames, rest) = (part * rate).quotientAndRemainder(dividingBy: 1_000_000_000)
    // In frames of nominal length, and then shorter or longer: only the difference is left to floating point.
    let nominal = Double(elapsed) * Double(rate) / 1e9
    let correction = (nominal * stretch + residue * Double(rate) / 1e9) / (1 + stretch)
    return FramePosition(self.frame + seconds * rate + frames, plus: Double(rest) / 1e9 - correction)
  }

  /// Takes in that the card was at a frame at an instant.
  ///
  /// Ignored are readings that show no progress over the newest one taken in, and such as are more than 2 ms off or before
  /// it, unless it is the fourth of these in a row: then the card has moved, and the map with it. After 10 s without any
  /// reading that was believed the next one sets the phase.
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
    case .turn(let phase, let slope):
      self.frame = frame
      let rest = residue + span.rest + phase
      let whole = rest.rounded(.down)
      anchor = predicted + Nanoseconds(Int64(whole))
      residue = rest - whole
      stretch = min(max(stretch + slope, -DelayLockedLoop.stretchLimit), DelayLockedLoop.stretchLimit)
    }
  }

  /// Forgets the phase, as after an underrun or a reopened card, and keeps the rate. Until the next observation, which sets
  /// the phase, the map answers as before.
  public mutating func reseed() { loop.isSeeded = false }

  private mutating func seed(frame: Int64, at instant: Instant) {
    self.frame = frame
    anchor = instant
    residue = 0
    loop.start(at: instant)
  }

  /// How long so many frames last: whole nanoseconds and what is left, so that long spans are exact as well.
  private func span(ofFrames count: Int64) -> (whole: Int64, rest: Double) {
    let (seconds, frames) = count.quotientAndRemainder(dividingBy: rate)
    let (part, rest) = (frames * 1_000_000_000).quotientAndRemainder(dividingBy: rate)
    let nominal = Double(count) * 1e9 / Double(rate)
    let whole = seconds * 1_000_000_000 + part
    return split(whole, plus: Double(rest) / Double(rate) + nominal * stretch)
  }

  private func split(_ whole: Int64, plus rest: Double) -> (whole: Int64, rest: Double) {
    let floor = rest.rounded(.down)
    return (whole + Int64(floor), rest - floor)
  }
}

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

/// A place in a stream of sound, between two frames if need be.
public struct FramePosition: Hashable, Sendable, BitwiseCopyable {
  /// The frame that is sounding, counted from the stream's first.
  public var whole: Int64
  /// How much of that frame is over, 0..<1.
  public var fraction: Double

  public init(whole: Int64, fraction: Double = 0) {
    self.whole = whole
    self.fraction = fraction
  }

  /// A whole number of frames and any number of them more, however negative or large the rest.
  init(_ whole: Int64, plus rest: Double) {
    let floor = rest.rounded(.down)
    let fraction = rest - floor
    // Just below a whole number, the difference itself rounds up to one.
    self.init(whole: whole + Int64(floor) + (fraction < 1 ? 0 : 1), fraction: fraction < 1 ? fraction : 0)
  }

  /// The beginning of a frame, if that is nearer than 1/16,384 of one: at 48,000 Hz 1.3 ns, about what the clocks are told
  /// apart by. A sound that begins there need not be interpolated.
  public var snapped: FramePosition {
    let least = 1.0 / 16_384
    if fraction < least { return FramePosition(whole: whole) }
    return fraction > 1 - least ? FramePosition(whole: whole + 1) : self
  }
}

/// The same moment on two clocks of the kernel.
///
/// To be read bracketed: the one clock, the other, the one again, and thrown away if the brackets lie far apart,
/// because a thread that was interrupted between two readings has not seen the same moment.
public struct ClockPair: Hashable, Sendable, BitwiseCopyable {
  /// By `CLOCK_MONOTONIC`.
  public var monotonic: Instant
  /// By `CLOCK_MONOTONIC_RAW`.
  public var raw: Instant

  public init(monotonic: Instant, raw: Instant) {
    self.monotonic = monotonic
    self.raw = raw
  }
}

/// From `CLOCK_MONOTONIC`, by which beats are counted, to `CLOCK_MONOTONIC_RAW`, by which a crystal can be measured.
///
/// Network time may bend the first by 500 ppm at any time. A line through the newest pair of readings and one of about a
/// second ago converts instants; a bend costs some ten microseconds for a second, over the tens of milliseconds that a card
/// is written ahead. Fixed size, no reference, no allocation: for the audio thread.
public struct ClockBridge: Hashable, Sendable, BitwiseCopyable {
  /// How far apart, in raw time, the two ends of the line are at least once there are enough readings; at most twice
  /// it.
  private static let span = Nanoseconds.milliseconds(500)
  /// Below this span the jitter of the readings says more than the clocks do: they are taken to run alike.
  private static let shortestSpan = Nanoseconds.milliseconds(100)

  /// The far end of the line, the one to follow it, and the near end.
  private var base = ClockPair(monotonic: .zero, raw: .zero)
  private var next = ClockPair(monotonic: .zero, raw: .zero)
  private var newest = ClockPair(monotonic: .zero, raw: .zero)
  private var isEmpty = true
  /// By how much raw time runs faster than monotonic time, relative to the latter.
  private var excess = 0.0

  /// The bridge between clocks that are the same, as it answers until the first observation.
  public init() {}

  /// Takes in a pair of readings; such as show no progress of both clocks are ignored.
  public mutating func observe(_ pair: ClockPair) {
    if isEmpty {
      (base, next, newest) = (pair, pair, pair)
      isEmpty = false
      return
    }
    guard pair.raw > newest.raw, pair.monotonic > newest.monotonic else { return }
    newest = pair
    if newest.raw - next.raw >= Self.span {
      base = next
      next = newest
    }
    let monotonic = newest.monotonic - base.monotonic
    let raw = newest.raw - base.raw
    if raw >= Self.shortestSpan { excess = Double((raw - monotonic).count) / Double(monotonic.count) }
  }

  /// The raw time of a monotonic instant, to the nanosecond near the newest observation.
  public func raw(of instant: Instant) -> Instant {
    let elapsed = instant - newest.monotonic
    return newest.raw + elapsed + Nanoseconds(Int64((Double(elapsed.count) * excess).rounded()))
  }

  /// The monotonic time of a raw instant, to the nanosecond near the newest observation.
  public func monotonic(of instant: Instant) -> Instant {
    let elapsed = instant - newest.raw
    let correction = Double(elapsed.count) * excess / (1 + excess)
    return newest.monotonic + elapsed - Nanoseconds(Int64(correction.rounded()))
  }
}
