/// Something told by flashes and beeps: a tempo or a signature digit by digit, or that something was done or refused.
///
/// A value of fixed size that says for every instant whether its light is on. A digit from 1 to 9 is as many flashes, 0 is
/// a long one; numbers are told from their first digit that is not 0. It takes the lights over for ``pause`` before its
/// first flash and after its last, so that none is taken for a beat.
public struct BlinkCode: Hashable, Sendable, BitwiseCopyable {
  /// Dark before the first flash and after the last.
  public static let pause = Nanoseconds.milliseconds(300)
  /// How long a flash lasts, and from one to the next of the same digit.
  static let flash = Nanoseconds.milliseconds(100)
  static let flashInterval = Nanoseconds.milliseconds(300)
  /// Of the two flashes that confirm, which are closer.
  static let confirmationInterval = Nanoseconds.milliseconds(250)
  /// How long a flash lasts that stands for 0, or refuses.
  static let longFlash = Nanoseconds.milliseconds(600)
  /// Dark between digits, and between numbers.
  static let digitGap = Nanoseconds.milliseconds(700)
  static let numberGap = Nanoseconds.milliseconds(1_500)

  /// From when on the lights belong to it.
  public let begin: Instant
  /// The marks in order, in nibbles from the lowest; 0 where there are no more.
  private var marks: UInt32 = 0
  /// Whether it is for the buzzer too.
  public let hasSound: Bool

  /// Tells nothing.
  public static let none = BlinkCode(begin: .zero, hasSound: false)

  /// What a reply looks like that begins at an instant.
  public init(_ reply: Reply, from begin: Instant) {
    switch reply {
    case .tempo(let tempo):
      self.init(begin: begin, hasSound: true)
      append(number: Int(tempo.milliBPM + 500) / 1_000)
    case .signature(let signature):
      self.init(begin: begin, hasSound: true)
      append(number: signature.numerator)
      append(.gap)
      append(number: signature.denominator)
    case .stored:
      self.init(begin: begin, hasSound: true)
      append(.confirmation)
    case .refused:
      self.init(begin: begin, hasSound: false)
      append(.zero)
    }
  }

  private init(begin: Instant, hasSound: Bool) {
    self.begin = begin
    self.hasSound = hasSound
  }

  /// Whether the lights belong to it at an instant.
  public func covers(_ instant: Instant) -> Bool { marks != 0 && begin <= instant && instant < end }

  /// Whether its light is on at an instant.
  public func isLit(at instant: Instant) -> Bool {
    var isLit = false
    forEachFlash { isLit = isLit || $0 <= instant && instant < $1 }
    return isLit
  }

  /// The next instant after this one at which something changes; nil: nothing does any more.
  public func nextChange(after instant: Instant) -> Instant? {
    guard marks != 0, instant < end else { return nil }
    guard begin <= instant else { return begin }
    var next = end
    forEachFlash { start, end in
      if start > instant { next = min(next, start) }
      if end > instant { next = min(next, end) }
    }
    return next
  }

  /// Until when the lights belong to it.
  public var end: Instant {
    var last = begin
    forEachFlash { last = $1 }
    return last + BlinkCode.pause
  }

  private enum Mark: UInt32 {
    /// 1 to 9 are the digits themselves.
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

  private mutating func append(_ mark: Mark) { append(nibble: mark.rawValue) }

  private mutating func append(nibble: UInt32) {
    var place = UInt32(0)
    while marks >> place != 0 { place += 4 }
    precondition(place < 32, "a signal of more marks than there is room for")
    marks |= nibble << place
  }

  /// Each flash in order: when it starts and when it ends.
  private func forEachFlash(_ take: (Instant, Instant) -> Void) {
    var start = begin + BlinkCode.pause
    var rest = marks
    while rest != 0 {
      let nibble = rest & 0xF
      rest >>= 4
      let (count, width, interval) = BlinkCode.flashes(of: nibble)
      for number in 0..<count {
        let flash = start + interval * number
        take(flash, flash + width)
      }
      start = start + (count > 0 ? interval * (count - 1) + width : .zero)
      // A gap's own darkness is added to by none of its neighbours'.
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
