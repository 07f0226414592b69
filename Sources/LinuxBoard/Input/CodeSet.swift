import CLinux

/// Codes of keys or axes, a bit for each as the kernel hands them out.
package struct CodeSet {
  var bits = [UInt8](repeating: 0, count: Int(KEY_MAX) / 8 + 1)

  init() {}

  /// - Parameters:
  ///   - text: how sysfs shows a device's codes: words in hexadecimal, the highest first, those above it left out.
  ///   - wordBits: of how many bits the kernel's words are for this program.
  /// - Returns: nil for anything else.
  package init?(_ text: String, wordBits: Int = UInt.bitWidth) {
    let words = text.split(separator: " ")
    guard !words.isEmpty else { return nil }
    for (place, word) in words.reversed().enumerated() {
      guard let value = UInt64(word, radix: 16) else { return nil }
      for index in 0..<wordBits / 8 where place * wordBits / 8 + index < bits.count {
        bits[place * wordBits / 8 + index] = UInt8(truncatingIfNeeded: value >> UInt64(index * 8))
      }
    }
  }

  package func contains(_ code: UInt16) -> Bool {
    let byte = Int(code / 8)
    return byte < bits.count && bits[byte] & (1 << (code % 8)) != 0
  }
}
