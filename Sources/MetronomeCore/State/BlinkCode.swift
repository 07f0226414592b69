/// A message in flashes and beeps: a tempo, a signature or a number digit by digit, or a confirmation or refusal.
///
/// A value of fixed size that gives the light's state at every instant. A digit from 1 to 9 is that number of flashes, 0 is one
/// long flash. The lights are dark for ``pause`` before and after, so that no flash looks like a beat.
public struct BlinkCode: Hashable, Sendable, BitwiseCopyable {
  /// Dark time before the first flash and after the last.
  public static let pause = Nanoseconds.milliseconds(300)
  /// Duration of a flash.
  static let flash = Nanoseconds.milliseconds(100)
  /// Time from the start of a flash to the start of the next flash of the same digit.
  static let flashInterval = Nanoseconds.milliseconds(300)
  /// Time from the start of the first flash of a confirmation to the start of the second.
  static let confirmationInterval = Nanoseconds.milliseconds(250)
  /// Duration of a flash for 0 and for a refusal.
  static let longFlash = Nanoseconds.milliseconds(600)
  /// Dark time between digits, and between numbers.
  static let digitGap = Nanoseconds.milliseconds(700)
  static let numberGap = Nanoseconds.milliseconds(1_500)

  /// When the message takes over the lights.
  public let begin: Instant
  /// The marks in order, 4 bits each, the first in the lowest bits; a 0 ends them.
  private var marks: UInt32 = 0
  /// Whether the buzzer plays the message, too.
  public let hasAudio: Bool

  public init(_ reply: Reply, from begin: Instant) {
    self.begin = begin
    hasAudio = if case .refused = reply { false } else { true }
    switch reply {
    case .tempo(let tempo): append(number: Int(tempo.milliBPM + 500) / 1_000)
    case .number(let number): append(number: number)
    case .signature(let signature):
      append(number: signature.numerator)
      append(nibble: Mark.gap.rawValue)
      append(number: signature.denominator)
    case .stored: append(nibble: Mark.confirmation.rawValue)
    case .pairing: for _ in 0..<2 { append(nibble: Mark.confirmation.rawValue) }
    case .refused: append(nibble: Mark.zero.rawValue)
    }
  }

  /// Whether the message controls the lights at an instant.
  public func covers(_ instant: Instant) -> Bool { begin <= instant && instant < end }

  public func isLit(at instant: Instant) -> Bool {
    var isLit = false
    forEachFlash { isLit = isLit || $0 <= instant && instant < $1 }
    return isLit
  }

  /// The next instant after this one at which the light or the control of the lights changes; nil from ``end`` on.
  public func nextChange(after instant: Instant) -> Instant? {
    guard instant < end else { return nil }
    guard begin <= instant else { return begin }
    var next = end
    forEachFlash { start, end in
      if start > instant { next = min(next, start) }
      if end > instant { next = min(next, end) }
    }
    return next
  }

  /// When the message releases the lights.
  public var end: Instant {
    var last = begin
    forEachFlash { last = $1 }
    return last + BlinkCode.pause
  }

  /// The marks other than the digits 1 to 9, which stand for themselves.
  private enum Mark: UInt32 {
    case zero = 10
    case gap = 11
    case confirmation = 12
  }

  private mutating func append(number: Int) {
    var divisor = 1
    while number / divisor >= 10 { divisor *= 10 }
    while divisor > 0 {
      let digit = UInt32(number / divisor % 10)
      append(nibble: digit == 0 ? Mark.zero.rawValue : digit)
      divisor /= 10
    }
  }

  private mutating func append(nibble: UInt32) {
    var place = UInt32(0)
    while marks >> place != 0 { place += 4 }
    precondition(place < 32, "a message has at most 8 marks")
    marks |= nibble << place
  }

  /// Calls `body` with the start and the end of each flash, in order.
  private func forEachFlash(_ body: (Instant, Instant) -> Void) {
    var start = begin + BlinkCode.pause
    var rest = marks
    while rest != 0 {
      let nibble = rest & 0xF
      rest >>= 4
      let (count, width, interval) = BlinkCode.flashes(of: nibble)
      for number in 0..<count {
        body(start + interval * number, start + interval * number + width)
      }
      start = start + (count > 0 ? interval * (count - 1) + width : .zero)
      // A gap between numbers replaces the gap between digits.
      if nibble == Mark.gap.rawValue {
        start = start + BlinkCode.numberGap
      } else if rest & 0xF != Mark.gap.rawValue {
        start = start + BlinkCode.digitGap
      }
    }
  }

  private static func flashes(of nibble: UInt32) -> (count: Int64, width: Nanoseconds, interval: Nanoseconds) {
    switch Mark(rawValue: nibble) {
    case .zero: (1, longFlash, .zero)
    case .gap: (0, .zero, .zero)
    case .confirmation: (2, flash, confirmationInterval)
    case nil: (Int64(nibble), flash, flashInterval)
    }
  }
}
