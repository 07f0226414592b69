/// Which frame of a stream sounds at which instant.
///
/// Made from the newest observation and the nominal rate. The one place that knows how frames and time belong together:
/// whoever disciplines the card's clock does it here.
public struct FrameMap: Hashable, Sendable, BitwiseCopyable {
  private let rate: Int64
  private var frame: Int64 = 0
  private var instant = Instant.zero

  /// - Parameter rate: frames a second, nominally.
  public init(rate: Int) { self.rate = Int64(rate) }

  /// Takes in that a frame sounded at an instant, not before those observed earlier.
  public mutating func observe(frame: Int64, at instant: Instant) {
    self.frame = frame
    self.instant = instant
  }

  /// When a frame begins to sound, rounded up. Exact within 13 hours of the newest observation.
  public func instant(ofFrame frame: Int64) -> Instant {
    let scaled = (frame - self.frame) * 1_000_000_000
    return instant + Nanoseconds(scaled > 0 ? (scaled + rate - 1) / rate : scaled / rate)
  }

  /// The frame that begins nearest to an instant. Exact within 13 hours of the newest observation.
  public func frame(at instant: Instant) -> Int64 {
    let scaled = (instant - self.instant).count * rate
    let half: Int64 = 500_000_000
    return frame + (scaled >= 0 ? (scaled + half) / 1_000_000_000 : -((half - scaled) / 1_000_000_000))
  }
}
