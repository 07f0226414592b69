extension SpokenNumber {
  /// The built-in words, at ``places``.
  package static let english: [Int: SpokenNumber] = Dictionary(
    uniqueKeysWithValues: EnglishWords.words.map { word in
      let bytes = word.samples.withUTF8Buffer(base64Bytes)
      let samples = stride(from: 0, to: bytes.count - 1, by: 2).map { index in
        Int16(bitPattern: UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8)
      }
      return (
        word.place, SpokenNumber(WAVSound(rate: EnglishWords.rate, samples: samples), onset: .microseconds(word.onset))
      )
    })

  /// The bytes that base64 text stands for.
  private static func base64Bytes(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var (word, bits): (UInt32, UInt32) = (0, 0)
    for letter in text where letter != UInt8(ascii: "=") {
      let value: UInt8 =
        switch letter {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): letter - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): letter - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): letter - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        default: 63
        }
      (word, bits) = (word << 6 | UInt32(value), bits + 6)
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: word >> bits))
      }
    }
    return bytes
  }
}
