import MetronomeCore

/// A sound card with a crystal error, and a monotonic clock that NTP slews.
///
/// Time zero is the time of the card's first frame; times are in nanoseconds.
public struct Card: Sendable {
  public static let rate = 48_000
  public static let period: Int64 = 256

  /// How much faster than its nominal rate the card plays.
  public var driftPPM = 60.0
  /// The slew of the monotonic clock.
  public var slewPPM = 0.0
  /// When the slew starts and ends, in seconds of the raw clock.
  public var slewed = 20.0..<120.0

  public init(driftPPM: Double = 60, slewPPM: Double = 0) {
    self.driftPPM = driftPPM
    self.slewPPM = slewPPM
  }

  var nanosecondsPerFrame: Double { 1e9 / Double(Self.rate) / (1 + driftPPM * 1e-6) }

  /// The monotonic time at a raw time.
  func monotonic(_ raw: Double) -> Double {
    raw + (min(max(raw, slewed.lowerBound * 1e9), slewed.upperBound * 1e9) - slewed.lowerBound * 1e9) * slewPPM * 1e-6
  }
}
