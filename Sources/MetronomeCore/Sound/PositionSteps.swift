/// Sharper positions from a sound card that tells its position only in steps.
///
/// ALSA's Loopback counts milliseconds, USB packets of one, the Pi's headphone jack up to ten. What such a card says
/// was true at its last step, so that the true position lies in `p ..< p + step`. Every reading thus bounds it from
/// below and from above, and together, carried along at the card's rate, they leave a far narrower interval than any
/// alone; the middle of that is the sharpened position. The bounds give way slowly, as the rate is not known to the
/// last digit, and where a reading contradicts them, it wins: the interval is dragged along.
///
/// What stays unknown is where the position lies between the phases of a step at which the card is read: every 256
/// frames at 48 kHz these are a third of a millisecond apart. A map fed with the sharpened positions is then true to
/// 1/6 ms while the phases stay, to 0.22 ms while they turn, and to 0.24 ms after a card went from +50 to −50 ppm.
///
/// Fixed in size, no reference, no allocation: made for the audio thread.
public struct PositionSteps: Hashable, Sendable, BitwiseCopyable {
  /// Steps up to so many frames are within the jitter of the readings and passed on as they are.
  private static let finest = 8
  /// By how much the bounds give way for each frame played, once the rate is known and before. Less remembers longer,
  /// more forgives a rate that is off; measured with cards up to 200 ppm off nominal, read at phases of a step that
  /// stay the same, turn slowly and turn quickly.
  private static let slack = 50e-6
  private static let firstSlack = 200e-6
  /// After how many nanoseconds the rate is known.
  private static let youth = 6e9
  /// Over how many nanoseconds the rate is smoothed. Without, a map that swings carries the bounds along, and these the
  /// map: 0.2 ms became 0.45.
  private static let memory = 5e9
  /// At first, over this part of the time since the first reading: the sooner the bounds follow a map that learns.
  private static let haste = 3.0
  /// A reading that contradicts the bounds by more than this is wrong, unless it is the fourth of such in a row.
  private static let outlier = 2e6
  private static let outlierLimit = 4

  private let step: Double
  /// The newest reading, and the bounds of the true position in frames after it.
  private var frame: Int64 = 0
  private var instant = Instant.zero
  private var low = 0.0
  private var high = 0.0
  /// How long a frame lasts, in nanoseconds, smoothed.
  private var length: Double
  /// For how many nanoseconds the rate has been smoothed.
  private var age = 0.0
  private var isEmpty = true
  private var outliers = 0

  /// - Parameters:
  ///   - step: in how many frames at a time the card's position moves; 1 if it is exact.
  ///   - rate: frames a second, nominally.
  public init(step: Int, rate: Int) {
    precondition(step > 0 && rate > 0, "A position moves in steps of at least a frame; \(step) at \(rate) Hz is none.")
    self.step = Double(step)
    length = 1e9 / Double(rate)
  }

  /// Forgets all readings, as after an underrun or a reopened card, and keeps the rate.
  public mutating func reset() { isEmpty = true }

  /// The position that the card most likely had, and when, from one that it told in steps.
  ///
  /// - Parameters:
  ///   - frame: the position that the card told.
  ///   - instant: when it did; later than the reading before.
  ///   - length: of a frame in nanoseconds, as the map of this card knows it by now.
  /// - Returns: nil if the reading is not after the one before, or off by more than 2 ms; the fourth of such in a row
  ///   begins anew.
  public mutating func sharpen(
    frame: Int64, at instant: Instant, nanosecondsPerFrame length: Double
  ) -> (frame: Int64, instant: Instant)? {
    guard step > Double(Self.finest) else { return (frame, instant) }
    let elapsed = Double((instant - self.instant).count)
    if isEmpty {
      restart()
    } else if elapsed <= 0 || !carry(to: frame, over: elapsed / self.length) {
      outliers += 1
      guard outliers >= Self.outlierLimit else { return nil }
      restart()
    } else {
      age += elapsed
      self.length += (length - self.length) * min(elapsed / min(age / Self.haste, Self.memory), 1)
    }
    (self.frame, self.instant) = (frame, instant)
    let middle = (low + high) / 2
    let whole = middle.rounded(.down)
    let ago = Nanoseconds(Int64(((middle - whole) * length).rounded()))
    return (frame + Int64(whole), instant - ago)
  }

  /// Begins with a reading that stands alone.
  private mutating func restart() {
    (low, high) = (0, step)
    isEmpty = false
    outliers = 0
  }

  /// Carries the bounds to the next reading and narrows them by it; false if it cannot be true.
  private mutating func carry(to frame: Int64, over played: Double) -> Bool {
    let moved = played - Double(frame - self.frame)
    let slack = age < Self.youth ? Self.firstSlack : Self.slack
    let lowest = low + moved - played * slack
    let highest = high + moved + played * slack
    guard max(lowest - step, -highest) * length <= Self.outlier else { return false }
    outliers = 0
    low = min(max(lowest, 0), step)
    high = min(max(highest, 0), step)
    return true
  }
}
