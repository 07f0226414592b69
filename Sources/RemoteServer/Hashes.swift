/// The first secure hash algorithm (FIPS 180-4). Only for the handshake of WebSocket, which needs no secrecy.
public enum SHA1 {
  /// The 20 bytes of the hash.
  public static func hash(_ bytes: [UInt8]) -> [UInt8] {
    var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    let message = padded(bytes)
    for start in stride(from: 0, to: message.count, by: 64) {
      var words = bigEndianWords(message[start..<start + 64])
      for index in 16..<80 {
        words.append((words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]).rotated(left: 1))
      }
      compress(words, into: &state)
    }
    return state.flatMap(\.bigEndianBytes)
  }

  private static func compress(_ words: [UInt32], into state: inout [UInt32]) {
    var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
    for (index, word) in words.enumerated() {
      let (mixed, constant): (UInt32, UInt32) =
        switch index {
        case ..<20: ((b & c) | (~b & d), 0x5A82_7999)
        case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
        case ..<60: ((b & c) | (b & d) | (c & d), 0x8F1B_BCDC)
        default: (b ^ c ^ d, 0xCA62_C1D6)
        }
      let next = a.rotated(left: 5) &+ mixed &+ e &+ constant &+ word
      (a, b, c, d, e) = (next, a, b.rotated(left: 30), c, d)
    }
    for (index, value) in [a, b, c, d, e].enumerated() { state[index] &+= value }
  }
}

/// SHA-256 (FIPS 180-4), for the tokens of phones.
public enum SHA256 {
  /// The 32 bytes of the hash.
  public static func hash(_ bytes: [UInt8]) -> [UInt8] {
    var state: [UInt32] = [
      0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
    ]
    let message = padded(bytes)
    for start in stride(from: 0, to: message.count, by: 64) {
      var words = bigEndianWords(message[start..<start + 64])
      for index in 16..<64 {
        let (early, late) = (words[index - 15], words[index - 2])
        let first: UInt32 = early.rotated(left: 25) ^ early.rotated(left: 14) ^ (early >> 3)
        let second: UInt32 = late.rotated(left: 15) ^ late.rotated(left: 13) ^ (late >> 10)
        words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
      }
      compress(words, into: &state)
    }
    return state.flatMap(\.bigEndianBytes)
  }

  private static func compress(_ words: [UInt32], into state: inout [UInt32]) {
    var v = state
    for index in 0..<64 {
      let first = v[4].rotated(left: 26) ^ v[4].rotated(left: 21) ^ v[4].rotated(left: 7)
      let choice = (v[4] & v[5]) ^ (~v[4] & v[6])
      let one = v[7] &+ first &+ choice &+ constants[index] &+ words[index]
      let second = v[0].rotated(left: 30) ^ v[0].rotated(left: 19) ^ v[0].rotated(left: 10)
      let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2])
      v = [one &+ second &+ majority, v[0], v[1], v[2], v[3] &+ one, v[4], v[5], v[6]]
    }
    for index in 0..<8 { state[index] &+= v[index] }
  }

  private static let constants: [UInt32] = [
    0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4, 0xAB1C_5ED5,
    0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE, 0x9BDC_06A7, 0xC19B_F174,
    0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F, 0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA,
    0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7, 0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967,
    0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC, 0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85,
    0xA2BF_E8A1, 0xA81A_664B, 0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070,
    0x19A4_C116, 0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
    0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7, 0xC671_78F2,
  ]
}

/// The message, a bit 1, zeros, and the length in bits, in whole blocks of 64 bytes: the padding of SHA-1 and SHA-256.
private func padded(_ bytes: [UInt8]) -> [UInt8] {
  let bits = UInt64(bytes.count) * 8
  // Long expressions take the type checker of Swift 6.0 minutes.
  var message = bytes
  message.append(0x80)
  message += [UInt8](repeating: 0, count: (119 - bytes.count % 64) % 64)
  for shift in stride(from: UInt64(56), through: 0, by: -8) { message.append(UInt8(truncatingIfNeeded: bits >> shift)) }
  return message
}

private func bigEndianWords(_ bytes: ArraySlice<UInt8>) -> [UInt32] {
  stride(from: bytes.startIndex, to: bytes.endIndex, by: 4).map { index in
    bytes[index..<index + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
  }
}

extension UInt32 {
  fileprivate func rotated(left count: UInt32) -> UInt32 { self << count | self >> (32 - count) }

  fileprivate var bigEndianBytes: [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: self >> UInt32($0)) }
  }
}

/// Bytes as text.
public enum Encoding {
  /// Base64 (RFC 4648) with padding.
  public static func base64(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let read = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      let bits = read << UInt32(8 * (3 - group.count))
      for place in 0..<4 {
        text.append(place > group.count ? UInt8(ascii: "=") : base64Digits[Int(bits >> UInt32(18 - 6 * place)) & 63])
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Whether a text is 16 bytes in base64, as a WebSocket key must be.
  public static func isKey(_ text: String) -> Bool {
    let digits = Array(text.utf8)
    guard digits.count == 24, digits.suffix(2).elementsEqual("==".utf8) else { return false }
    return digits.dropLast(2).allSatisfy { base64Digits.contains($0) }
  }

  /// Two lowercase digits for each byte.
  public static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// The bytes of lowercase hexadecimal digits; nil: the text is something else.
  public static func bytes(hexadecimal text: some StringProtocol) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: digits.count, by: 2) {
      guard let high = value(digits[start]), let low = value(digits[start + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  private static let base64Digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}

/// Compares secrets. The time depends only on the lengths.
func isEqualInConstantTime(_ a: [UInt8], _ b: [UInt8]) -> Bool {
  guard a.count == b.count else { return false }
  var difference: UInt8 = 0
  for index in a.indices { difference |= a[index] ^ b[index] }
  return difference == 0
}
