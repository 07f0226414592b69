import MetronomeCore

/// A sound card of 48 kHz nominally that tells its position without any noise, but for the nanosecond.
struct PerfectCard {
  static let start = Instant(nanoseconds: 77_000_000_000_123)

  let ppm: Double
  /// The last frame of which the map has heard that `learnt` returns: two minutes.
  let newestLearnt: Int64 = 22_500 * 256

  /// When a frame begins to sound, rounded up.
  func instant(ofFrame frame: Int64) -> Instant {
    // 1 ppm is 10⁻⁶ exactly in these units; a Double would hold the time of a long stream to a microsecond only.
    let (seconds, frames) = frame.quotientAndRemainder(dividingBy: 48_000)
    let nominal = Double(seconds) * 1e9 + Double(frames) / 48_000 * 1e9
    let faster = nominal * (ppm * 1e-6) / (1 + ppm * 1e-6)
    return Self.start + .seconds(seconds) + Nanoseconds(Int64((Double(frames) / 48_000 * 1e9 - faster).rounded(.up)))
  }

  /// The map after two minutes of its readings, one every 256 frames.
  func learnt() -> ClockMap {
    var map = ClockMap(rate: 48_000)
    for frame in stride(from: 0, through: newestLearnt, by: 256) {
      map.observe(frame: frame, at: instant(ofFrame: frame))
    }
    return map
  }
}
