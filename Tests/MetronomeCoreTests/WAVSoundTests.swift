import MetronomeCore
import TestSupport
import Testing

@Suite struct WAVSoundTests {
  private func error(_ bytes: [UInt8]) -> WAVError? {
    do throws(WAVError) {
      _ = try WAVSound(bytes)
      return nil
    } catch {
      return error
    }
  }

  private func error(_ file: WAVFile) -> WAVError? { error(file.bytes) }

  static let integerFiles: [(bits: Int, numbers: [Int])] = [
    (16, [0, 0x7FFF, -0x8000, 0x4000, -1]), (24, [0, 0x7F_FFFF, -0x80_0000, 0x40_0000, -1]),
    (32, [0, 0x7FFF_FF80, -0x8000_0000, 0x4000_0000, -128]),
  ]

  @Test(arguments: integerFiles, [false, true])
  func integerSamplesAreRead(file: (bits: Int, numbers: [Int]), isExtensible: Bool) throws {
    var wav = WAVFile(file.numbers, bits: file.bits, rate: 44_100)
    wav.isExtensible = isExtensible
    let sound = try WAVSound(wav.bytes)
    let scale = Double(1 << (file.bits - 1))
    #expect(sound.rate == 44_100)
    #expect(sound.channels == [file.numbers.map { Float(Double($0) / scale) }])
  }

  @Test(arguments: [false, true]) func floatingPointSamplesAreRead(isExtensible: Bool) throws {
    let numbers: [Float] = [0, 1, -1, 0.25, 1.5, -0x1p-30]
    var wav = WAVFile(numbers)
    wav.isExtensible = isExtensible
    #expect(try WAVSound(wav.bytes).channels == [numbers])
    wav.bits = 64
    wav.samples = numbers.flatMap { little(Int(bitPattern: UInt(Double($0).bitPattern)), 8) }
    #expect(try WAVSound(wav.bytes).channels == [numbers])
  }

  @Test func twoChannelsAreRead() throws {
    let sound = try WAVSound(WAVFile([0x4000, -0x4000, 0x2000, 0], channels: 2).bytes)
    #expect(sound.channels == [[0.5, 0.25], [-0.5, 0]])
  }

  @Test func otherChunksAreSkipped() throws {
    var wav = WAVFile([0x4000])
    wav.others = chunk("LIST", [1, 2, 3]) + chunk("bext", Array(repeating: 7, count: 602))
    #expect(try WAVSound(wav.bytes + chunk("id3 ", [9, 9, 9])).channels == [[0.5]])
  }

  @Test(arguments: [(0, 0), (0xFFFF_FFFF, 0xFFFF_FFFF), (0x7FFF_F000, 0x7FFF_F024), (0, 0xFFFF_FFFF)])
  func fileWithUnknownLengthIsReadToItsEnd(data: Int, riff: Int) throws {
    var wav = WAVFile([0x4000, 0x2000])
    wav.dataLength = data
    wav.riffLength = riff
    #expect(try WAVSound(wav.bytes + [1]).channels == [[0.5, 0.25]])
  }

  @Test func soundOfAnyRateMayLast10Seconds() throws {
    #expect(try WAVSound(WAVFile([0], rate: 384_000).bytes).rate == 384_000)
    let sound = try WAVSound(WAVFile(Array(repeating: 0, count: 80_000), rate: 8_000).bytes)
    #expect(sound.channels[0].count == 80_000)
    #expect(error(WAVFile(Array(repeating: 0, count: 80_001), rate: 8_000)) == .tooLong(frames: 80_001, most: 80_000))
  }

  static let foreign: [(bytes: [UInt8], name: String)] = [
    (Array("fLaC\0\0\0\u{22}".utf8), "a FLAC file"), (Array("OggS\0\u{2}".utf8), "an Ogg file"),
    (Array("ID3\u{4}\0".utf8), "an MP3 file"), ([0xFF, 0xFB, 0x90, 0x00], "an MP3 file"),
    ([0xFF, 0xF1, 0x50, 0x80], "an AAC file"), (Array("FORM\0\0\0\0AIFF".utf8), "an AIFF file"),
    (Array("\0\0\0\u{20}ftypM4A ".utf8), "an MPEG-4 file"), (Array("RIFX\0\0\0\0WAVE".utf8), "a big-endian WAV file"),
    (Array("RF64\0\0\0\0WAVE".utf8), "an RF64 file, for sounds of more than 4 GB"),
  ]

  @Test(arguments: foreign) func otherFileFormatsAreNamed(file: (bytes: [UInt8], name: String)) {
    #expect(error(file.bytes) == .otherFormat(file.name))
  }

  @Test func errorsNameTheProblem() {
    let numbers = Array(repeating: 0, count: 24)
    func changed(_ change: (inout WAVFile) -> Void) -> WAVError? {
      var wav = WAVFile(numbers)
      change(&wav)
      return error(wav)
    }
    #expect(error([]) == .empty)
    #expect(error(Array("#!/bin/sh".utf8)) == .notWAV)
    #expect(error(Array("RIFF\0\0\0\0AVI ".utf8)) == .otherFormat("a video"))
    #expect(error(Array("RIFF".utf8)) == .cutShort)
    #expect(changed { $0.hasFormat = false } == .noFormat)
    #expect(changed { $0.samples = [] } == .noSamples)
    #expect(changed { $0.samples = [1] } == .noSamples)
    #expect(changed { $0.dataLength = 49 } == .cutShort)
    #expect(changed { $0.code = 6 } == .encoding(6, "A-law"))
    #expect(changed { $0.code = 85 } == .encoding(85, "MP3"))
    #expect(changed { $0.code = 0x1234 } == .encoding(0x1234, nil))
    #expect(changed { $0.bits = 8 } == .sampleSize(bits: 8))
    #expect(changed { ($0.code, $0.bits) = (3, 16) } == .sampleSize(bits: 16))
    #expect(changed { $0.channels = 6 } == .channels(6))
    #expect(changed { $0.channels = 0 } == .channels(0))
    #expect(changed { $0.rate = 7_999 } == .rate(7_999))
    #expect(changed { $0.rate = 0xFFFF_FFFF } == .rate(0xFFFF_FFFF))
    #expect(changed { $0.frameSize = 4 } == .contradiction)
    #expect(error(WAVFile([0, .nan])) == .noSound(frame: 1))
    #expect(error(WAVFile([0, 0, 0, -.infinity], channels: 2)) == .noSound(frame: 1))
    #expect(error(WAVFile([1e30])) == .noSound(frame: 0))
  }

  @Test func descriptionsNameTheProblemAndTheRemedy() {
    #expect(
      WAVError.encoding(6, "A-law").description
        == "unsupported sample format: A-law; save it as WAV with 16, 24 or 32 bits or floating point")
    #expect(WAVError.channels(6).description == "the file has 6 channels; save it with 1 channel or 2")
    #expect(
      WAVError.tooLong(frames: 480_001, most: 480_000).description
        == "the file has 480001 frames, 1 too many; cut it to at most 10 s")
  }

  /// A truncated file is an error wherever it ends; bytes beyond the stated length may be missing.
  @Test func truncatedFileIsAnError() {
    var wav = WAVFile(Array(-20..<20), channels: 2)
    wav.isExtensible = true
    wav.others = chunk("LIST", [1, 2, 3])
    let bytes = wav.bytes
    for length in bytes.indices {
      #expect(error(Array(bytes[..<length])) != nil, "\(length)")
    }
    #expect(error(bytes) == nil)
  }

  /// A randomly corrupted file gives either finite samples or an error, and never traps.
  @Test(arguments: 0..<64) func randomlyCorruptedFileNeverTraps(seed: UInt64) {
    var dice = Lehmer(seed: seed)
    var wav = WAVFile(Array(0..<16).map { Float($0) / 16 }, channels: 2)
    wav.isExtensible = seed % 2 == 0
    wav.others = chunk("LIST", [1, 2, 3])
    let original = wav.bytes
    for _ in 0..<200 {
      var bytes = original
      for _ in 0...dice.below(6) {
        bytes[dice.below(bytes.count)] = dice.byte()
      }
      bytes.removeLast(dice.below(5))
      guard let sound = try? WAVSound(bytes) else { continue }
      #expect(sound.channels.allSatisfy { $0.count == sound.channels[0].count && $0.allSatisfy(\.isFinite) })
    }
  }
}

extension Lehmer {
  /// A random byte, or a byte that makes numbers large.
  fileprivate mutating func byte() -> UInt8 {
    let large: [UInt8] = [0, 0x7F, 0x80, 0xFF, 0xFE]
    return below(2) == 0 ? large[below(large.count)] : UInt8(below(256))
  }
}
