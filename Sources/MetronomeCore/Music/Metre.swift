/// The speed of quarter notes: 1 to 999 beats per minute, in whole thousandths.
///
/// The tempo counts quarter notes in every signature. A beat, however, is one note of the signature's denominator.
public struct Tempo: Hashable, Comparable, Sendable, BitwiseCopyable, CustomStringConvertible {
  /// Thousandths of a beat per minute, always within ``range``.
  public let milliBPM: Int32

  public static let range: ClosedRange<Int32> = 1_000...999_000

  /// 120 BPM, the tempo of a new metronome.
  public static let initial = Tempo(clampingMilliBPM: 120_000)

  /// nil outside ``range``.
  public init?(milliBPM: Int) {
    guard let thousandths = Int32(exactly: milliBPM), Tempo.range.contains(thousandths) else { return nil }
    self.milliBPM = thousandths
  }

  public init(clampingMilliBPM milliBPM: Int) {
    self.milliBPM = Int32(min(max(milliBPM, Int(Tempo.range.lowerBound)), Int(Tempo.range.upperBound)))
  }

  /// nil outside 1 to 999.
  public init?(bpm: Int) {
    guard (1...999).contains(bpm) else { return nil }
    self.init(milliBPM: bpm * 1_000)
  }

  /// Parses a decimal with at most three decimal places, such as `92.5` or `120`; nil for anything else.
  public init?(decimal text: some StringProtocol) {
    guard let thousandths = thousandths(ofDecimal: text) else { return nil }
    self.init(milliBPM: thousandths)
  }

  /// This tempo plus `step` thousandths, limited to ``range``.
  public func stepped(byMilliBPM step: Int) -> Tempo {
    let (sum, overflows) = Int(milliBPM).addingReportingOverflow(step)
    return Tempo(clampingMilliBPM: overflows ? .max : sum)
  }

  /// The number without unit and trailing zeros: `120`, `92.5`, `33.333`.
  public var number: String { decimal(thousandths: Int(milliBPM)) }

  /// The text on a display: `120 BPM`, `92.5 BPM`.
  public var description: String { number + " BPM" }

  public static func < (a: Tempo, b: Tempo) -> Bool { a.milliBPM < b.milliBPM }
}

/// A time signature: the number of beats in a bar, and the note that lasts one beat.
public struct Signature: Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
  /// Beats in a bar, 1 to ``highestNumerator``.
  public let numerator: Int
  /// The note that lasts one beat: 1, 2, 4, 8, 16 or 32.
  public let denominator: Int

  public static let highestNumerator = 32

  /// 4/4, the signature of a new metronome.
  public static let initial = Signature(unchecked: 4, over: 4)

  /// nil if the limit does not allow it.
  public init?(_ numerator: Int, over denominator: Int, limit: NumeratorLimit) {
    guard limit.denominators.contains(denominator), (1...limit.highestNumerator(over: denominator)).contains(numerator)
    else { return nil }
    self.init(unchecked: numerator, over: denominator)
  }

  private init(unchecked numerator: Int, over denominator: Int) {
    self.numerator = numerator
    self.denominator = denominator
  }

  /// This signature with another numerator, clamped to the range that the limit allows.
  public func with(numerator: Int, limit: NumeratorLimit) -> Signature {
    Signature(unchecked: min(max(numerator, 1), limit.highestNumerator(over: denominator)), over: denominator)
  }

  /// This signature with another denominator, which may reduce the numerator. Unchanged if the limit forbids the denominator.
  public func with(denominator: Int, limit: NumeratorLimit) -> Signature {
    guard limit.denominators.contains(denominator) else { return self }
    return Signature(unchecked: min(numerator, limit.highestNumerator(over: denominator)), over: denominator)
  }

  /// One more beat per bar; wraps to 1.
  public func nextNumerator(limit: NumeratorLimit) -> Signature {
    let next = numerator + 1
    return with(numerator: next > limit.highestNumerator(over: denominator) ? 1 : next, limit: limit)
  }

  /// One beat fewer per bar; wraps to the highest number.
  public func previousNumerator(limit: NumeratorLimit) -> Signature {
    with(numerator: numerator > 1 ? numerator - 1 : limit.highestNumerator(over: denominator), limit: limit)
  }

  /// The next denominator; wraps. It may reduce the numerator.
  public func nextDenominator(limit: NumeratorLimit) -> Signature {
    with(denominator: limit.denominators.first { $0 > denominator } ?? limit.denominators[0], limit: limit)
  }

  /// The previous denominator; wraps. It may reduce the numerator.
  public func previousDenominator(limit: NumeratorLimit) -> Signature {
    let all = limit.denominators
    return with(denominator: all.last { $0 < denominator } ?? all[all.count - 1], limit: limit)
  }

  /// The nearest signature that the limit allows: the next allowed denominator, and at most the beats allowed over it.
  public func limited(by limit: NumeratorLimit) -> Signature {
    let allowed = limit.denominators.first { $0 >= denominator } ?? denominator
    return Signature(unchecked: min(numerator, limit.highestNumerator(over: allowed)), over: allowed)
  }

  /// The text on a display: `4/4`.
  public var description: String { "\(numerator)/\(denominator)" }

  /// Parses a signature such as `7/8`, without a limit on the numerator; nil for anything else.
  public init?(text: some StringProtocol) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let numerator = Int(parts[0]), let denominator = Int(parts[1]) else { return nil }
    self.init(numerator, over: denominator, limit: .none)
  }
}

/// How large the numerator of a signature may be.
public enum NumeratorLimit: String, Hashable, Sendable, CaseIterable {
  /// At most the denominator: 4/4, 7/8, 12/16. This is Raytronome's rule.
  case denominator
  /// Up to 32 over any denominator, including 1 and 2: 5/4, 12/8, 3/2. The default.
  case none

  /// The available denominators, in the order in which a button steps through them.
  public var denominators: [Int] { self == .denominator ? [4, 8, 16, 32] : [1, 2, 4, 8, 16, 32] }

  public func highestNumerator(over denominator: Int) -> Int {
    self == .denominator ? denominator : Signature.highestNumerator
  }
}

/// One beat of a timeline: its time and its place in the music.
public struct Beat: Hashable, Sendable, BitwiseCopyable {
  /// The beat's number since the start; the first is 0.
  public var index: Int64
  public var instant: Instant
  /// The beat's bar, counted from 0. Count-in bars are negative: two of them are -2 and -1.
  public var bar: Int64
  /// The beat's position in the bar, counted from 0.
  public var position: Int
  public var level: Level { position == 0 ? .strong : .weak }
  public var parity: Parity { Parity(ofBeat: index) }
  public var isCountedIn: Bool { bar < 0 }

  public init(index: Int64, instant: Instant, bar: Int64, position: Int) {
    self.index = index
    self.instant = instant
    self.bar = bar
    self.position = position
  }
}

/// The accent of a beat. Only strong and weak are used at present.
public enum Level: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
  /// The first beat of a bar.
  case strong
  /// The first beat of a group within the bar.
  case medium
  /// Any other beat.
  case weak
  /// Barely noticeable.
  case ghost
  /// Counted, but neither shown nor played.
  case rest

  /// The level whose pulses this level uses: only strong and weak have pulses of their own.
  public var shared: Level {
    switch self {
    case .strong, .medium: .strong
    case .weak, .ghost, .rest: .weak
    }
  }

  /// The level's name in configuration files and traces.
  public var word: String { shared == .strong ? "first" : "regular" }
}

/// One value per level.
public struct PerLevel<Value> {
  public var strong: Value
  public var medium: Value
  public var weak: Value
  public var ghost: Value
  public var rest: Value

  public init(_ make: (Level) -> Value) {
    strong = make(.strong)
    medium = make(.medium)
    weak = make(.weak)
    ghost = make(.ghost)
    rest = make(.rest)
  }

  public init(repeating value: Value) { self.init { _ in value } }

  /// Every other level gets the value of its ``Level/shared`` level.
  public init(strong: Value, weak: Value) { self.init { $0.shared == .strong ? strong : weak } }

  public subscript(level: Level) -> Value {
    get {
      switch level {
      case .strong: strong
      case .medium: medium
      case .weak: weak
      case .ghost: ghost
      case .rest: rest
      }
    }
    set {
      switch level {
      case .strong: strong = newValue
      case .medium: medium = newValue
      case .weak: weak = newValue
      case .ghost: ghost = newValue
      case .rest: rest = newValue
      }
    }
  }

  /// Sets the value of a level and of the levels that share its settings.
  public mutating func share(_ value: Value, from level: Level) {
    for other in Level.allCases where other.shared == level { self[other] = value }
  }
}

extension PerLevel: Equatable where Value: Equatable {}
extension PerLevel: Hashable where Value: Hashable {}
extension PerLevel: Sendable where Value: Sendable {}
extension PerLevel: BitwiseCopyable where Value: BitwiseCopyable {}

/// The side to which the pendulum swings; even and odd beats alternate from the start.
public enum Parity: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
  case even
  case odd

  public init(ofBeat index: Int64) { self = index & 1 == 0 ? .even : .odd }
}
