/// A WAV file for the parser, valid or not.
struct WAVFile {
  var code = 1
  var bits = 16
  var channels = 1
  var rate = 48_000
  /// nil: derived from bits and channels.
  var frameSize: Int?
  /// nil: the actual length.
  var dataLength: Int?
  var riffLength: Int?
  /// Chunks before the samples.
  var others: [UInt8] = []
  /// Whether the format chunk is WAVE_FORMAT_EXTENSIBLE.
  var isExtensible = false
  var hasFormat = true
  var samples: [UInt8]

  /// Integer samples.
  init(_ numbers: [Int], bits: Int = 16, channels: Int = 1, rate: Int = 48_000) {
    self.bits = bits
    self.channels = channels
    self.rate = rate
    samples = numbers.flatMap { little($0, bits / 8) }
  }

  /// Floating-point samples.
  init(_ numbers: [Float], channels: Int = 1) {
    self.init(numbers.map { Int($0.bitPattern) }, bits: 32, channels: channels)
    code = 3
  }

  var bytes: [UInt8] {
    let size = frameSize ?? bits / 8 * channels
    var format = little(isExtensible ? 0xFFFE : code, 2)
    format += little(channels, 2)
    format += little(rate, 4)
    format += little(rate * size, 4)
    format += little(size, 2)
    format += little(bits, 2)
    if isExtensible {
      format += little(22, 2)
      format += little(bits, 2)
      format += little(channels == 1 ? 4 : 3, 4)
      format += little(code, 2)
      format += [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    }
    var body = hasFormat ? chunk("fmt ", format) : []
    body += others
    body += Array("data".utf8)
    body += little(dataLength ?? samples.count, 4)
    body += samples
    var bytes = Array("RIFF".utf8)
    bytes += little(riffLength ?? 4 + body.count, 4)
    bytes += Array("WAVE".utf8)
    return bytes + body
  }
}

/// A chunk: name, length, contents, and a pad byte if the length is odd.
func chunk(_ name: String, _ contents: [UInt8]) -> [UInt8] {
  Array(name.utf8) + little(contents.count, 4) + contents + (contents.count % 2 == 0 ? [] : [0])
}

/// A number in little-endian order.
func little(_ number: Int, _ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
}
