import Foundation
import Testing

/// `metronome score import`, with MIDI files of other programs.
@Suite struct ScoreImportTests {
  private let folder: Folder
  private let state: [String]

  init() throws {
    folder = try Folder()
    state = ["--state", folder.url.path]
  }

  /// Written by mido 1.3.3: 4/4, 7/8 and 2/4, four tempi, three markers, the track name "mido one".
  private static let mido = """
    4d546864000000060001000201e04d54726b0000006f00ff03084d69646f206f6e6500ff510306ef9100ff58040402180800ff06
    05496e74726fbc00ff06075665727365203100ff580406032408a730ff51030927c0b250ff5804070318089c10ff510305161598
    30ff58040402180878ff5103064e278e08ff0604436f64618f00ff2f004d54726b0000000e00903c4081e840803c4000ff2f00
    """
  /// Written by abc2midi 4.84. Its changes of tempo within the tune are a tick late.
  private static let abc = """
    4d546864000000060000000101e04d54726b000000da00ff010a6e6f746520747261636b00ff5103081a1d00ff5902020000ff58
    040402300800ff031241626320746872656520287069636b75702901904569835f80450001903e69835f803e0001904050835f80
    40000190425f835f80420001904350835f80430001904569835f80450001904550811f80450001904750811f8047000190495081
    1f80490001ff51030f847500904a5f835f804a0001904c50835f804c0001904e698e7f804e0000ff58040201300801ff51030781
    1b00904a69873f804a0001904c50873f804c0001904e698e7f804e001aff2f00
    """

  private func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = Array(hexadecimal.filter { !$0.isWhitespace })
    return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
  }

  private func file(_ hexadecimal: String, _ name: String) throws -> String {
    try folder.file(name, bytes(hexadecimal)).path
  }

  private static let midoScore = """
    song "Mido one"
    Intro: 4 4/4 454545us  # "Intro", 132 BPM
    Verse_1: 3 3+3/8 454545us  # "Verse 1", 132 BPM
    1 3+3/8 454545us,454545us,454545us,100,100,100
    4 3+3/8 100
    2 7/8 100
    1 7/8 100,333333us,333333us,333333us,333333us,333333us,333333us
    1 7/8 333333us  # 180 BPM
    1 16/16 333333us,413223us,413223us,413223us,413223us,413223us,413223us,413223us,413223us,413223us,\
    413223us,413223us,413223us,413223us,413223us,413223us X...x...x...x...
    Coda: 1 4/4 413223us  # "Coda", 145.2 BPM

    """

  @Test func fileIsStoredUnderItsName() throws {
    let result = try Program.run(["score", "import", try file(ScoreImportTests.mido, "Song 1.mid")] + state)
    #expect(result.code == 0 && result.output == "" && result.errors == "")
    let list = try Program.run(["score", "list"] + state)
    #expect(list.output == "Song 1  1 song, 0:30\n")
    let stored = try String(contentsOfFile: folder.path("scores/Song 1.txt"), encoding: .utf8)
    #expect(stored == ScoreImportTests.midoScore)
    let named = try Program.run(["score", "import", folder.path("Song 1.mid"), "--name", "b"] + state)
    #expect(named.code == 0)
    #expect(try Program.run(["score", "list"] + state).output == "Song 1  1 song, 0:30\nb       1 song, 0:30\n")
  }

  @Test func outputIsWrittenAndNotStored() throws {
    let midi = try file(ScoreImportTests.mido, "song.mid")
    let output = folder.path("song.txt")
    let result = try Program.run("score", "import", midi, "--output", output)
    #expect(result.code == 0 && result.output == "" && result.errors == "")
    #expect(try String(contentsOfFile: output, encoding: .utf8) == ScoreImportTests.midoScore)
    let printed = try Program.run("score", "import", "-", "--output", "-", input: bytes(ScoreImportTests.mido))
    #expect(printed.code == 0 && printed.output == ScoreImportTests.midoScore)
    #expect(!FileManager.default.fileExists(atPath: folder.path("scores")))
    let same = try Program.run("score", "import", midi, "--output", midi)
    #expect(same.code == 64 && same.errors.hasSuffix("is the MIDI file itself; give the score its own name\n"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: midi)) == Data(bytes(ScoreImportTests.mido)))
  }

  /// Each note is a line, and the score is stored all the same.
  @Test func notesAreOnStandardError() throws {
    let path = try file(ScoreImportTests.abc, "tune.mid")
    let result = try Program.run(["score", "import", path] + state)
    #expect(result.code == 0 && result.output == "")
    #expect(result.errors == ScoreImportTests.notes.map { "\(path): \($0)\n" }.joined())
    #expect(try Program.run(["score", "list"] + state).output == "tune  1 song, 0:16\n")
  }

  private static let notes = [
    "bar 2: the tempo changes within a 1/32 note, which has the mean tempo here; the bar lines after it are 0.05 µs early",
    "bar 5: the tempo changes within a 1/32 note, which has the mean tempo here; the bar lines after it are 0.021 µs late",
  ]

  @Test func checkOfAMIDIFileNamesTheCommand() throws {
    let path = try file(ScoreImportTests.mido, "song.mid")
    let result = try Program.run("score", "check", path)
    let advice = "this is a MIDI file; make a score from it with \"metronome score import\""
    #expect(result.code == 65 && result.errors == "\(path): \(advice)\n")
  }

  private static let noMIDI =
    "expected \"MThd\", with which a MIDI file begins; export the song again as a MIDI file"

  /// A file that ends in the first of its two tracks.
  @Test func whatIsThereOfADamagedFileIsStored() throws {
    let damaged = try folder.file("cut.mid", Array(bytes(ScoreImportTests.mido).prefix(60))).path
    let result = try Program.run(["score", "import", damaged] + state)
    #expect(result.code == 0 && result.output == "")
    let lines = [
      "byte 10: the header announces 2 tracks; the file has 1",
      "bar 2, track 1, byte 60: expected an event, but the track ends; the rest of the track is ignored",
    ]
    #expect(result.errors == lines.map { "\(damaged): \($0)\n" }.joined())
    #expect(try Program.run(["score", "list"] + state).output == "cut  1 song, 0:02\n")
  }

  @Test func errorsNameTheFileAndTheByte() throws {
    let text = try folder.file("text.mid", Array("8 120\n".utf8)).path
    let noMIDI = try Program.run(["score", "import", text] + state)
    #expect(noMIDI.code == 65 && noMIDI.errors == "metronome: \(text): byte 0: \(ScoreImportTests.noMIDI)\n")
    let missing = try Program.run(["score", "import", folder.path("none.mid")] + state)
    #expect(missing.code == 66)
    #expect(missing.errors == "metronome: \(folder.path("none.mid")) cannot be read (No such file or directory)\n")
    #expect(!FileManager.default.fileExists(atPath: folder.path("scores")))
  }

  @Test(arguments: [
    ["import"], ["import", "-"], ["import", "Für.mid"], ["import", "a.mid", "--name", "a/b"],
    ["import", "a.mid", "--output", ""], ["import", "a.mid", "--output", "a.txt", "--name", "a"],
    ["import", "a.mid", "--output", "a.txt", "--state", "/tmp"],
  ])
  func wrongUsageEndsWithCode64(arguments: [String]) throws {
    let result = try Program.run(["score"] + arguments)
    #expect(result.code == 64 && result.exited, "\(result.errors)")
  }
}
