/// How fast the quarter notes go: beats per minute, in whole thousandths, from 1 to 999.
///
/// The tempo counts quarter notes whatever the signature; a beat lasts a note of the signature's denominator.
public struct Tempo: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// Thousandths of a beat per minute, always within ``range``.
  public let milliBPM: Int32

  /// What ``milliBPM`` may be: 1 to 999 BPM.
  public static let range: ClosedRange<Int32> = 1_000...999_000

  /// 120 BPM, where every metronome starts.
  public static let initial = Tempo(clampingMilliBPM: 120_000)

  /// The tempo of so many thousandths, or nil if that lies outside ``range``.
  public init?(milliBPM: Int) {
    guard let thousandths = Int32(exactly: milliBPM), Tempo.range.contains(thousandths) else { return nil }
    self.milliBPM = thousandths
  }

  /// The tempo of so many thousandths, or the nearest one there is.
  public init(clampingMilliBPM milliBPM: Int) {
    self.milliBPM = Int32(min(max(milliBPM, Int(Tempo.range.lowerBound)), Int(Tempo.range.upperBound)))
  }

  /// The tempo of so many whole beats per minute, or nil outside 1 to 999.
  public init?(bpm: Int) {
    guard (1...999).contains(bpm) else { return nil }
    self.init(milliBPM: bpm * 1_000)
  }

  /// The tempo written in decimals with at most three places, as `92.5` or `120`; nil for anything else.
  public init?(decimal text: some StringProtocol) {
    guard let thousandths = thousandths(ofDecimal: text) else { return nil }
    self.init(milliBPM: thousandths)
  }

  /// This tempo and so many thousandths more (or fewer), stopping at the ends of ``range``.
  public func stepped(byMilliBPM step: Int) -> Tempo {
    let (sum, overflows) = Int(milliBPM).addingReportingOverflow(step)
    return Tempo(clampingMilliBPM: overflows ? .max : sum)
  }

  /// The number alone, without trailing zeros: `120`, `92.5`, `33.333`.
  public var number: String { decimal(thousandths: Int(milliBPM)) }

  public static func < (a: Tempo, b: Tempo) -> Bool { a.milliBPM < b.milliBPM }
}

extension Tempo: CustomStringConvertible {
  /// The text on a display: `120 BPM`, `92.5 BPM`.
  public var description: String { number + " BPM" }
}

/// Reads a plain decimal, as `92.5`, in thousandths; nil unless it has 1 to 9 digits and at most 3 places after a point.
package func thousandths(ofDecimal text: some StringProtocol) -> Int? {
  let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
  guard let whole = digits(parts[0], atMost: 9) else { return nil }
  guard parts.count == 2 else { return Int(whole * 1_000) }
  guard var fraction = digits(parts[1], atMost: 3) else { return nil }
  for _ in parts[1].count..<3 { fraction *= 10 }
  return Int(whole * 1_000 + fraction)
}

/// Writes thousandths as a plain decimal without trailing zeros: 92500 as `92.5`.
package func decimal(thousandths: Int) -> String {
  let (whole, rest) = thousandths.quotientAndRemainder(dividingBy: 1_000)
  guard rest != 0 else { return String(whole) }
  var digits = Array(String(rest + 1_000).utf8.dropFirst())
  while digits.last == UInt8(ascii: "0") { digits.removeLast() }
  return "\(whole)." + String(decoding: digits, as: UTF8.self)
}
