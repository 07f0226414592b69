import MetronomeCore

/// A sound card of nominally 48 kHz that reports its position without noise, rounded up to the nanosecond.
struct PerfectCard {
  static let start = Instant(nanoseconds: 77_000_000_000_123)

  let ppm: Double
  /// The last frame whose reading `lockedMap()` gives to its map: two minutes after the start.
  let lastReadFrame: Int64 = 22_500 * 256

  /// The instant at which a frame begins to play, rounded up to the nanosecond.
  func instant(ofFrame frame: Int64) -> Instant {
    // Adds the whole seconds as an integer: a Double loses nanoseconds in the time of a long stream.
    let (seconds, frames) = frame.quotientAndRemainder(dividingBy: 48_000)
    let nominal = Double(seconds) * 1e9 + Double(frames) / 48_000 * 1e9
    let faster = nominal * (ppm * 1e-6) / (1 + ppm * 1e-6)
    return Self.start + .seconds(seconds) + Nanoseconds(Int64((Double(frames) / 48_000 * 1e9 - faster).rounded(.up)))
  }

  /// A clock map after two minutes of readings, one every 256 frames.
  func lockedMap() -> ClockMap {
    var map = ClockMap(rate: 48_000)
    for frame in stride(from: 0, through: lastReadFrame, by: 256) {
      map.observe(frame: frame, at: instant(ofFrame: frame))
    }
    return map
  }
}
