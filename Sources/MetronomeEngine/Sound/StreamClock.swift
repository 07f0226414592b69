import HardwareAbstraction
import MetronomeCore

/// Which frame of a stream sounds at which instant of the clock that everything is timed by.
///
/// The card's crystal is followed on the raw clock, whose seconds are all of one length, and what is asked for is converted
/// at the edge: a slew of the system's clock by the network's time would otherwise look like a drift of the card.
public struct StreamClock: Hashable, Sendable {
  /// How well the card's clock is known.
  public struct Health: Hashable, Sendable {
    public var isLocked: Bool
    /// By how much the card runs faster than it says, in parts per thousand million.
    public var ratePPB: Int64
  }

  private var map: ClockMap
  private var bridge = ClockBridge()

  init(_ format: AudioFormat) { map = ClockMap(rate: format.rate) }

  var health: Health {
    let health = map.health
    return Health(isLocked: health.isLocked, ratePPB: Int64((health.ratePPM * 1_000).rounded()))
  }

  /// Takes in where the stream stands.
  ///
  /// - Parameter pair: read with the status, or shortly after it.
  mutating func observe(_ status: AudioStatus, _ pair: ClockPair) {
    bridge.observe(pair)
    map.observe(frame: status.frame - status.delay, at: bridge.raw(of: status.instant))
  }

  /// The stream was started anew: what is known of the card's rate stays, where it stands is to be observed.
  mutating func reseed() { map.reseed() }

  func frame(at instant: Instant) -> FramePosition { map.frame(at: bridge.raw(of: instant)) }

  /// When a frame begins to sound.
  func instant(ofFrame frame: Int64) -> Instant { bridge.monotonic(of: map.instant(ofFrame: frame)) }
}
