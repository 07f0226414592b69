/// A sound from a WAV file.
public struct WAVSound: Hashable, Sendable {
  /// Frames per second.
  public let rate: Int
  /// The samples of one channel, or of left and right with equal counts. Full scale is 1.
  public let channels: [[Float]]

  static let rates = 8_000...384_000
  /// The longest duration in seconds.
  static let longest = 10
  /// A file with a larger sample is damaged.
  private static let loudest: Float = 100

  /// Parses a WAV file: integers of 16, 24 or 32 bits or floating point of 32 or 64, mono or stereo.
  ///
  /// Other chunks are skipped. A file without a valid length, as written to a pipe, is read to its end.
  public init(_ bytes: [UInt8]) throws(WAVError) {
    let chunks = try WAVChunks(bytes)
    let encoding = try SampleEncoding(bytes[chunks.format])
    let frames = chunks.samples.count / encoding.bytesPerFrame
    guard frames > 0 else { throw .noSamples }
    guard frames <= WAVSound.longest * encoding.rate else {
      throw .tooLong(frames: frames, most: WAVSound.longest * encoding.rate)
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

  /// One channel of whole numbers of 16 bits.
  init(rate: Int, samples: [Int16]) {
    self.rate = rate
    channels = [samples.map { Float($0) / 0x8000 }]
  }

  public var frames: Int { channels[0].count }

  func channels(rate: Int) -> [[Float]] {
    let resampler = Resampler(from: self.rate, to: rate)
    return channels.map(resampler.resampled)
  }
}

/// The sample format of a WAV file.
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
  private static let extensible = 0xFFFE
  private static let names = [
    2: "MS ADPCM", 6: "A-law", 7: "µ-law", 17: "IMA ADPCM", 49: "GSM 6.10", 80: "MPEG", 85: "MP3", 255: "AAC",
  ]

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

/// The positions of the "fmt " and "data" chunks' contents in a WAV file.
struct WAVChunks {
  let format: Range<Int>
  let samples: Range<Int>

  /// A writer that cannot seek leaves a length near 2^31 or 2^32.
  private static let shortestUnknown = 0x7F00_0000

  init(_ bytes: [UInt8]) throws(WAVError) {
    guard !bytes.isEmpty else { throw .empty }
    guard bytes.starts(with: "RIFF".utf8), bytes.hasText("WAVE", at: 8) else {
      if let name = otherFormat(bytes) { throw .otherFormat(name) }
      throw bytes.starts(with: "RIFF".utf8) && bytes.count < 12 ? .cutShort : .notWAV
    }
    var format: Range<Int>?
    var place = 12
    while place + 8 <= bytes.count {
      let start = place + 8
      let length = bytes[...].number(at: place + 4, bytes: 4)
      if bytes.hasText("data", at: place) {
        guard let format else { throw .noFormat }
        self.format = format
        samples = try WAVChunks.samples(in: bytes, from: start, length: length)
        return
      }
      guard length <= bytes.count - start else { throw .cutShort }
      if bytes.hasText("fmt ", at: place) { format = start..<start + length }
      // Chunks begin at even offsets.
      place = start + length + length % 2
    }
    throw place < bytes.count ? .cutShort : format == nil ? .noFormat : .noSamples
  }

  private static func samples(in bytes: [UInt8], from start: Int, length: Int) throws(WAVError) -> Range<Int> {
    let isWhole = bytes[...].number(at: 4, bytes: 4) == bytes.count - 8
    if length >= shortestUnknown || (length == 0 && !isWhole) { return start..<bytes.count }
    guard length <= bytes.count - start else { throw .cutShort }
    return start..<start + length
  }
}

/// The format of a file that is not WAV, recognized by its first bytes.
private func otherFormat(_ bytes: [UInt8]) -> String? {
  let texts: [(String, Int, String)] = [
    ("fLaC", 0, "a FLAC file"), ("OggS", 0, "an Ogg file"), ("ID3", 0, "an MP3 file"), ("FORM", 0, "an AIFF file"),
    ("caff", 0, "a Core Audio file"), ("ftyp", 4, "an MPEG-4 file"), ("RIFX", 0, "a big-endian WAV file"),
    ("RF64", 0, "an RF64 file, for sounds of more than 4 GB"), ("AVI ", 8, "a video"),
  ]
  if let found = texts.first(where: { bytes.hasText($0.0, at: $0.1) }) { return found.2 }
  guard bytes.count > 1, bytes[0] == 0xFF else { return nil }
  // The frame header of ISO 13818: eleven one bits, then the layer, which is 0 only in AAC.
  if bytes[1] & 0xF6 == 0xF0 { return "an AAC file" }
  return bytes[1] & 0xE0 == 0xE0 && bytes[1] & 0x06 != 0 ? "an MP3 file" : nil
}

extension [UInt8] {
  fileprivate func hasText(_ text: String, at place: Int) -> Bool { dropFirst(place).starts(with: text.utf8) }
}

extension ArraySlice<UInt8> {
  /// An unsigned little-endian number of up to eight bytes, which must all exist.
  func number(at place: Int, bytes: Int) -> Int {
    var number: UInt64 = 0
    for index in 0..<bytes { number |= UInt64(self[place + index]) << UInt64(8 * index) }
    return Int(truncatingIfNeeded: number)
  }
}

/// Why a file cannot be used as a click, for the user.
public enum WAVError: Error, Hashable, Sendable, CustomStringConvertible {
  case empty
  /// Another file format, by its name.
  case otherFormat(String)
  case notWAV
  /// The file ends before the announced length.
  case cutShort
  case noFormat
  case noSamples
  /// Neither integers nor floating point: the code and, if known, the name.
  case encoding(Int, String?)
  case sampleSize(bits: Int)
  /// The sizes of samples and frames contradict each other.
  case contradiction
  case channels(Int)
  case rate(Int)
  /// It has more frames than a click may have at its rate.
  case tooLong(frames: Int, most: Int)
  /// A sample is not a number, or exceeds a hundred times full scale.
  case noSound(frame: Int)

  /// The error, as a clause about the file.
  public var problem: String {
    switch self {
    case .empty: "the file is empty"
    case .otherFormat(let name): "this is \(name), not a WAV file"
    case .notWAV: "this is not a WAV file"
    case .cutShort: "the file is truncated"
    case .noFormat: "the file has no \"fmt \" chunk before its samples"
    case .noSamples: "the file has no samples"
    case .encoding(let code, let name): "unsupported sample format: \(name ?? "code \(code)")"
    case .sampleSize(let bits): "unsupported sample size: \(bits) bits"
    case .contradiction: "the sizes of samples and frames in the header contradict each other"
    case .channels(let count): "the file has \(count) channels"
    case .rate(let rate): "unsupported sample rate: \(rate) Hz"
    case .tooLong(let frames, let most): "the file has \(frames) frames, \(frames - most) too many"
    case .noSound(let frame): "frame \(frame) has a sample that is not a number or is far beyond full scale"
    }
  }

  public var remedy: String {
    switch self {
    case .empty, .cutShort, .noFormat, .contradiction: "save it or copy it again"
    case .otherFormat, .notWAV, .encoding: "save it as WAV with 16, 24 or 32 bits or floating point"
    case .noSamples: "save it again with sound; for silence, use samples of 0"
    case .sampleSize: "save it with 16, 24 or 32 bits or floating point"
    case .channels: "save it with 1 channel or 2"
    case .rate: "save it with a sample rate from \(WAVSound.rates.lowerBound) to \(WAVSound.rates.upperBound) Hz"
    case .tooLong: "cut it to at most \(WAVSound.longest) s"
    case .noSound: "save it again, with samples between -1 and 1"
    }
  }

  public var description: String { "\(problem); \(remedy)" }
}
