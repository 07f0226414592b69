/// Reads a plain decimal, as `92.5`, in thousandths; nil for signs, exponents, more than three places or anything that
/// is not a number of at most nine digits before the point.
package func thousandths(ofDecimal text: some StringProtocol) -> Int? {
  let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
  guard let whole = digits(parts[0]), (1...9).contains(parts[0].count) else { return nil }
  guard parts.count == 2 else { return whole * 1_000 }
  guard let fraction = digits(parts[1]), (1...3).contains(parts[1].count) else { return nil }
  var scaled = fraction
  for _ in parts[1].count..<3 { scaled *= 10 }
  return whole * 1_000 + scaled
}

/// Writes thousandths as a plain decimal without trailing zeros: 92500 as `92.5`.
package func decimal(thousandths: Int) -> String {
  let (whole, rest) = thousandths.quotientAndRemainder(dividingBy: 1_000)
  guard rest != 0 else { return String(whole) }
  var digits = Array(String(rest + 1_000).utf8.dropFirst())
  while digits.last == UInt8(ascii: "0") { digits.removeLast() }
  return "\(whole)." + String(decoding: digits, as: UTF8.self)
}

private func digits(_ text: some Collection<UInt8>) -> Int? {
  guard !text.isEmpty, text.count <= 9 else { return nil }
  var value = 0
  for byte in text {
    guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
    value = value * 10 + Int(byte - UInt8(ascii: "0"))
  }
  return value
}
