/// A span of time in whole nanoseconds.
///
/// 64 bits hold ±292 years. `Duration` counts attoseconds in 128 bits and would require a division at each step.
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
/// The clock of all events: the kernel stamps edges with it, and beats, lines and frames are scheduled by it.
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
  /// The format of a duration, for messages.
  public static let textForm =
    "a number of seconds, or a number with the unit h, m, s, ms or us, such as 90, 24h, 2m, 1.5s or 250ms"

  /// The longest span that can be parsed: ten years of 365¼ days.
  private static let longest = Nanoseconds.seconds(87_660 * 3_600)
  private static let units: [(name: String, count: Int64)] = [
    ("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000),
  ]

  /// Parses a span such as `1.5s`, `250ms`, `2m`, `24h`, `500us`, or bare seconds, `90`.
  ///
  /// nil for anything else: signs, exponents, spaces, more than nine decimals, more than ten years, or fractions of a
  /// nanosecond.
  public init?(text: some StringProtocol) {
    let end = text.utf8.firstIndex { !isDigit($0) && $0 != UInt8(ascii: ".") } ?? text.endIndex
    let name = end == text.endIndex ? "s" : String(text[end...])
    guard let unit = Nanoseconds.units.first(where: { $0.name == name }) else { return nil }
    self.init(number: text.utf8[..<end], unit: unit.count)
  }

  /// The span in a form that ``init(text:)`` parses, in the largest unit in which it is a whole number: `10m`, `1500ms`; with
  /// decimals if there is no such unit, `0.0000005s`. Not for negative spans.
  package var text: String {
    if count != 0, let unit = Nanoseconds.units.first(where: { count.isMultiple(of: $0.count) }) {
      return "\(count / unit.count)\(unit.name)"
    }
    let (seconds, rest) = count.quotientAndRemainder(dividingBy: 1_000_000_000)
    guard rest != 0 else { return "\(seconds)s" }
    return "\(seconds).\(String(rest + 1_000_000_000).dropFirst())s"
  }

  private init?(number: some Collection<UInt8>, unit: Int64) {
    let billion: Int64 = 1_000_000_000
    guard let (whole, billionths) = decimal(number, atMost: 18, places: 9) else { return nil }
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

/// Parses a number of 1 to `highest` digits; nil for anything else.
func digits(_ text: some Collection<UInt8>, atMost highest: Int) -> Int64? {
  guard (1...highest).contains(text.count), text.allSatisfy(isDigit) else { return nil }
  return text.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
}

/// Parses a plain decimal such as `92.5` in thousandths; nil unless it has 1 to 9 digits and at most 3 decimal places.
package func thousandths(ofDecimal text: some StringProtocol) -> Int? {
  decimal(text.utf8, atMost: 9, places: 3).map { Int($0.whole * 1_000 + $0.fraction) }
}

/// Parses a plain decimal: the whole part, and the fraction in units of its last allowed place; nil for anything else.
private func decimal(
  _ text: some Collection<UInt8>, atMost highest: Int, places: Int
) -> (whole: Int64, fraction: Int64)? {
  let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
  guard let whole = digits(parts[0], atMost: highest) else { return nil }
  guard parts.count == 2 else { return (whole, 0) }
  guard var fraction = digits(parts[1], atMost: places) else { return nil }
  for _ in parts[1].count..<places { fraction *= 10 }
  return (whole, fraction)
}

/// A number with its noun: `1 bar`, `4 bars`.
package func counted(_ number: some BinaryInteger, _ noun: String) -> String {
  "\(number) \(noun)\(number == 1 ? "" : "s")"
}

/// Formats thousandths as a plain decimal without trailing zeros: 92500 as `92.5`.
package func decimal(thousandths: Int) -> String {
  let (whole, rest) = thousandths.quotientAndRemainder(dividingBy: 1_000)
  guard rest != 0 else { return String(whole) }
  var digits = Array(String(rest + 1_000).utf8.dropFirst())
  while digits.last == UInt8(ascii: "0") { digits.removeLast() }
  return "\(whole)." + String(decoding: digits, as: UTF8.self)
}
