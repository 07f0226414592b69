import Foundation
import MetronomeConfiguration
import MetronomeCore
import Testing

@Suite struct ClickFilesTests {
  /// A WAV file of 16 bits, one channel and 48,000 Hz with two samples: half of full scale, and zero.
  private static let wav: [UInt8] = [
    0x52, 0x49, 0x46, 0x46, 40, 0, 0, 0, 0x57, 0x41, 0x56, 0x45, 0x66, 0x6D, 0x74, 0x20, 16, 0, 0, 0, 1, 0, 1, 0,
    0x80, 0xBB, 0, 0, 0, 0x77, 1, 0, 2, 0, 16, 0, 0x64, 0x61, 0x74, 0x61, 4, 0, 0, 0, 0, 0x40, 0, 0,
  ]

  @Test func soundPathsAreRelativeToTheConfiguration() throws {
    try inTemporaryDirectory { directory in
      try write(ClickFilesTests.wav, to: directory + "/tick.wav")
      try write(
        Array("audio: {volume: 0.5, gain_db: -3, sounds: {strong: tick.wav, ghost: \"\(directory)/tick.wav\"}}".utf8),
        to: directory + "/box.yaml")
      let configuration = try Configuration.read(path: directory + "/box.yaml")
      let sounds = try configuration.readSounds()
      let tick = try WAVSound(ClickFilesTests.wav)
      let recordings = PerLevel { [.strong, .ghost].contains($0) ? tick : nil }
      #expect(sounds == ClickSounds(recordings, volume: 0.5, gainDB: -3))
      #expect(configuration.yaml.contains("sounds: {strong: \"tick.wav\", ghost: \"\(directory)/tick.wav\"}"))
    }
  }

  @Test func soundsMayBeBuiltIn() throws {
    let read = try configuration("audio: {set: soft, sounds: {strong: rim, ghost: cowbell}, beats: {4: wood, 2: dry}}")
    let sounds = try read.readSounds()
    var levels = PerLevel<Voice.Sound?>(repeating: nil)
    (levels.strong, levels.ghost) = (.rim, .cowbell)
    #expect(sounds.levels == levels)
    #expect(sounds.recordings == PerLevel(repeating: nil) && sounds.beats == [2: .dry, 4: .wood])
    #expect(read.rules.homeSet == .soft && read.soundPaths.isEmpty)
    #expect(read.yaml.contains("  set: soft\n") && read.yaml.contains("  beats: {2: dry, 4: wood}\n"))
    #expect(read.yaml.contains("sounds: {strong: rim, ghost: cowbell}"))
  }

  @Test(arguments: [
    ("set: cowbell", "audio.set: invalid value \"cowbell\"", "click, wood, rim, hihat, beep, mechanical, soft or dry"),
    ("beats: {0: rim}", "audio.beats: invalid beat \"0\"", "write a number from 1 to 32"),
    ("beats: {2: drum}", "audio.beats.2: invalid value \"drum\"", "click, cowbell, wood, rim"),
    ("beats: rim", "audio.beats", "beats from 1 to 32 with built-in sounds, such as {2: rim, 4: rim}"),
  ])
  func wrongSoundIsReported(key: String, what: String, remedy: String) {
    var text = ""
    do throws(ConfigurationError) { _ = try configuration("audio: {\(key)}") } catch { text = error.description }
    #expect(text.contains(what) && text.contains(remedy), "\(text)")
  }

  @Test func unknownSoundNamesTheBuiltInOnes() throws {
    let read = try configuration("audio: {sounds: {strong: rimshot}}")
    var text = ""
    do throws(ConfigurationError) { _ = try read.readSounds() } catch { text = error.description }
    #expect(text.contains("no such file; the built-in sounds are click, cowbell, wood, rim,"), "\(text)")
  }

  @Test func unsetSoundsAreBuiltIn() throws {
    let sounds = try Configuration(\.clickFiles, ClickFiles()).readSounds()
    #expect(sounds == ClickSounds())
  }

  @Test func unusableSoundIsReportedWithKeyFileAndReason() throws {
    try inTemporaryDirectory { directory in
      try write(Array("OggS".utf8), to: directory + "/tick.ogg")
      try write(Array(ClickFilesTests.wav.dropLast()), to: directory + "/short.wav")
      #expect(mkfifo(directory + "/pipe", 0o600) == 0)
      let first = "cannot use this file for audio.sounds.strong:"
      #expect(
        complaint(first: "tick.ogg", in: directory)
          == "\(directory)/tick.ogg: \(first) this is an Ogg file, not a WAV file; "
          + "save it as WAV with 16, 24 or 32 bits or floating point")
      #expect(
        complaint(first: "short.wav", in: directory)
          == "\(directory)/short.wav: \(first) the file is truncated; save it or copy it again")
      #expect(
        complaint(first: "none.wav", in: directory)
          == "\(directory)/none.wav: \(first) no such file; "
          + "check the path and its capital letters; a relative path is relative to the folder of the configuration")
      #expect(
        complaint(first: "pipe", in: directory)
          == "\(directory)/pipe: \(first) this is a device or a pipe; give the path of a WAV file")
      #expect(
        complaint(first: directory, in: "/")
          == "\(directory): \(first) this is a directory; give the path of a WAV file")
      #expect(
        complaint(first: "/dev/zero", in: directory)
          == "/dev/zero: \(first) this is a device or a pipe; give the path of a WAV file")
      for level in Level.allCases where level != .rest {
        let files = ClickFiles { $0 == level ? ConfiguredFile("tick.ogg", folder: directory) : nil }
        let expected = "cannot use this file for audio.sounds.\(level): this is an Ogg file"
        #expect(complaint(Configuration(\.clickFiles, files))?.contains(expected) == true)
      }
    }
  }

  /// A WAV file of 16 bits, one channel and 48,000 Hz with this many frames of silence.
  private static func wav(frames: Int) -> [UInt8] {
    func little(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> (8 * $0) & 0xFF) } }
    let header = Array(ClickFilesTests.wav[8..<40])
    return Array("RIFF".utf8) + little(36 + 2 * frames) + header + little(2 * frames)
      + [UInt8](repeating: 0, count: 2 * frames)
  }

  @Test func numbersAreReadWithTheirOnsets() throws {
    try inTemporaryDirectory { directory in
      try write(ClickFilesTests.wav(frames: 4_800), to: directory + "/one.wav")
      try write(ClickFilesTests.wav(frames: 96_000), to: directory + "/twelve.wav")
      let lines = """
        audio:
          say: numbers
          numbers:
            12: {file: twelve.wav, onset_ms: 99.5}
            1: {file: one.wav}

        """
      try write(Array(lines.utf8), to: directory + "/box.yaml")
      let configuration = try Configuration.read(path: directory + "/box.yaml")
      let sounds = try configuration.readSounds()
      let one = SpokenNumber(try WAVSound(ClickFilesTests.wav(frames: 4_800)), onset: .zero)
      let twelve = SpokenNumber(try WAVSound(ClickFilesTests.wav(frames: 96_000)), onset: .microseconds(99_500))
      #expect(sounds.numbers == [1: one, 12: twelve])
      #expect(sounds.longestOnset == .microseconds(99_500))
      #expect(configuration.soundPaths.sorted() == [directory + "/one.wav", directory + "/twelve.wav"])
      let written = """
          numbers:
            1: {file: "one.wav", onset_ms: 0}
            12: {file: "twelve.wav", onset_ms: 99.5}

        """
      #expect(configuration.yaml.contains(written))
    }
  }

  @Test(arguments: [
    ("say: numbers", true, true, false), ("say: numbers, say_when: count_in", false, true, false),
    ("say: subdivisions, numbers: english", true, true, true),
  ])
  func wordsAreBuiltIn(keys: String, always: Bool, inCountIn: Bool, subdivisions: Bool) throws {
    let read = try configuration("audio: {\(keys)}")
    let sounds = try read.readSounds()
    #expect(sounds.numbers == SpokenNumber.english && sounds.longestOnset <= .milliseconds(60))
    #expect(sounds.speaksAlways == always && sounds.speaksInCountIn == inCountIn)
    #expect(sounds.speaksSubdivisions == subdivisions)
    #expect(read.yaml.contains("  numbers: english\n"))
  }

  /// A tone of 1 kHz, which rises from its first frame to the last.
  @Test func onsetIsFoundInTheFile() throws {
    try inTemporaryDirectory { directory in
      var bytes = ClickFilesTests.wav(frames: 4_800)
      for frame in 0..<4_800 {
        let sample = Int(Double(5 * frame) * sin(2 * .pi * Double(frame) / 48))
        (bytes[44 + 2 * frame], bytes[45 + 2 * frame]) = (UInt8(sample & 0xFF), UInt8(sample >> 8 & 0xFF))
      }
      try write(bytes, to: directory + "/and.wav")
      var configuration = try configuration("audio: {say: numbers, numbers: {and: {file: and.wav, onset_ms: auto}}}")
      #expect(configuration.yaml.contains("    and: {file: \"and.wav\", onset_ms: auto}\n"))
      configuration.numberFiles?[34]?.file.folder = directory
      let word = try configuration.readSounds().numbers[34]
      #expect(try word?.onset == WAVSound(bytes).perceivedOnset)
      #expect(word.map { .zero < $0.onset && $0.onset < .milliseconds(100) } == true)
    }
  }

  @Test func unusableNumberIsReportedWithKeyFileAndReason() throws {
    try inTemporaryDirectory { directory in
      try write(ClickFilesTests.wav(frames: 96_001), to: directory + "/long.wav")
      try write(ClickFilesTests.wav(frames: 4_800), to: directory + "/one.wav")
      try write(Array("fLaC".utf8), to: directory + "/one.flac")
      func complaint(_ name: String, onset: Int64? = 0, say: Speech = .numbers) -> String? {
        var configuration = Configuration()
        configuration.say = say
        let file = ConfiguredFile(name, folder: directory)
        configuration.numberFiles = [7: NumberFile(file, onset: onset.map { .microseconds($0) })]
        return self.complaint(configuration)
      }
      let key = "cannot use this file for audio.numbers.7:"
      #expect(complaint("one.wav", onset: 99_999) == nil)
      #expect(
        complaint("one.wav", onset: 100_000)
          == "\(directory)/one.wav: \(key) it lasts only 100 ms, but its onset_ms is 100; "
          + "set onset_ms to the time from the beginning of the file to the beat in the word, or to auto")
      #expect(
        complaint("one.wav", onset: nil)
          == "\(directory)/one.wav: \(key) no beginning of a word is found in it for onset_ms: auto; "
          + "use a recording of a word, or set onset_ms to a number of milliseconds")
      #expect(
        complaint("long.wav")
          == "\(directory)/long.wav: \(key) it lasts 2000.021 ms; cut it to at most 2 s")
      #expect(
        complaint("none.wav")
          == "\(directory)/none.wav: \(key) no such file; "
          + "check the path and its capital letters; a relative path is relative to the folder of the configuration")
      #expect(
        complaint("one.flac")
          == "\(directory)/one.flac: \(key) this is a FLAC file, not a WAV file; "
          + "save it as WAV with 16, 24 or 32 bits or floating point")
      // Files that are not spoken are not read.
      #expect(complaint("none.wav", say: .none) == nil)
    }
  }

  @Test func tooLongFileIsNotReadToItsEnd() throws {
    try inTemporaryDirectory { directory in
      let path = directory + "/long.wav"
      try write(ClickFilesTests.wav, to: path)
      // The file is sparse, so it fills no disk.
      #expect(truncate(path, 1 << 40) == 0)
      #expect(
        complaint(first: "long.wav", in: directory)
          == "\(path): cannot use this file for audio.sounds.strong: the file is larger than 64 MB; "
          + "cut it to at most 10 s"
      )
    }
  }

  private func complaint(first name: String, in folder: String) -> String? {
    complaint(Configuration(\.clickFiles, ClickFiles(strong: ConfiguredFile(name, folder: folder), weak: nil)))
  }

  private func complaint(_ configuration: Configuration) -> String? {
    do {
      _ = try configuration.readSounds()
      return nil
    } catch {
      return error.description
    }
  }

  private func write(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  private func inTemporaryDirectory(_ body: (String) throws -> Void) throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("metronome-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    try body(directory.path)
  }
}
