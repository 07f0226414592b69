import MetronomeCore

/// A sound card whose crystal is off, and the clock that network time bends.
///
/// Its time zero is that of its first frame; times are in nanoseconds.
public struct Card: Sendable {
  public static let rate = 48_000
  public static let period: Int64 = 256

  /// How much faster than nominally it plays.
  public var driftPPM = 60.0
  /// By how much the monotonic clock is slewed, and from when to when by the raw one, in seconds.
  public var slewPPM = 0.0
  public var slewed = 20.0..<120.0

  public init(driftPPM: Double = 60, slewPPM: Double = 0) {
    self.driftPPM = driftPPM
    self.slewPPM = slewPPM
  }

  var nanosecondsPerFrame: Double { 1e9 / Double(Self.rate) / (1 + driftPPM * 1e-6) }

  /// The monotonic time of a raw one.
  func monotonic(_ raw: Double) -> Double {
    raw + (min(max(raw, slewed.lowerBound * 1e9), slewed.upperBound * 1e9) - slewed.lowerBound * 1e9) * slewPPM * 1e-6
  }
}
