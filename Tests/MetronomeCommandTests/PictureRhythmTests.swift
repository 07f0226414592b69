import MetronomeCore
import MetronomeTerminal
import Testing

@Suite struct PictureRhythmTests {
  private static let rhythms = [
    "X.x. sub=2 swing=62% & 3:4 sound=cowbell", "Xxoo|.x|2:xxx sub=12 & 64:1 & x..x.x..|oooo|x|o|. @5/8 & clave=son32",
    "....", "& 5:4 & 7:4 & 11:4",
  ]

  /// A bar of 4/4 takes 2 s. Stopped, unless there is a time in milliseconds since the first beat.
  private func picture(
    _ text: String, _ signature: String = "4/4", beat: BeatUnit = .quarter, at milliseconds: Int64? = nil,
    countIn: Int = 0
  ) throws -> Picture {
    let metre = Metre(try #require(Signature(text: signature)), unit: beat)
    let bar = Bar(metre, try Rhythm(text: text, for: metre))
    let state = MetronomeState(
      isPlaying: milliseconds != nil, Music(tempo: .initial, signature: metre.signature, unit: beat))
    var picture = Picture(state: state, audio: "silent")
    picture.bar = bar
    if let milliseconds {
      picture.timeline = Timeline(session: 1, firstBeat: .zero, tempo: .initial, bar: bar, countIn: countIn)
      picture.now = .zero + .milliseconds(milliseconds)
    }
    return picture
  }

  private func plain(_ line: String) -> String { line.replacing(/\u{1B}\[[0-9;]*m/, with: "") }

  /// The lines between the numbers of the beats and the next empty line.
  private func rows(_ picture: Picture, columns: Int, style: Style = .plain) -> [String] {
    let lines = picture.lines(rows: 60, columns: columns, style: style)
    let numbers = lines.firstIndex { plain($0).hasPrefix("  1") } ?? lines.endIndex - 1
    return lines[(numbers + 1)...].prefix { !$0.isEmpty }.map { String($0) }
  }

  private func marks(_ picture: Picture, columns: Int) -> [String] {
    rows(picture, columns: columns).map { line in
      var text = plain(line).dropFirst(2)
      while text.last == " " { text.removeLast() }
      return String(text)
    }
  }

  @Test func plainBeatsHaveNoRows() throws {
    for signature in ["4/4", "7/8", "2+2+3/8"] {
      #expect(try rows(picture("", signature), columns: 80) == [])
      #expect(try rows(picture("", signature, at: 600), columns: 80) == [])
    }
  }

  @Test func eachVoiceHasARow() throws {
    // In 40 columns a beat has nine.
    let picture = try picture("X.x. sub=2 swing=2:1 & 3:4", at: 0)
    #expect(
      marks(picture, columns: 40) == [
        "X     o  .        x     o  .", "X        .  x     .     x  .",
      ])
  }

  @Test func stoppedMetronomeShowsTheBarThatAStartPlays() throws {
    let text = "Xoxo|.x|2:xYx & clave=son32"
    let (stopped, playing) = (try picture(text), try picture(text, at: 0))
    #expect(marks(stopped, columns: 80) == marks(playing, columns: 80))
    #expect(!rows(stopped, columns: 80).joined().contains("\u{1B}[1m"))
  }

  @Test func voiceThatIsLongerThanABarContinues() throws {
    let second = try picture("& clave=son32", at: 2_000)
    #expect(marks(try picture("& clave=son32", at: 0), columns: 40)[1] == "X        .   x    .        x")
    #expect(marks(second, columns: 40)[1] == ".        x        x        .")
    // Five eighths against eight.
    #expect(marks(try picture("& x.... @5/8", at: 0), columns: 40)[1] == "x        .        .   x    .")
    #expect(marks(try picture("& x.... @5/8", at: 2_000), columns: 40)[1] == ".        x        .        .   x")
  }

  @Test func lastSlotOfEachVoiceIsBold() throws {
    func bold(at milliseconds: Int64) throws -> [String] {
      try rows(picture("X.x. sub=2 & 3:4", at: milliseconds), columns: 40).map { row in
        row.matches(of: /\u{1B}\[1m(.)/).map { "\(plain(String(row[..<$0.range.lowerBound])).count - 2)\($0.output.1)" }
          .joined(separator: " ")
      }
    }
    #expect(try bold(at: 0) == ["0X", "0X"])
    #expect(try bold(at: 249) == ["0X", "0X"])
    #expect(try bold(at: 250) == ["4o", "0X"])
    #expect(try bold(at: 667) == ["4o", "12x"])
    #expect(try bold(at: 1_999) == ["22o", "24x"])
    #expect(try bold(at: 2_000) == ["0X", "0X"])
  }

  @Test func narrowRowsOmitGhostsAndThenAllBetweenTheBeats() throws {
    // A beat has four columns in 20.
    #expect(marks(try picture("xooox|X|o|."), columns: 20) == ["x  xX   o   ."])
    let seven = try picture("xxxxxx|X|Y|o|.|x|x", "7/4")
    #expect(marks(seven, columns: 20) == ["x X Y o . x x"])
    #expect(marks(seven, columns: 200)[0].count { $0 == "x" } == 8)
  }

  @Test(arguments: [20, 40, 41, 60, 80, 133, 200]) func rowsAreNeverWiderThanTheTerminal(columns: Int) throws {
    for text in PictureRhythmTests.rhythms {
      for time in [nil, 0, 630, 1_990, 4_321] as [Int64?] {
        let picture = try picture(text, at: time)
        for style in [Style.plain, .colors] {
          let lines = picture.lines(rows: 60, columns: columns, style: style)
          #expect(lines.allSatisfy { plain($0).count <= columns - 2 })
          #expect(rows(picture, columns: columns, style: style).count == picture.bar?.rhythm.voiceCount)
        }
      }
    }
  }

  @Test func manyBeatsHaveOneColumnEach() throws {
    let picture = try picture("sub=4", "32/4", at: 0)
    #expect(marks(picture, columns: 40) == ["X" + String(repeating: "x", count: 31)])
    #expect(marks(picture, columns: 20) == ["X" + String(repeating: "x", count: 15)])
  }

  @Test func dottedBeatsShowTheirNotes() throws {
    let beat = try #require(BeatUnit(3, over: 8))
    let row = marks(try picture("", "6/8", beat: beat, at: 0), columns: 40)
    #expect(row == ["X     x     x     Y     x     x"])
  }

  @Test func plainStyleUsesOnlyBold() throws {
    let plain = try picture(PictureRhythmTests.rhythms[0], at: 630).lines(rows: 60, columns: 80, style: .plain).joined()
    #expect(Set(plain.matches(of: /\u{1B}\[([0-9;]*)m/).map { String($0.output.1) }) == ["0", "1"])
  }

  @Test func mediumBeatsHaveTheirOwnShade() throws {
    func block(_ place: Int, of picture: Picture, _ style: Style) -> String {
      let line = picture.lines(rows: 24, columns: 80, style: style).first { $0.contains("░") } ?? ""
      return line.split(separator: " ").map { String($0) }[place]
    }
    // An eighth lasts 250 ms.
    let flash = try picture("", "2+2+3/8", at: 501)
    #expect(plain(block(2, of: flash, .plain)).drop { $0 == "│" }.allSatisfy { $0 == "▇" })
    #expect(block(2, of: flash, .colors).contains("[1;32m█"))
    #expect(block(0, of: flash, .colors).contains("[33m░") && block(1, of: flash, .colors).contains("[36m░"))
    #expect(block(4, of: flash, .colors).contains("[32m░"))
  }

  @Test func groupsAreToldApartWithoutColors() throws {
    func blocks(_ columns: Int, _ style: Style) throws -> String {
      let lines = try picture("", "2+2+3/8").lines(rows: 24, columns: columns, style: style)
      return lines.map(plain).first { $0.contains("░") } ?? ""
    }
    let narrow = try [blocks(20, .plain), blocks(20, .colors)]
    #expect(narrow == ["  ░ ░│░ ░│░ ░ ░", "  ░ ░ ░ ░ ░ ░ ░"])
    let wide = try blocks(40, .plain)
    #expect(wide == "  ░░░  ░░░ │░░░  ░░░ │░░░  ░░░  ░░░")
  }

  @Test func marksHaveALegend() throws {
    let legend = "  X strong  Y medium  x weak  o ghost"
    #expect(try picture("sub=2").lines(rows: 40, columns: 40, style: .plain).contains(legend))
    let hasNone = try !picture("").lines(rows: 40, columns: 40, style: .plain).contains { $0.contains("ghost") }
    #expect(hasNone)
  }

  @Test func restsDoNotFlash() throws {
    let line = try picture("X.x.", at: 501).lines(rows: 24, columns: 80, style: .plain).map(plain).first {
      $0.contains("░")
    }
    let blocks = (line ?? "").split(separator: " ")
    #expect(blocks[1].allSatisfy { $0 == "▒" } && blocks[3].allSatisfy { $0 == "·" })
  }

  /// A bar of count-in has only its beats.
  @Test func countInShowsItsBeats() throws {
    let picture = try picture("Xoox|.|.|. & 3:4", at: 0, countIn: 1)
    #expect(marks(picture, columns: 40) == ["X        x        x        x", ".        .        .        ."])
  }

  /// A rhythm that changed within the bar is shown for the whole bar.
  @Test func changedRhythmIsShownAtTheNextBeat() throws {
    var picture = try picture("X.x.", at: 0)
    let metre = Metre(.initial)
    let bar = Bar(metre, try Rhythm(text: "XYxo", for: metre))
    picture.timeline = picture.timeline.changed(
      to: .initial, bar, from: .zero + .milliseconds(600), now: .zero + .milliseconds(600))
    picture.now = .zero + .milliseconds(999)
    #expect(marks(picture, columns: 40) == ["X        .        x        ."])
    picture.now = .zero + .milliseconds(1_000)
    #expect(marks(picture, columns: 40) == ["X        Y        x        o"])
  }

  /// The timeline discards the beats before a change, but the bar is still shown whole.
  @Test func barThatChangedInTheMiddleIsShownWhole() throws {
    var picture = try picture("X.x. sub=2 & 3:4", at: 1_600)
    let bar = try #require(picture.bar)
    for milliseconds: Int64 in [1_100, 1_600] {
      let now = Instant.zero + .milliseconds(milliseconds)
      let tempo = try #require(Tempo(bpm: milliseconds == 1_100 ? 121 : 120))
      picture.timeline = picture.timeline.changed(to: tempo, bar, from: now, now: now)
    }
    #expect(picture.timeline.oldestIndex == 3)
    #expect(marks(picture, columns: 40) == ["X   o    .        x   o    .", "X        .  x     .     x  ."])
    #expect(rows(picture, columns: 40)[0].contains("\u{1B}[1mo"))
  }

  @Test func rowsOutlastThePendulumOnASmallTerminal() throws {
    let picture = try picture("X.x. & 3:4 & clave=son32 & 5:4", at: 0)
    for rows in 14...24 {
      let lines = picture.lines(rows: rows, columns: 40, style: .plain).map(plain)
      #expect(lines.count <= rows)
      #expect(lines.contains { $0.hasPrefix("  X        .  x     .     x  .") })
      #expect(lines.filter { $0.contains("░") }.count == 3)
    }
  }

  @Test func terminalWithoutACursorPrintsNoRows() throws {
    var display = TextDisplay()
    let picture = try picture(PictureRhythmTests.rhythms[0], at: 0)
    #expect(display.text(for: picture, columns: 80) == "silent\n120 BPM   4/4   playing\n1 ")
  }
}
