import MetronomeCore
import MetronomeTerminal
import Testing

/// The picture while a score is loaded.
@Suite struct PictureScoreTests {
  private static let song = """
    song "Blue" count=2 scale=85%
    verse: 2 3/4 120
    4 60-120
    song "Jig"
    1 120
    """

  /// A metronome that has loaded a score and started it at 0.
  private func metronome(_ text: String, plays: Bool = true) throws -> Metronome {
    var metronome = Metronome()
    metronome.load(SetList(try Score(text: text)))
    if plays { metronome.apply(.start, pressed: .zero, effective: .zero, now: .zero) }
    return metronome
  }

  private func picture(_ metronome: Metronome, at instant: Instant = .zero) -> Picture {
    var metronome = metronome
    metronome.catchUp(effective: instant, now: instant)
    var picture = Picture(state: metronome.state, audio: "silent")
    picture.timeline = metronome.timeline
    picture.now = instant
    return picture
  }

  private func text(_ picture: Picture, columns: Int = 80, style: Style = .plain) -> String {
    picture.lines(rows: 60, columns: columns, style: style).joined(separator: "\n")
      .replacing(/\u{1B}\[[0-9;]*m/, with: "")
  }

  private func after(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  @Test func stoppedPictureShowsThePlaceOfTheNextStart() throws {
    var metronome = try metronome(PictureScoreTests.song, plays: false)
    #expect(text(picture(metronome)).contains("102 BPM   3/4   stopped\n  \"Blue\", song 1 of 2, verse, bar 1, 85 %\n"))
    metronome.apply(.nextSection, pressed: .zero, effective: .zero, now: .zero)
    #expect(text(picture(metronome)).contains("51 BPM   4/4   stopped\n  \"Blue\", song 1 of 2, bar 3, 85 %\n"))
  }

  /// 3 beats at 102 BPM last 1.765 s.
  @Test func countInIsNumberedBackwards() throws {
    let metronome = try metronome(PictureScoreTests.song)
    let first = text(picture(metronome, at: after(1_200)))
    #expect(
      first.contains("102 BPM   3/4   playing   count-in, 2 bars left, beat 3\n  \"Blue\", song 1 of 2, verse, bar 1"))
    #expect(text(picture(metronome, at: after(1_800))).contains("count-in, 1 bar left, beat 1\n"))
    let bar = text(picture(metronome, at: after(5_300)))
    #expect(bar.contains("playing   beat 1\n  \"Blue\", song 1 of 2, verse, bar 2, 85 %\n"))
  }

  @Test func tempoIsTheCurrentOneDuringAChange() throws {
    let metronome = try metronome("2 60-120")
    for (beat, tempo) in [(0, "60"), (1, "67.5"), (2, "75"), (4, "90"), (7, "112.5")] {
      let instant = metronome.timeline.knownBeat(Int64(beat)).instant
      #expect(text(picture(metronome, at: instant)).contains("  \(tempo) BPM   4/4   playing   beat"), "\(beat)")
    }
  }

  @Test func waitingSongSaysHowItGoesOn() throws {
    let metronome = try metronome("end: 1 120\npause wait\n1 60")
    let playing = text(picture(metronome, at: after(1_999)))
    #expect(playing.contains("\n  end, bar 1\n\n") && !playing.contains("goes on"))
    #expect(text(picture(metronome, at: after(2_000))).contains("\n  end, bar 1, waiting\n  space goes on\n"))
  }

  @Test func silentBeatsAreDrawnAsRests() throws {
    let metronome = try metronome("4 120 X.xx sub=2 mute=1/1bar")
    func rows(_ milliseconds: Int64) -> (blocks: [Substring], marks: String) {
      let lines = text(picture(metronome, at: after(milliseconds)), columns: 40).split(separator: "\n")
      let numbers = lines.firstIndex { $0.hasPrefix("  1") } ?? 0
      return (lines[numbers - 1].split(separator: " "), lines[numbers + 1].split(separator: " ").joined(separator: " "))
    }
    let (sounding, silent) = (rows(1_010), rows(3_010))
    #expect(sounding.blocks.map(\.first) == ["░", "·", "▓", "░"] && sounding.marks.hasPrefix("X o"))
    #expect(silent.blocks.map(\.first) == ["·", "·", "▒", "·"] && silent.marks == ". . . .")
  }

  @Test func terminalWithoutACursorShowsSectionsAndTheTempoOfEachBar() throws {
    let metronome = try metronome("verse: 1 2/4 120\n2 2/4 120-240 mute=1/1bar")
    var display = TextDisplay()
    var written = ""
    for beat in 0..<6 {
      written += display.text(
        for: picture(metronome, at: metronome.timeline.knownBeat(Int64(beat)).instant), columns: 80)
    }
    #expect(
      written == """
        silent
        verse, bar 1
        120 BPM   2/4   playing
        1 2\u{20}
        bar 2
        1 2\u{20}
        180 BPM   2/4   playing
        . .\u{20}
        """)
  }

  @Test func helpAndKeysAreThoseOfAScore() throws {
    let picture = picture(try metronome(PictureScoreTests.song))
    let help = picture.helpLines(width: 200)
    #expect(help.contains("n d     next, previous section, at the bar line"))
    #expect(
      !help.contains { $0.contains("types a tempo") || $0.hasPrefix("97.5") } && help.contains { $0.hasPrefix("q ") })
    #expect(text(picture).contains("n next section"))
  }

  @Test(arguments: [20, 40, 60, 80, 200]) func noLineIsWiderThanTheTerminal(columns: Int) throws {
    var picture = picture(try metronome(PictureScoreTests.song), at: after(1_200))
    for line in picture.lines(rows: 60, columns: columns, style: .plain) {
      #expect(line.replacing(/\u{1B}\[[0-9;]*m/, with: "").count <= columns - 2, "\(line)")
    }
    _ = picture.console.act(on: .help, isHolding: false, at: .zero)
    #expect(picture.lines(rows: 24, columns: columns, style: .plain).count <= 24)
  }
}
