/// Where in a WAV file stands what is needed of it.
struct WAVChunks {
  /// The contents of "fmt ".
  let format: Range<Int>
  /// The contents of "data".
  let samples: Range<Int>

  /// A writer that could not go back gives a length near one of the two highest.
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
      // Chunks begin at even places.
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

/// What a file is that is not a WAV file, by its first bytes.
private func otherFormat(_ bytes: [UInt8]) -> String? {
  let texts: [(String, Int, String)] = [
    ("fLaC", 0, "a FLAC file"), ("OggS", 0, "an Ogg file"), ("ID3", 0, "an MP3 file"), ("FORM", 0, "an AIFF file"),
    ("caff", 0, "a Core Audio file"), ("ftyp", 4, "an MPEG-4 file"), ("RIFX", 0, "a big-endian WAV file"),
    ("RF64", 0, "an RF64 file, for sounds of more than 4 GB"), ("AVI ", 8, "a video"),
  ]
  if let found = texts.first(where: { bytes.hasText($0.0, at: $0.1) }) { return found.2 }
  guard bytes.count > 1, bytes[0] == 0xFF else { return nil }
  // The frame header of ISO 13818: eleven bits of ones, then the layer, which is 0 only in AAC.
  if bytes[1] & 0xF6 == 0xF0 { return "an AAC file" }
  return bytes[1] & 0xE0 == 0xE0 && bytes[1] & 0x06 != 0 ? "an MP3 file" : nil
}

extension [UInt8] {
  /// Whether a text stands at a place.
  fileprivate func hasText(_ text: String, at place: Int) -> Bool { dropFirst(place).starts(with: text.utf8) }
}

extension ArraySlice<UInt8> {
  /// A number without sign, its lowest byte first, of up to eight bytes that are all there.
  func number(at place: Int, bytes: Int) -> Int {
    var number: UInt64 = 0
    for index in 0..<bytes { number |= UInt64(self[place + index]) << UInt64(8 * index) }
    return Int(truncatingIfNeeded: number)
  }
}
