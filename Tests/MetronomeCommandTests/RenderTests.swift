import Foundation
import SignalSupport
import Testing

/// `metronome render`: the tests measure the file from its samples alone.
@Suite struct RenderTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  /// Renders a file and returns its samples. Its format must be one channel of 16 bits.
  private func render(_ arguments: String..., rate: Int = 48_000) throws -> [Float] {
    let path = folder.path("track.wav")
    let result = try Program.run(["render", path, "--rate", "\(rate)"] + arguments)
    #expect(result.code == 0 && result.output == "" && result.errors == "")
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    func number(_ offset: Int, _ count: Int) -> Int {
      bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    #expect(String(decoding: bytes[0..<4] + bytes[8..<16], as: UTF8.self) == "RIFFWAVEfmt ")
    #expect(number(20, 2) == 1 && number(22, 2) == 1 && number(24, 4) == rate && number(34, 2) == 16)
    #expect(number(40, 4) == bytes.count - 44)
    return samples(of16Bits: bytes[44...])
  }

  private func finders(rate: Int) throws -> (first: ClickFinder, regular: ClickFinder) {
    let voices = try render("--voice-only", rate: rate)
    #expect(voices.count == 36 * rate)
    func audio(_ start: Int) -> [Float] { Array(voices[start..<start + rate / 20]) }
    return (ClickFinder(audio: audio(0)), ClickFinder(audio: audio(2 * rate)))
  }

  @Test(arguments: [97_300, 133_700, 251_900], [(48_000, 4), (44_100, 5)])
  func everyBeatIsAtItsExactTime(milliBPM: Int, format: (rate: Int, beats: Int)) throws {
    let (rate, beats) = format
    let (first, regular) = try finders(rate: rate)
    let tempo = "\(milliBPM / 1_000).\(milliBPM % 1_000)"
    let track = try render("--tempo", tempo, "--signature", "\(beats)/4", "--for", "60s", rate: rate)
    #expect(track.count == 60 * rate)
    let beat = 60_000 * Double(rate) / Double(milliBPM)
    var measured = 0
    for index in 1..<Int(60 * Double(rate) / beat) {
      let exact = Double(index) * beat
      let finder = index.isMultiple(of: beats) ? first : regular
      guard let onset = finder.onset(in: track, near: exact) else { continue }
      #expect(abs(onset - exact) < 0.02, "beat \(index)")
      measured += 1
    }
    #expect(measured >= milliBPM / 1_000 - 2)
  }

  /// For comparison: klick 0.12 puts each beat a whole number of frames, `floor(60 · rate / BPM)`, after the previous beat.
  @Test(arguments: [97_300, 133_700, 251_900]) func klickLosesUpToAFrameWithEveryBeat(milliBPM: Int) throws {
    let (_, regular) = try finders(rate: 48_000)
    let beat = 60_000 * 48_000 / Double(milliBPM)
    var track = [Float](repeating: 0, count: 480_000)
    var place = 1_000
    var places: [Int] = []
    while place + regular.audio.count < track.count {
      for index in regular.audio.indices { track[place + index] = regular.audio[index] }
      places.append(place)
      place += Int(beat)
    }
    let onsets = places.compactMap { regular.onset(in: track, near: Double($0)) }
    #expect(onsets.count > 10)
    for (onset, place) in zip(onsets, places) { #expect(abs(onset - Double(place)) < 0.001) }
    let short = zip(onsets.dropFirst(), onsets).map { beat - ($0 - $1) }
    #expect(short.allSatisfy { $0 > 0.02 && $0 < 1.001 }, "\(short.min() ?? 0) to \(short.max() ?? 0)")
  }

  @Test func fileHasWholeBarsAndBeginsWithTheFirstBeat() throws {
    let track = try render("--tempo", "133.7", "--signature", "7/8", "--bars", "3")
    // 21 eighths at 133.7 quarters per minute.
    let length: Double = 21 * 30 * 48_000 / 133.7
    #expect(track.count == Int(length.rounded()))
    let voices = try render("--voice-only")
    #expect(Array(track[..<2_000]) == Array(voices[..<2_000]))
  }

  @Test func configurationSetsSoundsAndVolume() throws {
    let audio = folder.path("track.wav")
    _ = try render("--tempo", "60", "--bars", "2")
    try FileManager.default.copyItem(atPath: audio, toPath: folder.path("long.wav"))
    let configuration = try folder.file(
      "box.yaml", Array("audio: {volume: 1, sounds: {weak: long.wav}}\n".utf8)
    ).path
    let voices = try render("--voice-only", "--config", configuration)
    // Each part is as long as the longest sound, which has eight clicks at whole seconds. Weak is the third part.
    #expect(voices.count == 36 * 8 * 48_000)
    let seconds = (0..<288).filter { second in voices[second * 48_000..<(second + 1) * 48_000].contains { $0 != 0 } }
    #expect(seconds == [0, 8] + Array(16..<32) + (4..<36).map { 8 * $0 })
  }

  /// The words are single samples, one frame of which is the onset. The third beat has no word and clicks.
  @Test func spokenNumbersBeginEarlyByTheirOnset() throws {
    func word(_ sign: Int, onset: Int) -> [UInt8] {
      func little(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
      }
      let data = (0..<4_800).flatMap { little($0 == onset ? 16_384 * sign : 0, 2) }
      var file = Array("RIFF".utf8) + little(36 + data.count, 4) + Array("WAVEfmt ".utf8) + little(16, 4)
      file += little(1, 2) + little(1, 2) + little(48_000, 4) + little(96_000, 4) + little(2, 2) + little(16, 2)
      return file + Array("data".utf8) + little(data.count, 4) + data
    }
    _ = try folder.file("one.wav", word(1, onset: 1_680))
    _ = try folder.file("two.wav", word(-1, onset: 2_880))
    let yaml = """
      signature: 3/4
      tempo: 60
      audio:
        volume: 1
        say: numbers
        numbers:
          1: {file: one.wav, onset_ms: 35}
          2: {file: two.wav, onset_ms: 60}
      """
    let configuration = try folder.file("box.yaml", Array(yaml.utf8)).path
    let silent = try folder.file("clicks.yaml", Array(yaml.replacing("say: numbers", with: "say: none").utf8)).path
    let spoken = try render("--config", configuration, "--bars", "3")
    let clicks = try render("--config", silent, "--bars", "3")
    #expect(spoken.count == 9 * 48_000 && clicks.count == spoken.count)
    // The first word lacks the part before its onset: its sample is the first of the file.
    let words = spoken.indices.filter { frame in frame % 144_000 < 96_000 - 4_800 && spoken[frame] != 0 }
    #expect(words == [0, 48_000, 144_000, 192_000, 288_000, 336_000])
    #expect(words.map { spoken[$0] > 0 } == [true, false, true, false, true, false])
    for third in [96_000, 240_000, 384_000] {
      #expect(Array(spoken[third..<third + 4_800]) == Array(clicks[third..<third + 4_800]))
    }
  }

  @Test func inputFileIsNotOverwritten() throws {
    _ = try render("--bars", "1")
    let configuration = try folder.file("box.yaml", Array("audio: {sounds: {strong: track.wav}}\n".utf8)).path
    let result = try Program.run("render", folder.path("track.wav"), "--bars", "1", "--config", configuration)
    #expect(result.code == 64 && result.errors.contains("track.wav are the same file"))
  }
}
