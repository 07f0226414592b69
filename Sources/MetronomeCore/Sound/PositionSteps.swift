/// Sharper positions from a sound card that tells its position only in steps.
///
/// ALSA's Loopback counts milliseconds, USB packets of one, the Pi's headphone jack up to ten. What such a card says was
/// true at its last step, so that the true position lies in `p ..< p + step`. Every reading thus bounds it from below and
/// from above, and together, carried along at the card's rate, they leave a far narrower interval than any alone; the
/// middle of that is the sharpened position. The bounds give way slowly, as the rate is not known to the last digit, and
/// where a reading contradicts them, it wins: the interval is dragged along.
///
/// Fixed in size, no reference, no allocation: made for the audio thread.
public struct PositionSteps: Hashable, Sendable, BitwiseCopyable {
  /// Steps up to so many frames are within the jitter of the readings and passed on as they are.
  private static let finest = 8
  /// By how much the bounds give way for each frame played: how well the rate is known while the map is young.
  private static let slack = 50e-6
  /// A reading that contradicts the bounds by more than this is wrong, unless it is the fourth of such in a row.
  private static let outlier = 2e6
  private static let outlierLimit = 4

  private let step: Double
  private let rate: Double
  /// The newest reading, and the bounds of the true position in frames after it.
  private var frame: Int64 = 0
  private var instant = Instant.zero
  private var low = 0.0
  private var high = 0.0
  private var isEmpty = true
  private var outliers = 0

  /// - Parameters:
  ///   - step: in how many frames at a time the card's position moves; 1 if it is exact.
  ///   - rate: frames a second, nominally.
  public init(step: Int, rate: Int) {
    precondition(step > 0 && rate > 0, "A position moves in steps of at least a frame; \(step) at \(rate) Hz is none.")
    self.step = Double(step)
    self.rate = Double(rate)
  }

  /// Forgets all readings, as after an underrun or a reopened card.
  public mutating func reset() { isEmpty = true }

  /// The position that the card most likely had, and when, from one that it told in steps.
  ///
  /// - Parameters:
  ///   - frame: the position that the card told.
  ///   - instant: when it did; later than the reading before.
  ///   - length: of a frame in nanoseconds, as the map of this card knows it by now.
  /// - Returns: nil if the reading cannot be true: later than 2 ms, ahead by as much, or in the past.
  public mutating func sharpen(
    frame: Int64, at instant: Instant, nanosecondsPerFrame length: Double
  ) -> (frame: Int64, instant: Instant)? {
    guard step > Double(Self.finest) else { return (frame, instant) }
    if isEmpty {
      restart(frame: frame, at: instant)
    } else {
      guard instant > self.instant else { return nil }
      let played = Double((instant - self.instant).count) / length
      guard advance(to: frame, at: instant, played: played, length: length) else { return nil }
    }
    let middle = (low + high) / 2
    let whole = middle.rounded(.down)
    let ago = Nanoseconds(Int64(((middle - whole) * length).rounded()))
    return (frame + Int64(whole), instant - ago)
  }

  private mutating func restart(frame: Int64, at instant: Instant) {
    (self.frame, self.instant) = (frame, instant)
    (low, high) = (0, step)
    isEmpty = false
    outliers = 0
  }

  private mutating func advance(to frame: Int64, at instant: Instant, played: Double, length: Double) -> Bool {
    let moved = played - Double(frame - self.frame)
    let lowest = low + moved - played * Self.slack
    let highest = high + moved + played * Self.slack
    if max(lowest - step, -highest) * length > Self.outlier {
      outliers += 1
      guard outliers >= Self.outlierLimit else { return false }
      restart(frame: frame, at: instant)
      return true
    }
    outliers = 0
    (self.frame, self.instant) = (frame, instant)
    low = min(max(lowest, 0), step)
    high = min(max(highest, 0), step)
    return true
  }
}
