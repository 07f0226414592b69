/// A span of time in whole nanoseconds.
///
/// 64 bits hold 292 years either way. `Duration` counts attoseconds in 128 bits, which each step would divide away again.
public struct Nanoseconds: Hashable, Comparable, Sendable, BitwiseCopyable {
  public var count: Int64

  public init(_ count: Int64) { self.count = count }

  public static let zero = Nanoseconds(0)

  public static func microseconds(_ count: Int64) -> Nanoseconds { Nanoseconds(count * 1_000) }
  public static func milliseconds(_ count: Int64) -> Nanoseconds { Nanoseconds(count * 1_000_000) }
  public static func seconds(_ count: Int64) -> Nanoseconds { Nanoseconds(count * 1_000_000_000) }

  public static func < (a: Nanoseconds, b: Nanoseconds) -> Bool { a.count < b.count }
  public static func + (a: Nanoseconds, b: Nanoseconds) -> Nanoseconds { Nanoseconds(a.count + b.count) }
  public static func - (a: Nanoseconds, b: Nanoseconds) -> Nanoseconds { Nanoseconds(a.count - b.count) }
  public static func * (a: Nanoseconds, b: Int64) -> Nanoseconds { Nanoseconds(a.count * b) }
  public static func / (a: Nanoseconds, b: Int64) -> Nanoseconds { Nanoseconds(a.count / b) }
}

/// A point on the monotonic clock (`CLOCK_MONOTONIC` on Linux), in whole nanoseconds since the clock's own zero.
///
/// The program knows no other time: the kernel stamps edges in it, and beats, lines and frames follow it.
public struct Instant: Hashable, Comparable, Sendable, BitwiseCopyable {
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  public static let zero = Instant(nanoseconds: 0)

  public static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }
  public static func - (a: Instant, b: Instant) -> Nanoseconds { Nanoseconds(a.nanoseconds - b.nanoseconds) }
  public static func + (a: Instant, b: Nanoseconds) -> Instant { Instant(nanoseconds: a.nanoseconds + b.count) }
  public static func - (a: Instant, b: Nanoseconds) -> Instant { Instant(nanoseconds: a.nanoseconds - b.count) }
}

extension Nanoseconds {
  /// What a duration may look like, for messages that ask for one.
  public static let textForm = "a number with h, m, s, ms or us after it, or of seconds: 24h, 2m, 1.5s, 250ms, 90"

  /// The longest span that can be written: ten years of 365¼ days.
  private static let longest = Nanoseconds.seconds(87_660 * 3_600)

  /// The span that a person wrote: `1.5s`, `250ms`, `2m`, `24h`, `500us`, or bare seconds, `90`.
  ///
  /// nil for anything else: signs, exponents, spaces, more than nine decimals, more than ten years, or fractions of a
  /// nanosecond.
  public init?(text: some StringProtocol) {
    let bytes = text.utf8
    guard let unitStart = bytes.firstIndex(where: { !isDigit($0) && $0 != UInt8(ascii: ".") }) else {
      self.init(number: bytes[...], unit: 1_000_000_000)
      return
    }
    let unit: Int64
    switch String(text[unitStart...]) {
    case "h": unit = 3_600_000_000_000
    case "m": unit = 60_000_000_000
    case "s": unit = 1_000_000_000
    case "ms": unit = 1_000_000
    case "us": unit = 1_000
    default: return nil
    }
    self.init(number: bytes[..<unitStart], unit: unit)
  }

  /// The span as ``init(text:)`` reads it back, in the largest unit of which it is a whole number: `10m`, `1500ms`; with
  /// decimals where there is none, `0.0000005s`. Not for spans below zero.
  package var text: String {
    let units: [(name: String, count: Int64)] = [
      ("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000),
    ]
    if count != 0, let unit = units.first(where: { count.isMultiple(of: $0.count) }) {
      return "\(count / unit.count)\(unit.name)"
    }
    let (seconds, rest) = count.quotientAndRemainder(dividingBy: 1_000_000_000)
    guard rest != 0 else { return "\(seconds)s" }
    return "\(seconds).\(String(rest + 1_000_000_000).dropFirst())s"
  }

  private init?(number: some Collection<UInt8>, unit: Int64) {
    let billion: Int64 = 1_000_000_000
    let parts = number.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = digits(parts[0], atMost: 18) else { return nil }
    var billionths: Int64 = 0
    if parts.count == 2 {
      guard let fraction = digits(parts[1], atMost: 9) else { return nil }
      billionths = fraction
      for _ in parts[1].count..<9 { billionths *= 10 }
    }
    let part: Int64
    if unit >= billion {
      part = billionths * (unit / billion)
    } else {
      guard billionths.isMultiple(of: billion / unit) else { return nil }
      part = billionths / (billion / unit)
    }
    guard whole <= Nanoseconds.longest.count / unit else { return nil }
    self.init(whole * unit + part)
    guard self <= Nanoseconds.longest else { return nil }
  }
}

private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

/// A number of one digit to so many; nil for anything else.
func digits(_ text: some Collection<UInt8>, atMost highest: Int) -> Int64? {
  guard (1...highest).contains(text.count), text.allSatisfy(isDigit) else { return nil }
  return text.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
}
