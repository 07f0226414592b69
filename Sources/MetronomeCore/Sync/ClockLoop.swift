/// A second-order delay-locked loop over the instants of clocks (F. Adriaensen, "Using a DLL to filter time", LAC 2005), with
/// errors clamped at four mean deviations.
///
/// Its bandwidth is 0.4 / (time since the lock), at most 4 Hz and at least 0.02 Hz: it locks at once, and averages over ever more
/// clocks. It widens again if eight errors in a row are above two mean deviations on the same side (a small change of tempo), and by
/// half if the mean error is 0.9 mean deviations (a ramp). The deviation is estimated from differences of neighboring errors,
/// which a ramp does not increase. The constants are chosen by simulation; the benchmark prints the result.
struct ClockLoop: Sendable {
  private static let widest = 4.0
  private static let narrowest = 0.02
  private static let narrowing = 0.4
  private static let run = 8
  /// The duration of a clock at 999 quarters per minute, in nanoseconds.
  static let shortest = 2_502_502.0

  /// The filtered instant of the last clock: whole nanoseconds, and the rest.
  private(set) var instant: Instant
  private(set) var fraction = 0.0
  /// The duration of a clock, in nanoseconds.
  private(set) var period: Double
  /// The mean deviation of the clocks, in nanoseconds.
  private(set) var deviation = 0.0
  /// How many clocks gave it.
  private var measured = 0.0
  /// The time since the loop was widest, in seconds.
  private var age = 0.0
  private var mean = 0.0
  private var before = 0.0
  /// How many errors in a row were large, negative for early clocks.
  private var large = 0

  init(at instant: Instant, period: Double) { (self.instant, self.period) = (instant, ClockLoop.clamped(period)) }

  /// Garbage must not make time run backward: the tempo stays between 1 and 999 quarters per minute.
  private static func clamped(_ period: Double) -> Double { min(max(period, shortest), 2_500_000_000) }

  /// Counts clocks that were not measured, and so make the loop no narrower.
  mutating func skip(_ number: Int64) { move(by: Double(number) * period) }

  /// The same source from another instant on, perhaps at another tempo.
  mutating func restart(at instant: Instant, period: Double? = nil) {
    let old = self
    self = ClockLoop(at: instant, period: period ?? self.period)
    (deviation, measured) = (old.deviation, old.measured)
  }

  /// The time from the last clock to an instant, in clocks.
  func clocks(until instant: Instant) -> Double { (Double((instant - self.instant).count) - fraction) / period }

  mutating func measure(_ clock: Instant) {
    let error = Double((clock - instant).count) - fraction - period
    if measured == 0 { deviation = abs(error) + 1_000 }
    measured += 1
    watchForChange(error)
    // A few clocks may be near to their places by chance.
    let limit = measured < 8 ? max(4 * deviation, period / 16) : 4 * deviation
    let clamped = min(max(error, -limit), limit)
    mean += (clamped - mean) / 16
    if abs(mean) > 0.9 * deviation, age > 0.3 { (age, mean) = (age / 2, mean / 2) }
    deviation += max(0.03, 1 / (measured + 1)) * (min(abs(error - before) * 0.707_106_781, limit) - deviation)
    deviation = max(deviation, 1_000)
    before = error
    let bandwidth = max(ClockLoop.narrowest, min(ClockLoop.widest, ClockLoop.narrowing / (age + 1e-9)))
    let omega = min(2 * Double.pi * bandwidth * period / 1e9, 0.6)
    move(by: period + 1.414_213_562 * omega * clamped)
    age += period / 1e9
    period = ClockLoop.clamped(period + omega * omega * clamped)
  }

  private mutating func watchForChange(_ error: Double) {
    large = abs(error) <= 2 * deviation ? 0 : error > 0 ? max(large, 0) + 1 : min(large, 0) - 1
    guard abs(large) >= ClockLoop.run else { return }
    (age, large, deviation) = (0, 0, abs(error))
  }

  private mutating func move(by time: Double) {
    let sum = fraction + time
    let whole = sum.rounded(.down)
    instant = instant + Nanoseconds(Int64(whole))
    fraction = sum - whole
  }
}
