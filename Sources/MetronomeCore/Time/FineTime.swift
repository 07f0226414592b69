/// A span of time in 1/2⁵⁶ of a nanosecond.
///
/// The sections of a score follow one another at instants that are not whole nanoseconds: three bars of a third of a second are
/// a second, but their rounded lengths are a nanosecond less. Every span is rounded down to 1/2⁵⁶ ns, so a sum of n spans is
/// less than n/2⁵⁶ ns early. An instant that is less than 1/2³² ns before a whole nanosecond therefore counts as this nanosecond:
/// that is right for 16 million sections one after another, and no instant of another score is so near in practice.
public struct FineTime: Hashable, Comparable, Sendable, BitwiseCopyable {
  static let bits = 56
  /// What the rounding of a sum may have removed: 1/2³² ns. Not a stored property: a real-time thread must not wait for its
  /// initialization.
  private static var tolerance: Int128 { 1 << Int128(bits - 32) }
  /// More than ten thousand years. Longer spans, which only a score that is too long has, count as this one: then sums fit.
  static var longest: FineTime { FineTime(count: 1 << Int128(bits + 69)) }

  /// In 1/2⁵⁶ ns.
  public var count: Int128

  public init(count: Int128) { self.count = count }

  public init(_ span: Nanoseconds) { count = Int128(span.count) << Int128(FineTime.bits) }

  public static var zero: FineTime { FineTime(count: 0) }

  /// Whole nanoseconds, rounded down; at most 146 years.
  public var nanoseconds: Nanoseconds {
    let whole = (count + FineTime.tolerance) >> Int128(FineTime.bits)
    return Nanoseconds(Int64(min(max(whole, -1 << 62), 1 << 62)))
  }

  /// The last whole nanosecond of the clock at or before this time, counted from the clock's zero.
  var instant: Instant { .zero + nanoseconds }

  /// The first whole nanosecond at or after this time.
  var instantAtOrAfter: Instant {
    FineTime(count: count + (1 << Int128(FineTime.bits)) - 1 - 2 * FineTime.tolerance).instant
  }

  /// The earliest time whose ``instant`` is this one.
  static func earliest(at instant: Instant) -> FineTime {
    FineTime(count: FineTime(instant - .zero).count - FineTime.tolerance)
  }

  /// The latest time that has come at an instant: its ``instantAtOrAfter`` is this one.
  static func latest(at instant: Instant) -> FineTime {
    FineTime(count: FineTime(instant - .zero).count + FineTime.tolerance)
  }

  public static func < (a: FineTime, b: FineTime) -> Bool { a.count < b.count }
  public static func + (a: FineTime, b: FineTime) -> FineTime { FineTime(count: a.count + b.count) }
  public static func - (a: FineTime, b: FineTime) -> FineTime { FineTime(count: a.count - b.count) }

  /// This span times a quotient, rounded toward zero.
  package func scaled(by numerator: Int, over denominator: Int) -> FineTime {
    if numerator == denominator { return self }
    let scaled = WideProduct(count.magnitude, UInt128(numerator)).divided(by: UInt128(denominator)).span
    return count < 0 ? .zero - scaled : scaled
  }
}

/// A product of integers, 256 bits wide, that is divided without a rounding error in between.
struct WideProduct {
  private(set) var high: UInt128
  private(set) var low: UInt128

  init(_ a: UInt128, _ b: UInt128) { (high, low) = a.multipliedFullWidth(by: b) }

  private init(high: UInt128, low: UInt128) { (self.high, self.low) = (high, low) }

  /// The quotient, rounded down. Dividing by two numbers in turn rounds like dividing once by their product.
  func divided(by divisor: UInt128) -> WideProduct {
    let (quotient, rest) = high.quotientAndRemainder(dividingBy: divisor)
    return WideProduct(high: quotient, low: divisor.dividingFullWidth((rest, low)).quotient)
  }

  /// This product times two to the power of `places`, or divided by it and rounded down if it is negative.
  ///
  /// - Precondition: the result fits, and `places` is from -127 to 127.
  func shifted(by places: Int) -> WideProduct {
    if places == 0 { return self }
    if places < 0 {
      return WideProduct(high: high >> UInt128(-places), low: low >> UInt128(-places) | high << UInt128(128 + places))
    }
    precondition(high.leadingZeroBitCount >= places, "the product has more than 256 bits")
    return WideProduct(high: high << UInt128(places) | low >> UInt128(128 - places), low: low << UInt128(places))
  }

  /// The value as a count of ``FineTime``, at most ``FineTime/longest``.
  var span: FineTime { high == 0 ? FineTime(count: Int128(min(low, FineTime.longest.count.magnitude))) : .longest }

  /// The square root, rounded down. The product has at most 252 bits.
  var squareRoot: UInt128 {
    if high == 0, low == 0 { return 0 }
    // Newton's method from above. The first value is right to thirty bits, so two or three steps are enough.
    let bits = high == 0 ? 128 - low.leadingZeroBitCount : 256 - high.leadingZeroBitCount
    let places = max(0, bits - 62) & ~1
    let top = places >= 128 ? high >> UInt128(places - 128) : shifted(by: -places).low
    var root = UInt128(UInt64(Double(UInt64(top)).squareRoot()) + 2) << UInt128(places / 2)
    while true {
      let next = (root + divided(by: root).low) >> 1
      if next >= root { return root }
      root = next
    }
  }
}

/// The greatest common divisor of two numbers that are not negative.
func greatestCommonDivisor<Number: FixedWidthInteger>(_ a: Number, _ b: Number) -> Number {
  var (a, b) = (a, b)
  while b != 0 { (a, b) = (b, a % b) }
  return a
}

/// Natural logarithms in fixed point, so that every machine computes the same instants.
enum FixedLogarithm {
  /// The number of fractional bits.
  static let bits = 120

  /// `ln(a / b)` in 1/2¹²⁰, rounded toward zero, with an error of at most 100 units.
  ///
  /// - Precondition: both are positive and have at most 100 bits, and the quotient is from 1/1,024 to 1,024.
  static func ratio(_ a: UInt128, _ b: UInt128) -> Int128 {
    if a < b { return -ratio(b, a) }
    // a / b = 2ᵏ · m with m from 1 to 2, and ln m = 2 · artanh((m - 1) / (m + 1)).
    var (k, divisor): (UInt128, UInt128) = (0, b)
    while divisor << 1 <= a {
      divisor <<= 1
      k += 1
    }
    return Int128(k * logarithmOf2 + twiceArtanh(a - divisor, over: a + divisor))
  }

  /// The binary digits of ln 2. Not a stored property: a real-time thread must not wait for its initialization.
  private static var logarithmOf2: UInt128 { 0xB1_7217_F7D1_CF79_ABC9_E3B3_9803_F2F6 }

  /// `2 · artanh(n / d)` for n / d up to 1/3: a series in which each term is at least nine times as small as the one before.
  private static func twiceArtanh(_ n: UInt128, over d: UInt128) -> UInt128 {
    let z = WideProduct(n, 1 << UInt128(bits)).divided(by: d).low
    let square = product(z, z)
    var (power, sum, place): (UInt128, UInt128, UInt128) = (z, 0, 1)
    while power > 0 {
      sum += power / place
      power = product(power, square)
      place += 2
    }
    return sum << 1
  }

  private static func product(_ a: UInt128, _ b: UInt128) -> UInt128 { WideProduct(a, b).shifted(by: -bits).low }
}
