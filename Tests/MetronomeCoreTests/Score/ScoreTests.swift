import MetronomeCore
import TestSupport
import Testing

/// The text of scores, and where their sections begin.
@Suite struct ScoreTests {
  private func map(_ text: String) throws -> SongMap {
    let song = try Score(text: text).songs[0]
    return try #require(SongMap(song))
  }

  /// Bar, beat and nanosecond of each section's or pause's beginning, at most ten.
  private func starts(_ map: SongMap) -> [[Int64]] {
    var starts: [[Int64]] = []
    var next = map.first
    while let own = next, starts.count < 10 {
      starts.append([own.start.bars, own.start.beats, own.start.time.nanoseconds.count])
      next = map.next(after: own)
    }
    return starts
  }

  private func section(_ text: String, _ number: Int = 0) throws -> SectionMap {
    guard case .section(let section) = try Score(text: text).songs[0].parts[number] else {
      throw NotationError(line: 1, column: 1, text: "not a section")
    }
    return SectionMap(section)
  }

  /// The example of klick's manual.
  @Test func fileOfKlickMeansWhatItMeansInKlick() throws {
    let text = """
      intro:    8 120           # play 8 measures at 120 bpm (4/4)
      verse1:   12 120 X.x.     # 12 measures at 120 bpm, playing only the 1st and 3rd beat
                4 120-140 X.x.  # gradually increase tempo to 140 bpm
      chorus1:  16 140
      bridge:   8 3/4 140 0.5   # change to 3/4 time, reduce volume
                8 3/4 140       # normal volume again
      verse2:   12 120          # back to 4/4 (implied)
      chorus2:  16 140          # jump to 140 bpm
      outro:    6 140
                2 140-80        # ritardando over the last 2 bars
      """
    let map = try map(text)
    #expect(map.total.beats == 352)
    #expect(
      starts(map) == [
        [0, 0, 0], [8, 32, 16_000_000_000], [20, 80, 40_000_000_000], [24, 96, 47_399_232_631],
        [40, 160, 74_827_804_060], [48, 184, 85_113_518_345], [56, 208, 95_399_232_631], [68, 256, 119_399_232_631],
        [84, 320, 146_827_804_060], [90, 344, 157_113_518_345],
      ])
    #expect(map.total.time.nanoseconds.count == 161_590_444_649)
    let song = try Score(text: text).songs[0]
    let volumes = song.parts.compactMap { if case .section(let section) = $0 { section.volume } else { nil } }
    #expect(volumes == [1_000_000, 1_000_000, 1_000_000, 1_000_000, 500_000] + Array(repeating: 1_000_000, count: 5))
  }

  /// Sections that begin at rounded instants would end 2,511 ns early.
  @Test func tenThousandJoinsLoseNothing() throws {
    #expect(try map("{5000\n1 97\n1 103\n}").total.time.nanoseconds.count == 24_021_619_457_511)
    #expect(
      try map(String(repeating: "1 97\n1 103\n", count: 5_000)).total.time.nanoseconds.count == 24_021_619_457_511)
  }

  @Test func stepsStayAtTheLastTempo() throws {
    let steps = try section("* 60+5/4bar..120!stay")
    func time(_ beat: Int64) -> Int64 { steps.time(at: Position(beat)).nanoseconds.count }
    #expect([16, 32, 48, 192].map(time) == [16_000_000_000, 30_769_230_769, 44_483_516_483, 137_167_519_912])
    #expect(time(192 + 7_200) == 137_167_519_912 + 3_600_000_000_000)
    #expect(steps.bars == nil)
  }

  @Test func stepsEndAsTheTextSays() throws {
    #expect(try section("* 60+30/1bar..120!stop").bars == 3)
    // Up in three bars, then again.
    let again = try section("* 60+30/1bar..120!again")
    #expect(again.cycle?.beats == 12)
    #expect(again.time(at: Position(24)).count == 2 * again.time(at: Position(12)).count)
    // 60, 90, 120, 90, and from 60 on again.
    let reverse = try section("* 60+30/1bar..120!reverse")
    #expect(reverse.cycle?.beats == 16)
    let bars = (0..<8).map { bar in
      (reverse.time(at: Position(bar * 4 + 4)) - reverse.time(at: Position(bar * 4))).nanoseconds.count
    }
    let turn: [Int64] = [4_000_000_000, 2_666_666_666, 2_000_000_000, 2_666_666_666]
    #expect(bars == turn + turn)
    #expect(reverse.firstBeat(atOrAfter: reverse.time(at: Position(16))) == 16)
    #expect(reverse.firstBeat(atOrAfter: reverse.time(at: Position(23, over: 2))) == 12)
  }

  @Test func stepsInSecondsWaitForTheBarLine() throws {
    // Bars of 4 s at 60 BPM: the bar line at or after 10 s is at 12 s, and the one after 20 s is at 22 s.
    let steps = try section("* 60+60/10s..120")
    #expect(steps.pieces.map(\.beat) == [0, 12])
    let slower = try section("* 120-60/10s..60!again")
    #expect(slower.pieces.map(\.beat) == [0, 20])
    #expect(slower.cycle?.time.nanoseconds == .seconds(22))
  }

  /// Whatever was played, `=` is the last tempo that is written.
  @Test(arguments: [
    ("3 60+10/1bar..80!reverse", 80), ("* 60+10/1bar..80!reverse", 80), ("2 3/4 97-9/2beat..61!reverse", 61),
    ("5 60+10/1bar..80!again", 80), ("1 60+10/1bar..80!stop", 80), ("1 60+10/2s..83", 83), ("1 1/4 77", 77),
    ("4 60-90 limit=1bar", 90), ("1 3/4 60,70,80", 80),
  ])
  func equalsIsTheLastTempoThatIsWritten(line: String, tempo: Int64) throws {
    let parts = try Score(text: "\(line)\npause 2beat\n1 =\n1 =").songs[0].parts
    let wanted = SectionTempo.constant(try #require(ScoreTempo(microBPM: tempo * 1_000_000)))
    for part in parts.suffix(2) {
      guard case .section(let section) = part else { throw NotationError(line: 1, column: 1, text: "not a section") }
      #expect(section.tempo == wanted)
    }
  }

  /// The beats of a pause go on where the section ends; after a section without an end they have its last tempo.
  @Test(arguments: [
    ("3 1/4 60+30/1bar..120!reverse", 3, 2_333), ("4 1/4 60+30/1bar..120!reverse", 4, 2_833),
    ("* 1/4 60+30/1bar..120!reverse", 3, 1_500), ("* 1/4 60+30/1bar..120!again", 3, 1_500),
    ("* 1/4 60+30/1bar..120", 2, 1_000),
  ])
  func beatsOfAPauseGoOnAsTheSection(line: String, beats: Int, milliseconds: Int64) throws {
    let map = try map("\(line)\npause \(beats)beat\n1 60")
    let first = try #require(map.first)
    let pause = try #require(map.next(after: first, leaving: true))
    let after = try #require(map.next(after: pause))
    #expect((after.start.time - pause.start.time).nanoseconds.count / 1_000_000 == milliseconds)
  }

  @Test func limitEndsASectionAtABarLine() throws {
    #expect(try section("* 120 limit=16bar").bars == 16)
    #expect(try section("8 120 limit=16bar").bars == 8)
    #expect(try section("* 120 limit=9s").bars == 5)
    #expect(try section("* 120 limit=10s").bars == 5)
  }

  /// The beats last 2/3 s and 1/3 s: their rounded sums are a little less than whole seconds.
  @Test func barLineAtTheTimeItselfCounts() throws {
    #expect(try section("3 1/4 90,180,60 limit=1s").bars == 2)
    #expect(try section("3 1/4 90,180,60 limit=1.000000001s").bars == 3)
    #expect(try section("* 7/4 90+90/7s..270").pieces.map(\.beat) == [0, 14, 28])
  }

  @Test func eachBeatHasItsTempo() throws {
    let list = try section("1 3/4 60,60,120")
    #expect(list.pieces.map(\.beat) == [0, 2])
    #expect(list.duration?.nanoseconds == .milliseconds(2_500))
  }

  @Test func repetitionsAreFoundByDivision() throws {
    let map = try map("a: 1 120\n{3\nb: 1 3/4 60\n{2\nc: 2 2/4 240\n}\n}\nd: 1 120")
    #expect(map.total.bars == 17)
    #expect(
      starts(map).map { $0[0] } == [0, 1, 2, 4, 6, 7, 9, 11, 12, 14])
    func label(_ place: SongMap.Occurrence?) -> String? {
      if case .section(let section) = place?.part { section.label } else { nil }
    }
    let labels = (0...17).map { label(map.occurrence(atBar: Int64($0))) ?? "-" }
    #expect(labels.joined() == "abccccbccccbccccd-")
    // Each place is found by bar, by beat and by time, and is the one that playing reaches.
    var next = map.first
    while let own = next {
      #expect(map.occurrence(atBar: own.start.bars) == own)
      #expect(map.occurrence(atBeat: own.start.beats) == own)
      #expect(map.occurrence(at: own.start.time) == own)
      next = map.next(after: own)
    }
  }

  @Test func blockWithoutEndIsLeft() throws {
    let map = try map("{\n1 120\n2 60\n}\nend: 1 90")
    var place = try #require(map.first)
    for bar in [1, 3, 4, 6] {
      place = try #require(map.next(after: place))
      #expect(place.start.bars == Int64(bar))
    }
    let last = try #require(map.next(after: place))
    let end = try #require(map.next(after: last, leaving: true))
    #expect(end.path.map(\.part) == [1])
    #expect(map.occurrence(atBar: 3_000_000_000)?.path.first?.turn == 1_000_000_000)
  }

  @Test func pausesLastSecondsOrBeats() throws {
    let map = try map("pause 2beat\n1 60\npause 1.5s\n1 120-60\nrest: pause 3beat\npause wait\n1 240")
    #expect(
      starts(map).map { $0[2] } == [
        0, 1_000_000_000, 5_000_000_000, 6_500_000_000, 9_272_588_722, 12_272_588_722, 12_272_588_722,
      ])
  }

  /// A pause continues the section before it, in that section's beats.
  @Test func pausedBeatsAreThoseOfTheSectionBefore() throws {
    func pause(after section: String) throws -> Nanoseconds {
      try map("\(section)\npause 2beat").total.time.nanoseconds
    }
    #expect(try pause(after: "1 7/8 60") == .milliseconds(4_500))
    #expect(try pause(after: "* 60") == .seconds(2))
    #expect(try pause(after: "* 30+30/1bar..120") == .seconds(1))
    #expect(try pause(after: "1 2/4 60+60/2beat..120") == .seconds(3))
  }

  @Test func songsFormASetList() throws {
    let score = try Score(text: "song \"One # 1\" count=2 scale=50%\n1 120\nsong \"Two\"\n1 120\n{2\n1 60\n}\n")
    #expect(score.songs.map(\.name) == ["One # 1", "Two"])
    #expect(score.songs[0].countIn == 2)
    #expect(score.songs.map { SongMap($0)?.total.time.nanoseconds } == [.seconds(4), .seconds(10)])
  }

  @Test func rhythmAndVoicesBelongToTheirEntry() throws {
    let text =
      "4 2+2+3/8 140 X.x.x.. 0.25 sub=2 swing=62%@16 mute=2/2bar drop=20%:8bar seed=7 count=1 say\n& 3:4 sound=click"
    guard case .section(let section) = try Score(text: text).songs[0].parts[0] else { return #expect(Bool(false)) }
    #expect(section.bar.rhythm.text == "X.x.x.. sub=2 swing=62%@16 & 3:4 sound=click")
    #expect(section.bar.metre.signature.groups == [2, 2, 3])
    #expect(section.volume == 250_000 && section.countIn == 1 && section.speaks)
    #expect(section.filter.sounding == 2 && section.filter.silent == 2 && !section.filter.countsBeats)
    #expect(section.filter.dropPercent == 20 && section.filter.dropGrowth == 8 && section.filter.seed == 7)
  }

  @Test func droppedBeatsDependOnSeedAndNumberOnly() {
    var filter = SilenceFilter()
    filter.dropPercent = 20
    let silent = (0..<10_000).filter { filter.silences(bar: 0, beat: 0, number: Int64($0)) }
    #expect(silent.prefix(6) == [15, 20, 21, 23, 25, 28] && silent.count == 2_094)
    filter.dropGrowth = 8
    let growing = (0..<10_000).filter { filter.silences(bar: 4, beat: 0, number: Int64($0)) }
    filter = SilenceFilter()
    filter.dropPercent = 10
    #expect(growing == (0..<10_000).filter { filter.silences(bar: 0, beat: 0, number: Int64($0)) })
    filter.dropPercent = 0
    #expect(filter.isEmpty && !filter.silences(bar: 1, beat: 1, number: 1))
  }

  @Test func gapsCountBarsOrBeats() {
    var filter = SilenceFilter()
    (filter.sounding, filter.silent) = (2, 1)
    let bars = (0..<7).map { filter.silences(bar: $0, beat: $0 * 4 + 1, number: 0) }
    #expect(bars == [false, false, true, false, false, true, false])
    filter.countsBeats = true
    let beats = (0..<7).map { filter.silences(bar: 0, beat: $0, number: 0) }
    #expect(beats == bars)
  }

  /// The same music with tempi in quarters, and in the note that the musicians count.
  @Test(arguments: [
    ("8 6/8 94.5", "8 6/8 3/8=63"), ("8 6/8 94.5", "8 6/8 \u{2669}.=63"), ("8 120", "8 \u{2669}=120"),
    ("8 2/2 120", "8 2/2 1/2=60"), ("8 6/8 94.5", "song \"Jig\" beat=3/8\n8 6/8 63"),
    ("4 6/8 90\n4 6/8 90", "4 6/8 3/8=60\n4 6/8 3/8=="), ("4 6/8 90-120", "4 6/8 3/8=60-80"),
    ("4 6/8 90>120", "4 6/8 3/8=60>80"), ("4 6/8 90~120", "4 6/8 3/8=60~80"),
    ("1 6/8 90,90,90,105,105,105", "1 6/8 3/8=60,70"), ("24 6/8 90+7.5/4bar..120", "24 6/8 3/8=60+5/4bar..80"),
    ("8 6/8 500000us", "8 6/8 3/8=500000us"), ("8 6/8 3/8=63", "song \"a\" beat=1/2\n8 6/8 3/8=63"),
    ("2 6/8 120\npause 3beat", "2 6/8 3/8=80\npause 1beat"),
  ])
  func tempoCountsTheNoteBeforeIt(quarters: String, counted: String) throws {
    let (written, own) = (try map(quarters).total, try map(counted).total)
    #expect(own.time == written.time && own.bars == written.bars)
  }

  @Test func dottedBeatsOfASongAreTheBeats() throws {
    let text = "song \"Jig\" beat=3/8\nA: 8 6/8 63\nB: 8 9/8 =\nC: 4 1/4=100\nsong \"Reel\"\n8 6/8 120"
    let songs = try Score(text: text).songs
    let metres = songs.flatMap(\.parts).compactMap {
      if case .section(let section) = $0 { section.bar.metre } else { nil }
    }
    #expect(metres.map(\.beatsInBar) == [2, 3, 4, 6])
    #expect(metres.map(\.unit.description) == ["3/8", "3/8", "1/4", "1/4"])
    #expect(starts(try #require(SongMap(songs[0]))).map { $0[1] } == [0, 16, 40])
  }

  private static let longSongName = "song \"" + String(repeating: "é", count: 201) + "\"\n1 60"
  private static let longLabel = " " + String(repeating: "a", count: 201) + ": 1 60"
  private static let longLabelOfAPause = String(repeating: "a", count: 201) + ": pause wait"

  @Test(arguments: [
    ("4 4/4 120 X.x", "1:11: the pattern has 3 notes, and a bar has 4 notes"),
    ("4 80-120/10", "1:3: klick's \"80-120/10\" is for its command line"),
    ("# é\n é!:4 120", "2:2: a label is one word of letters"),
    ("my verse:4 120", "1:1: a label is one word of letters, digits, - and _, such as my_verse:"),
    ("my own verse: 4 120", "1:1: a label is one word"),
    (
      "verse 4 120",
      "1:1: an entry begins with its number of bars from 1 to 10^12, or *; a colon follows a label, such as verse:"
    ),
    ("0 120", "1:1: an entry begins with its number of bars from 1 to 10^12, or *"),
    ("a: 4 120 X.x. 0.5 foo", "1:19: \"foo\" is not an option"),
    ("4 120\n\n# x\n& 3:y", "4:5: invalid slot"), ("4 120\n& 3:y", "2:5: invalid slot"),
    ("& 3:4", "1:1: a voice belongs to the entry"),
    ("4 =", "1:3: = needs an entry before it"), ("4 0.9", "1:3: invalid tempo \"0.9\""),
    ("4 120.1234567", "1:3: invalid tempo \"120.1234567\""), ("4 4/3 120", "1:3: invalid signature"),
    ("4 33/8 120", "1:3: invalid signature; write one such as 7/8 or 2+2+3/8, with up to 32 notes"),
    ("* 60>120", "1:3: a change of tempo needs a number of bars"), ("4 60>", "1:3: invalid tempo"),
    ("4 60>90>120", "1:3: a change of tempo has two tempi"), ("4 120,130", "1:3: the list has 2 tempi"),
    ("4 60+5/4bar..120!up", "1:3: steps are written such as"), ("4 60+0/4bar..120", "1:3: steps are written such as"),
    ("4 60-5/4bar..120", "1:3: steps are written such as"),
    ("4 80+5/4bar..80", "1:3: the steps begin and end at \"80\"; write another last tempo, such as 60+5/4bar..120"),
    ("4 60+0.000001/1bar..120", "1:3: the steps are too small"),
    ("4 120.000001>454545us", "1:3: write both tempi in BPM"),
    ("4 120 mute=2bar", "1:7: mute= is a number"), ("4 120 drop=101%", "1:7: drop= is a share"),
    ("4 120 seed=-1", "1:7: seed= is a whole number"), ("4 120 limit=0bar", "1:7: limit= is a number"),
    ("4 120 count=13", "1:7: count= is a number"), ("4 120 vol=11", "1:7: vol= is a volume"),
    ("4 120 sub=2 sub=3", "1:13: sub= is given twice"), ("4 120 tempo=3", "1:7: unknown option \"tempo=3\""),
    (
      "8 6/8 5/8=63",
      "1:7: \"5/8\" is not what a tempo counts; write a note such as 1/8 or dotted 3/8 before =, as in 3/8=63"
    ),
    ("8 bpm=120", "1:3: \"bpm\" is not what a tempo counts"), ("8 6/8 3/8=", "1:11: invalid tempo \"\""),
    ("8 3/8=700", "1:7: 3/8=700 is 1050 quarters per minute; a score has 1 to 999 of them"),
    ("8 6/8 3/8 = 63", "1:7: write the note and its tempo without spaces, such as 3/8=63"),
    ("8 \u{2669}. =63", "1:3: write the note and its tempo without spaces, such as \u{2669}.=63"),
    ("8 1/8=1", "1:7: 1/8=1 is 0.5 quarters per minute"), ("8 1/8=63.000001", "1:7: invalid tempo \"63.000001\"; a"),
    ("song \"x\" beat=2\n1 60", "1:10: beat= is the note that the tempi of the song count, such as beat=1/8"),
    (
      "verse: 8 120\nrit. 80",
      "2:1: \"rit.\" is not understood; a tempo that falls is written with both ends over its bars, such as 4 120-80"
    ),
    ("8 120 Accel.", "1:7: \"Accel.\" is not understood; a tempo that rises is written with both ends"),
    ("8 rit 80", "1:3: \"rit\" is not understood"), ("a: fermata", "1:4: \"fermata\" is not understood; a pause is"),
    ("8 Allegro", "1:3: \"Allegro\" is no exact tempo; write one in BPM, such as 132 for allegro"),
    ("8 120 pp", "1:7: \"pp\" is not understood; a volume from 0 to 10 follows the tempo"),
    ("|: 8 120 :|", "1:1: \"|:\" is not understood; repeats are written with braces"),
    ("4 C 120", "1:3: \"C\" is not understood; write the signature as numbers: 4/4 for C, 2/2 for alla breve"),
    ("repeat 2", "1:1: \"repeat\" is not understood; repeats are written with braces"),
    ("8 120 swing", "1:7: \"swing\" is not understood; write how the slots swing, such as sub=2 swing=2:1"),
    ("8 120 Coda", "1:7: \"Coda\" is not understood; write the sections in the order"),
    ("8 a tempo", "1:5: \"tempo\" is not understood; write the tempo again as a number, such as 8 120"),
    ("1 120\nD.C.", "2:1: \"D.C.\" is not understood; write the sections in the order in which they are played"),
    ("1 120\nD.C. al Coda", "2:1: \"D.C.\" is not understood; write the sections in the order"),
    ("8 120 BPM", "1:7: \"BPM\" is not understood; a tempo is a number without its unit, such as 8 120"),
    ("8 120bpm", "1:3: \"120bpm\" is not understood; a tempo is a number without its unit"),
    (
      "8 92,5", "1:3: the list has 2 tempi; it needs one for each beat of all bars; a decimal has a point, such as 92.5"
    ),
    ("song “Blue in Green”\n8 92", "1:6: a song has a name in straight quotation marks, such as song \"Blue\""),
    ("song ‟Blue’\n8 92", "1:6: a song has a name in straight quotation marks"),
    ("8 92 „X.x.“", "1:6: \"„X.x.“\" has typographic quotation marks; leave them out"),
    ("{ a: 1 }", "1:3: a block is repeated 1 to 1000000000 times, such as {3; its entries are in the lines after {"),
    ("{2 a: 1 120 }", "1:4: nothing follows the number of repetitions; the entries are in the lines after it"),
    ("8 6/8 63 beat=3/8", "1:10: beat= belongs to the line of a song; in an entry write the note before its tempo"),
    ("8 6/8 beat=3/8 63", "1:7: beat= belongs to the line of a song"),
    ("8 120 sub=3 swing=2:1", "1:13: nothing swings here: sub=3 has no pairs of notes; write sub=2 or sub=4, or leave"),
    ("{9", "1:1: this block is not closed"), ("1 60\n}", "2:1: no block is open"),
    ("{2\n}", "2:1: the block of line 1 is"),
    ("{2 3\n", "1:4: nothing follows"), ("pause 3", "1:7: a pause lasts"), ("pause", "1:1: a pause lasts"),
    ("song x", "1:6: a song has a name"), ("song \"x\" scale=0%", "1:10: scale= is a share"),
    (longSongName, "1:6: the name of a song has at most 200 characters"),
    (longLabel, "1:2: a label has at most 200 characters"),
    (longLabelOfAPause, "1:1: a label has at most 200 characters"),
    ("song \"x\" count=x", "1:10: count= is a number"), ("song \"x\" y", "1:10: unknown option \"y\""),
    ("song \"x\"\nsong \"y\"\n1 60", "1:1: this song has no entries"), ("", "1:1: the score has no entries"),
    ("x:", "1:3: an entry follows a label"), ("8", "1:1: a tempo follows the number of bars"),
    ("1000000000000 120", "1:1: the song is too long"),
    (
      String(repeating: "{1000000000\n", count: 8) + "1 999\n" + String(repeating: "}\n", count: 8),
      "1:1: the song is too"
    ),
    (String(repeating: "{2\n", count: 9), "9:1: blocks are nested at most 8 deep"),
  ])
  func errorSaysWhereAndWhatIsRight(text: String, message: String) {
    #expect {
      _ = try Score(text: text)
    } throws: { error in
      guard let error = error as? NotationError else { return false }
      return "\(error.line):\(error.column): \(error.text)".hasPrefix(message)
    }
  }

  @Test(arguments: ["Größe", "Überleitung-2", "припев", "サビ", "e\u{301}", "a_1"])
  func labelHasTheLettersOfItsLanguage(label: String) throws {
    #expect(try Score(text: "\(label): 1 60").songs[0].parts[0].label == label)
    #expect(try Score(text: "\(label) : pause wait\n1 60").songs[0].parts[0].label == label)
  }

  /// Blanks without ink, and characters that are no letters.
  @Test(arguments: ["a\u{200B}", "\u{3164}", "♩", "a\u{A0}b", "²"]) func otherCharactersAreNoLabel(label: String) {
    #expect(throws: NotationError.self) { try Score(text: "\(label): 1 60") }
  }

  @Test func nameAndLabelOfTheGreatestLengthAreRead() throws {
    let (name, label) = (String(repeating: "é", count: 200), String(repeating: "a", count: 200))
    let song = try Score(text: "song \"\(name)\"\n\(label): 1 60").songs[0]
    #expect(song.name == name && song.parts[0].label == label)
  }

  @Test func randomTextIsRefusedOrPlayed() {
    let pieces = [
      "4", " ", " ", "\n", "120", "-", ">", "~", ",", "/", "4/4", "+", "..", "!", "stop", "bar", "beat", "s", "{", "}",
      "&",
      "3:4", ":", "X.x.", "|", "#", "\"", "song", "pause", "wait", "*", "=", "sub=", "mute=", "2/2bar", "drop=20%",
      "us",
      "500000us", "label", "0.5", "é", "\r", "\t", "999999999999",
    ]
    var random = Lehmer(seed: 17)
    for _ in 0..<2_000 {
      let text = (0..<random.below(24)).map { _ in pieces[random.below(pieces.count)] }.joined()
      guard let score = try? Score(text: text) else { continue }
      for song in score.songs { #expect(SongMap(song)?.first != nil) }
    }
  }
}
