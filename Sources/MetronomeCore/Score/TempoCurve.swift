/// A tempo in a score, as an exact interval: a quarter lasts `quarter` / `rate` nanoseconds.
///
/// A ``Tempo`` has thousandths of a BPM. The tempi of scores are finer: decimals with six places, and the whole microseconds per
/// quarter of MIDI files.
public struct ScoreTempo: Hashable, Sendable, BitwiseCopyable {
  /// Nanoseconds in a minute, times a million.
  private static let millionthsInMinute: Int64 = 60_000_000_000_000_000

  let quarter: Int64
  let rate: Int64

  /// Millionths of a quarter per minute: 1,000,000 to 999,000,000. nil outside this range.
  public init?(microBPM: Int64) {
    guard (1_000_000...999_000_000).contains(microBPM) else { return nil }
    (quarter, rate) = (ScoreTempo.millionthsInMinute, microBPM)
  }

  /// 999 to 1 BPM.
  static let microsecondsPerQuarter: ClosedRange<Int64> = 60_061...60_000_000

  /// Whole microseconds per quarter, as in MIDI files: 60,061 to 60,000,000. nil outside this range.
  public init?(microsecondsPerQuarter: Int64) {
    guard ScoreTempo.microsecondsPerQuarter.contains(microsecondsPerQuarter) else { return nil }
    (quarter, rate) = (microsecondsPerQuarter * 1_000, 1)
  }

  public init(_ tempo: Tempo) { (quarter, rate) = (ScoreTempo.millionthsInMinute, Int64(tempo.milliBPM) * 1_000) }
}

/// The time from the start of a section to each of its positions, in closed form: no error accumulates, and a subdivision falls
/// where the tempo puts it at that position, not between two beats.
///
/// From the section's start the tempo changes for ``beats`` beats, then stays. r₀ and r₁ are the rates at both ends, B is the
/// number of beats, and a beat at rate r lasts N / (c · r) nanoseconds. The time of the position p, in beats, is:
///
/// | shape | time of p |
/// |---|---|
/// | linear in time | 2pN / (c · (r₀ + √(r₀² + (r₁² - r₀²) · p / B))) |
/// | linear in beats | N · B / (c · (r₁ - r₀)) · ln(1 + (r₁ - r₀) · p / (B · r₀)) |
/// | linear in period | N · p · (2B · r₁ + (r₀ - r₁) · p) / (2c · B · r₀ · r₁) |
public struct TempoCurve: Hashable, Sendable, BitwiseCopyable {
  public enum Shape: UInt8, Hashable, Sendable, BitwiseCopyable {
    case constant
    /// The tempo in BPM is linear in time.
    case linearInTime
    /// The tempo in BPM is linear in beats, as in klick and in digital audio workstations.
    case linearInBeats
    /// The duration of a beat is linear in beats.
    case linearInPeriod
  }

  /// The maximum length of a change of tempo, in beats.
  public static let longest: Int64 = 1 << 22
  /// In thousandths; tempi are multiplied by it.
  public static let scales = 10...4_000
  private static let unit = 1_000
  /// The rates at both ends have at most this many bits after their quotient is reduced.
  private static let rateBits = 30

  public let shape: Shape
  /// The length of the change of tempo, in beats. The tempo is constant after it.
  public let beats: Int64
  // N, c, r₀ and r₁ of the formulas. A constant tempo has both rates 1.
  private let numerator: Int128
  private let divisor: Int64
  private let first: Int64
  private let last: Int64

  /// One tempo. `scale` multiplies it, in thousandths.
  public init(_ tempo: ScoreTempo, _ metre: Metre, scale: Int = 1_000) {
    self.init(
      .constant, beats: 0, first: 1, last: 1, interval: (Int128(tempo.quarter), Int128(tempo.rate)), metre, scale)
  }

  /// One tempo, whose beats last a fraction of a nanosecond.
  init(interval numerator: Int128, over divisor: Int64) {
    self.init(.constant, beats: 0, numerator, over: Int128(divisor), first: 1, last: 1)
  }

  /// A change of tempo in this many beats. nil if it has no beats or more than ``longest``, or if the quotient of the two tempi
  /// has a numerator or denominator of more than 30 bits: this happens only if one is in BPM and the other in microseconds.
  public init?(
    _ shape: Shape, from first: ScoreTempo, to last: ScoreTempo, beats: Int64, _ metre: Metre,
    scale: Int = 1_000
  ) {
    guard (1...TempoCurve.longest).contains(beats) else { return nil }
    // The ratio of the rates is the inverse ratio of the intervals.
    let (a, b) = (Int128(last.quarter) * Int128(first.rate), Int128(first.quarter) * Int128(last.rate))
    let common = greatestCommonDivisor(a, b)
    guard max(a, b) / common < Int128(1) << Int128(TempoCurve.rateBits) else { return nil }
    let isConstant = shape == .constant || a == b
    let (from, to) = isConstant ? (1, 1) : (Int64(a / common), Int64(b / common))
    self.init(
      isConstant ? .constant : shape, beats: isConstant ? 0 : beats, first: from, last: to,
      interval: (Int128(first.quarter) * Int128(from), Int128(first.rate)), metre, scale)
  }

  /// `interval`: the duration of a quarter at rate 1, as a fraction.
  private init(
    _ shape: Shape, beats: Int64, first: Int64, last: Int64, interval: (Int128, Int128), _ metre: Metre, _ scale: Int
  ) {
    precondition(TempoCurve.scales.contains(scale), "a scale is from 10 to 4,000 thousandths")
    let numerator = interval.0 * Int128(4 * metre.notesInBeat * TempoCurve.unit)
    let divisor = interval.1 * Int128(metre.signature.denominator * scale)
    self.init(shape, beats: beats, numerator, over: divisor, first: first, last: last)
  }

  /// The time from the start of the section to a position, rounded down to 1/2⁵⁶ ns. Before the start and after the change of
  /// tempo, the tempo is constant.
  public func time(at position: Position) -> FineTime {
    let parts = Int128(position.whole) * Int128(position.denominator) + Int128(position.numerator)
    let end = Int128(beats) * Int128(position.denominator)
    if shape == .constant || parts < 0 {
      return constant(parts, over: position.denominator, at: first)
    }
    if parts > end {
      return time(at: Position(whole: beats)) + constant(parts - end, over: position.denominator, at: last)
    }
    return changing(UInt128(parts), of: UInt128(end), over: UInt128(position.denominator))
  }

  /// The number of the first beat at or after a time; 0 for negative times.
  public func firstBeat(atOrAfter time: FineTime) -> Int64 {
    if time.count <= 0 { return 0 }
    let end = self.time(at: Position(whole: beats))
    if time > end {
      let rest = WideProduct((time - end).count.magnitude, UInt128(divisor) * UInt128(last))
      let before = beats + Int64(rest.shifted(by: -FineTime.bits).divided(by: UInt128(numerator)).span.count)
      return self.time(at: Position(whole: before)) < time ? before + 1 : before
    }
    var (low, high) = (Int64(0), beats)
    while low < high {
      let middle = (low + high) / 2
      if self.time(at: Position(whole: middle)) < time { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The time of `parts` / `denominator` beats at one rate, rounded toward zero.
  private func constant(_ parts: Int128, over denominator: Int64, at rate: Int64) -> FineTime {
    let product = WideProduct(parts.magnitude, UInt128(numerator)).shifted(by: FineTime.bits)
    let time = product.divided(by: UInt128(denominator)).divided(by: UInt128(divisor)).divided(by: UInt128(rate)).span
    return parts < 0 ? .zero - time : time
  }

  /// The time of a position within the change of tempo. The position is `parts`, the length of the change `end`, both in
  /// 1/`denominator` of a beat.
  private func changing(_ parts: UInt128, of end: UInt128, over denominator: UInt128) -> FineTime {
    let (numerator, divisor) = (UInt128(numerator), UInt128(divisor))
    let (first, last) = (UInt128(first), UInt128(last))
    let quotient: WideProduct
    switch shape {
    case .constant: return .zero
    case .linearInPeriod:
      let bracket = last * (2 * end - parts) + first * parts
      quotient = WideProduct(numerator * parts, bracket).shifted(by: FineTime.bits).divided(by: 2 * end)
        .divided(by: denominator).divided(by: first).divided(by: last)
    case .linearInTime:
      // The root has as many binary digits after the point as fit into its square, the divisor and the dividend below. It is
      // exact if its argument is a square.
      let argument = first * first * (end - parts) + last * last * parts
      let size = UInt128.bitWidth - end.leadingZeroBitCount
      let product = UInt128.bitWidth - (numerator * parts).leadingZeroBitCount
      let digits =
        min(
          (argument.leadingZeroBitCount + end.leadingZeroBitCount) / 2, (max(first, last) * end).leadingZeroBitCount,
          2 * UInt128.bitWidth - FineTime.bits - product - size) - 2
      let shift = min(end.leadingZeroBitCount, 2 * digits)
      let root = WideProduct(argument << UInt128(2 * digits - shift), end << UInt128(shift)).squareRoot
      quotient = WideProduct(2 * numerator * parts, end << UInt128(digits)).shifted(by: FineTime.bits)
        .divided(by: (first * end) << UInt128(digits) + root).divided(by: denominator)
    case .linearInBeats:
      let logarithm = FixedLogarithm.ratio(first * (end - parts) + last * parts, first * end)
      quotient = WideProduct(numerator * UInt128(beats), logarithm.magnitude)
        .shifted(by: FineTime.bits - FixedLogarithm.bits).divided(by: max(first, last) - min(first, last))
    }
    return quotient.divided(by: divisor).span
  }
}

extension TempoCurve {
  private init(_ shape: Shape, beats: Int64, _ numerator: Int128, over divisor: Int128, first: Int64, last: Int64) {
    let common = greatestCommonDivisor(numerator, divisor)
    self.shape = shape
    self.beats = beats
    self.numerator = numerator / common
    self.divisor = Int64(divisor / common)
    self.first = first
    self.last = last
  }

  /// The curve at another practice speed: the same as if it had been created with `new` in place of `old`.
  func rescaled(from old: Int, to new: Int) -> TempoCurve {
    if old == new { return self }
    return TempoCurve(
      shape, beats: beats, numerator * Int128(old), over: Int128(divisor) * Int128(new), first: first, last: last)
  }

  /// The tempo at the beginning, as a constant.
  var initial: TempoCurve {
    TempoCurve(.constant, beats: 0, numerator, over: Int128(divisor) * Int128(first), first: 1, last: 1)
  }

  /// The tempo at a position in beats, in the notes that the metre's tempo counts, rounded to thousandths.
  func tempo(at position: Position, in metre: Metre) -> Tempo {
    let (first, last) = (Double(first), Double(last))
    let beat = Double(position.whole) + Double(position.numerator) / Double(position.denominator)
    let share = beats == 0 ? 1 : min(max(beat / Double(beats), 0), 1)
    let rate =
      switch shape {
      case .constant: 1.0
      case .linearInTime: (first * first + (last * last - first * first) * share).squareRoot()
      case .linearInBeats: first + (last - first) * share
      case .linearInPeriod: 1 / (1 / first + (1 / last - 1 / first) * share)
      }
    let unit = Double(metre.unit.isDotted ? 3 : 1) / Double(metre.unit.denominator)
    let notes = Double(metre.notesInBeat) / Double(metre.signature.denominator) / unit
    let milliBPM = 60_000_000_000_000 * notes * rate * Double(divisor) / Double(numerator)
    return Tempo(clampingMilliBPM: Int(milliBPM.rounded()))
  }
}

/// A tempo curve at a place in a timeline.
struct PlacedCurve: Equatable, Sendable, BitwiseCopyable {
  var curve: TempoCurve
  /// The number of the beat at which the curve begins.
  var beat: Int64
  /// When that beat falls.
  var origin: FineTime

  func time(of position: Position) -> FineTime { origin + curve.time(at: position - Position(whole: beat)) }

  func instant(of position: Position) -> Instant { .zero + time(of: position).nanoseconds }

  /// The number of the first beat at or after an instant, and not before the curve begins.
  func firstBeat(atOrAfter instant: Instant) -> Int64 {
    beat + curve.firstBeat(atOrAfter: .earliest(at: instant) - origin)
  }
}
