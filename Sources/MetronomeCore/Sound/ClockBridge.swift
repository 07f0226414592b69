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
/// Network time may bend the one by 500 ppm from a moment to the next, the other is never touched. A line through the
/// newest pair of readings and one of about a second ago carries instants over; for the tens of milliseconds that a
/// sound card is written ahead, a bend costs some ten microseconds then, for a second. Where both clocks are the same,
/// so are the instants.
///
/// Fixed in size, no reference, no allocation: made for the audio thread.
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
