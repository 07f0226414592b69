/// A sound from a WAV file.
public struct WAVSound: Hashable, Sendable {
  /// Frames a second.
  public let rate: Int
  /// The samples of one channel, or of the left and the right one, as many of each. Full scale is 1.
  public let channels: [[Float]]

  static let rates = 8_000...384_000
  /// Seconds.
  static let longest = 10
  /// A sample of more than this is a mistake, not a sound.
  private static let loudest: Float = 100

  /// Reads a file's bytes: whole numbers of 16, 24 or 32 bits or floating point of 32 or 64, in one channel or two.
  ///
  /// Chunks that say other things are passed over. A file whose writer could not go back to fill in its length, as a
  /// pipe's, is read to its end.
  public init(_ bytes: [UInt8]) throws(WAVError) {
    let chunks = try WAVChunks(bytes)
    let encoding = try SampleEncoding(bytes[chunks.format])
    let frames = chunks.samples.count / encoding.bytesPerFrame
    guard frames > 0 else { throw .noSamples }
    guard frames <= WAVSound.longest * encoding.rate else {
      throw .tooLong(seconds: (frames + encoding.rate - 1) / encoding.rate)
    }
    rate = encoding.rate
    var channels = Array(repeating: [Float](), count: encoding.channels)
    for channel in channels.indices { channels[channel].reserveCapacity(frames) }
    var place = chunks.samples.lowerBound
    for frame in 0..<frames {
      for channel in channels.indices {
        let sample = encoding.sample(bytes, at: place)
        guard sample.magnitude <= WAVSound.loudest else { throw .noSound(frame: frame) }
        channels[channel].append(sample)
        place += encoding.byteCount
      }
    }
    self.channels = channels
  }

  /// The samples at another rate.
  func channels(rate: Int) -> [[Float]] {
    let resampler = Resampler(from: self.rate, to: rate)
    return channels.map(resampler.resampled)
  }
}

/// How the samples of a WAV file are stored.
private struct SampleEncoding {
  enum Kind { case int16, int24, int32, float32, float64 }

  let kind: Kind
  let channels: Int
  let rate: Int

  var byteCount: Int {
    switch kind {
    case .int16: 2
    case .int24: 3
    case .int32, .float32: 4
    case .float64: 8
    }
  }

  var bytesPerFrame: Int { byteCount * channels }

  private static let wholeNumbers = 1
  private static let floatingPoint = 3
  /// The code stands further back.
  private static let extensible = 0xFFFE
  private static let names = [
    2: "MS ADPCM", 6: "A-law", 7: "µ-law", 17: "IMA ADPCM", 49: "GSM 6.10", 80: "MPEG", 85: "MP3", 255: "AAC",
  ]

  /// Reads a "fmt " chunk.
  init(_ chunk: ArraySlice<UInt8>) throws(WAVError) {
    let start = chunk.startIndex
    guard chunk.count >= 16 else { throw .cutShort }
    var code = chunk.number(at: start, bytes: 2)
    if code == SampleEncoding.extensible {
      guard chunk.count >= 40 else { throw .cutShort }
      code = chunk.number(at: start + 24, bytes: 2)
    }
    let bits = chunk.number(at: start + 14, bytes: 2)
    switch (code, bits) {
    case (SampleEncoding.wholeNumbers, 16): kind = .int16
    case (SampleEncoding.wholeNumbers, 24): kind = .int24
    case (SampleEncoding.wholeNumbers, 32): kind = .int32
    case (SampleEncoding.floatingPoint, 32): kind = .float32
    case (SampleEncoding.floatingPoint, 64): kind = .float64
    case (SampleEncoding.wholeNumbers, _), (SampleEncoding.floatingPoint, _): throw .sampleSize(bits: bits)
    default: throw .encoding(code, SampleEncoding.names[code])
    }
    channels = chunk.number(at: start + 2, bytes: 2)
    guard channels == 1 || channels == 2 else { throw .channels(channels) }
    rate = chunk.number(at: start + 4, bytes: 4)
    guard WAVSound.rates.contains(rate) else { throw .rate(rate) }
    guard chunk.number(at: start + 12, bytes: 2) == bytesPerFrame else { throw .contradiction }
  }

  func sample(_ bytes: [UInt8], at place: Int) -> Float {
    let number = bytes[...].number(at: place, bytes: byteCount)
    return switch kind {
    case .int16: Float(Int16(truncatingIfNeeded: number)) / 0x8000
    case .int24: Float(Int32(truncatingIfNeeded: number << 8)) / 0x8000_0000
    case .int32: Float(Double(Int32(truncatingIfNeeded: number)) / 0x8000_0000)
    case .float32: Float(bitPattern: UInt32(truncatingIfNeeded: number))
    case .float64: Float(Double(bitPattern: UInt64(bitPattern: Int64(number))))
    }
  }
}
