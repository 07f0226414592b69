import Testing

@testable import MetronomeCore

/// What presses do while a score plays.
@Suite struct ScoreButtonsTests {
  @Test func aWaitIsReleasedByPlay() throws {
    var stage = try Stage("1 120\npause wait\n1 3/4 120")
    stage.start()
    stage.play(until: .zero + .seconds(100))
    #expect(stage.beats.count == 4)
    #expect(stage.metronome.state.score?.isWaiting == true)
    stage.apply(.togglePlaying)
    stage.play(until: .zero + .seconds(110))
    #expect(stage.times[4] == 100_000_000_000)
    #expect(stage.beats.map(\.position) == [0, 1, 2, 3, 0, 1, 2])
    #expect(!stage.metronome.state.isPlaying)
  }

  @Test func aSectionIsLeftAtTheBarLine() throws {
    var stage = try Stage("vamp: * 120\nend: 1 3/4 60")
    stage.start()
    stage.play(until: .zero + .milliseconds(5_200))
    stage.apply(.nextSection)
    stage.play(until: .zero + .seconds(30))
    #expect(stage.beats.count == 12 + 3)
    #expect(Array(stage.times.suffix(3)) == [6_000_000_000, 7_000_000_000, 8_000_000_000])
  }

  @Test func anEndlessBlockIsLeft() throws {
    var stage = try Stage("{\na: 1 120\nb: 1 2/4 120\n}\nc: 1 1/4 120")
    stage.start()
    stage.play(until: .zero + .milliseconds(7_000))
    stage.apply(.nextSection)
    stage.play(until: .zero + .seconds(30))
    #expect(stage.beats.count == 4 + 2 + 4 + 2 + 4 + 1)
    #expect(stage.times.last == 8_000_000_000)
  }

  @Test func theSectionBeforeAndTheSameSectionAreReached() throws {
    var stage = try Stage("a: 4 120\nb: 4 120\nc: 4 120")
    stage.start()
    stage.play(until: .zero + .milliseconds(8_500))
    #expect(stage.metronome.state.score?.label == "b")
    stage.apply(.previousSection)
    stage.play(until: .zero + .milliseconds(11_000))
    #expect(stage.metronome.state.score?.label == "a")
    #expect(stage.beats.last?.bar == 0)
    stage.apply(.restartSection)
    stage.play(until: .zero + .milliseconds(12_100))
    #expect(stage.beats.last?.bar == 0)
    #expect(stage.times.enumerated().allSatisfy { $1 == Int64($0) * 500_000_000 })
  }

  @Test func twoPressesInABarMoveByTwo() throws {
    var stage = try Stage("a: 4 120\nb: 4 120\nc: 4 120\nsong \"2\"\n4 120\nsong \"3\"\n4 120")
    stage.start()
    stage.play(until: .zero + .milliseconds(200))
    for _ in 0..<2 { stage.apply(.nextSection) }
    stage.play(until: .zero + .milliseconds(2_100))
    #expect(stage.metronome.state.score?.label == "c")
    for command in [Command.previousSection, .previousSection, .nextSection] { stage.apply(command) }
    stage.play(until: .zero + .milliseconds(4_100))
    #expect(stage.metronome.state.score?.label == "b")
    for _ in 0..<2 { stage.apply(.nextSong) }
    stage.play(until: .zero + .milliseconds(6_100))
    #expect(stage.metronome.state.score?.song == 2)
    #expect(stage.times.enumerated().allSatisfy { $1 == Int64($0) * 500_000_000 })
  }

  /// While playing, the new song is heard at the next bar line.
  @Test func theSongIsToldAtOnceWhileStopped() throws {
    var metronome = Metronome()
    metronome.load(SetList(try Score(text: "4 120\nsong \"2\"\n4 90\nsong \"3\"\n4 60")))
    func replies(_ commands: [Command]) -> [Reply?] {
      commands.map { metronome.apply($0, pressed: .zero, effective: .zero, now: .zero) }
    }
    #expect(
      replies([.nextSong, .nextAccents, .nextSong, .previousSong, .previousSubdivision])
        == [.number(2), .number(3), .number(1), .number(3), .number(2)])
    #expect(replies([.start, .nextSong, .previousSong]) == [nil, nil, nil])
  }

  @Test func scoreAnswersWithItsOwnTempoAndRefusesPresets() throws {
    var metronome = Metronome()
    metronome.apply(.storePreset(1), pressed: .zero, effective: .zero, now: .zero)
    metronome.load(SetList(try Score(text: "2 3/4 90")))
    let replies = [Command.tellTempo, .tellSignature, .recallPreset(1), .storePreset(1)].map {
      metronome.apply($0, pressed: .zero, effective: .zero, now: .zero)
    }
    #expect(
      replies == [
        .tempo(Tempo(bpm: 90)!), .signature(Signature(text: "3/4")!), .refused(.presetOutsideScore),
        .refused(.scoreHasNoName),
      ])
  }

  /// A held play mutes: the press that ended the wait is undone, and the song waits again.
  @Test func heldPlayKeepsWaiting() throws {
    var stage = try Stage("a: 1 2/4 60\npause wait\nb: 4 2/4 120")
    stage.start()
    stage.play(until: .zero + .seconds(5))
    let press = Press(.play, at: stage.now, number: 1)
    stage.press(.togglePlaying, press)
    stage.play(until: .zero + .milliseconds(5_600))
    #expect(stage.metronome.state.score?.label == "b")
    let undone = stage.metronome.undo(press, for: .toggleSilence, effective: stage.now + Stage.lead, now: stage.now)
    stage.apply(.toggleSilence)
    #expect(undone && stage.metronome.state.isSilent && stage.metronome.state.score?.isWaiting == true)
    let count = stage.beats.count
    stage.play(until: .zero + .seconds(20))
    #expect(stage.beats.count == count && stage.metronome.state.isPlaying)
    stage.apply(.togglePlaying)
    stage.play(until: .zero + .milliseconds(20_100))
    #expect(stage.metronome.state.score?.label == "b" && stage.beats.last?.instant == .zero + .milliseconds(20_025))
  }

  @Test func theSectionBeforeIsTheOneThatWasPlayed() throws {
    let text = "a: * 120\nb: 1 120\n{2\nc: 1 120\nd: 1 120\n}\npause 1s\n{\ne: 1 120\n}\nf: 1 120"
    let map = try #require(SongMap(try Score(text: text).songs[0]))
    var (labels, here) = ([String](), map.first)
    while let section = here {
      labels.append(section.part.label ?? "")
      #expect(map.section(atBar: section.start.bars, sectionsAfter: map.sectionsAfterBar(of: section)) == section)
      here = map.firstSection(from: map.next(after: section, leaving: true))
    }
    #expect(labels == ["a", "b", "c", "d", "c", "d", "e", "f"])
    var (back, last) = ([String](), map.section(before: try #require(map.section(atBar: 0, sectionsAfter: 7))))
    while let section = last {
      back.append(section.part.label ?? "")
      last = map.section(before: section)
    }
    #expect(back == ["e", "d", "c", "d", "c", "b", "a"])
  }

  @Test func aTimedPauseIsEndedAtOnce() throws {
    var stage = try Stage("a: 1 2/4 60\npause 5s\npause 4s\nb: 1 2/4 60")
    stage.start()
    stage.play(until: .zero + .milliseconds(3_025))
    stage.apply(.nextSection)
    stage.play(until: .zero + .seconds(20))
    #expect(stage.times == [0, 1_000_000_000, 3_025_000_000, 4_025_000_000])
  }

  static let countIns: [(text: String, press: Int64, command: Command, starts: [Int64])] = [
    // Two bars of three beats are counted in. The press is in the first of them, in the second, and at the line between them.
    ("song \"A\" count=2\na: 2 3/4 60\nb: 2 2/4 60", 1_500, .nextSection, [0, 3, 5]),
    ("song \"A\" count=2\na: 2 3/4 60\nb: 2 2/4 60", 3_001, .nextSection, [0, 3, 6, 8]),
    ("song \"A\" count=2\na: 2 3/4 60\nb: 2 2/4 60", 2_975, .nextSection, [0, 3, 5]),
    ("song \"A\" count=2\na: 2 3/4 60\nb: 2 2/4 60", 5_900, .nextSection, [0, 3, 6, 8]),
    // The section has a count-in of its own.
    ("a: 1 2/4 60\nb: 2 3/4 60 count=3\nc: 1 1/4 60", 3_200, .nextSection, [0, 2, 5]),
    ("a: 1 2/4 60\nb: 2 3/4 60 count=3\nc: 1 1/4 60", 6_200, .previousSection, [0, 2, 5, 8, 10, 13, 16, 19, 22, 25]),
    ("a: 1 2/4 60\nb: 1 3/4 60 count=2\nc: 1 1/4 60", 3_200, .restartSection, [0, 2, 5, 8, 11, 14]),
    // At the speed of the count-in.
    ("song \"A\" count=2 scale=50%\na: 2 3/4 60\nsong \"B\"\nb: 2 2/4 60", 1_500, .nextSong, [0, 6, 8]),
  ]

  /// The bar lines, in seconds from the first one.
  @Test(arguments: countIns)
  func jumpInACountInGoesAtTheNextBarLine(_ one: (text: String, press: Int64, command: Command, starts: [Int64])) throws
  {
    var stage = try Stage(one.text)
    stage.start()
    stage.play(until: .zero + .milliseconds(one.press))
    stage.apply(one.command)
    stage.play(until: .zero + .seconds(60))
    let lines = zip(stage.beats, stage.times).filter { $0.0.position == 0 }
    #expect(lines.map { $0.1 } == one.starts.map { $0 * 1_000_000_000 })
  }

  /// Two presses in a bar of the count-in move by two sections; a change of speed in between moves the bar line.
  @Test func twoJumpsInACountInMoveByTwo() throws {
    var stage = try Stage("song \"A\" count=4\na: 2 2/4 60\nb: 2 2/4 60\nc: 1 2/4 60")
    stage.start()
    stage.play(until: .zero + .milliseconds(1_000))
    stage.apply(.nextSection)
    stage.apply(.stepTempo(byMilliBPM: -50_000))
    stage.apply(.nextSection)
    stage.play(until: .zero + .seconds(60))
    #expect(stage.times == [0, 1, 3, 5].map { $0 * 1_000_000_000 })
    #expect(stage.beats.map(\.bar) == [-4, -4, 4, 4])
  }

  /// With `tap: {starts: true}` the third tap starts a score as play does: with its count-in, at its own tempo.
  @Test func thirdTapStartsAScoreIfTapsStart() throws {
    for starts in [true, false] {
      var stage = Stage(Settings(), rules: Rules(tapStarts: starts))
      stage.metronome.load(SetList(try Score(text: "song \"A\" count=1\n2 2/4 60\n1 1/4 120")))
      for tap in 0..<3 {
        stage.play(until: .zero + .milliseconds(Int64(tap) * 500))
        #expect(!stage.metronome.state.isPlaying)
        stage.apply(.tap)
      }
      #expect(stage.metronome.state.isPlaying == starts)
      stage.play(until: .zero + .seconds(60))
      #expect(stage.times == (starts ? [1, 2, 3, 4, 5, 6, 7].map { $0 * 1_000_000_000 } : []))
      #expect(stage.beats.map(\.bar) == (starts ? [-1, -1, 0, 0, 1, 1, 2] : []))
    }
  }

  /// A tap that starts a score, and then turns out to begin another gesture, is undone.
  @Test func tapThatStartedAScoreIsUndone() throws {
    var stage = Stage(Settings(), rules: Rules(tapStarts: true))
    stage.metronome.load(SetList(try Score(text: "8 60")))
    for tap in 0..<3 {
      stage.play(until: .zero + .milliseconds(Int64(tap) * 500))
      stage.press(.tap, Press(.tap, at: stage.now, number: UInt64(tap + 1)))
    }
    #expect(stage.metronome.state.isPlaying)
    stage.undo(Press(.tap, at: .zero + .seconds(1), number: 3), for: .nextSection)
    #expect(!stage.metronome.state.isPlaying)
  }

  /// The play button is held to mute: the stop by its edge loaded a score that waited for it, and could not be undone.
  @Test func heldPlayMutesWhileAScoreWaits() throws {
    var stage = Stage(Settings())
    stage.start()
    stage.play(until: .zero + .seconds(1))
    stage.metronome.load(SetList(try Score(text: "4 60")))
    let press = Press(.play, at: stage.now, number: 1)
    stage.press(.togglePlaying, press)
    #expect(!stage.metronome.state.isPlaying)
    stage.play(until: .zero + .milliseconds(1_500))
    let undone = stage.metronome.undo(press, for: .toggleSilence, effective: stage.now + Stage.lead, now: stage.now)
    stage.apply(.toggleSilence)
    #expect(undone && stage.metronome.state.isPlaying && stage.metronome.state.isSilent)
    #expect(stage.metronome.state.score == nil)
    stage.apply(.stop)
    #expect(stage.metronome.state.score != nil)
  }

  /// The music stopped: undoing the later press replayed the earlier one as a stop.
  @Test func pressThatEndedAWaitIsKeptWhenALaterPressIsUndone() throws {
    var stage = try Stage("1 2/4 60\npause wait\n4 2/4 60")
    stage.start()
    stage.play(until: .zero + .seconds(5))
    stage.press(.togglePlaying, Press(.play, at: stage.now, number: 1))
    stage.play(until: .zero + .milliseconds(5_300))
    let slower = Press(.slower, at: stage.now, number: 2)
    stage.press(.stepTempo(byMilliBPM: -1_000), slower)
    let effective = stage.now + Stage.lead
    let isUndone = stage.metronome.undo(slower, for: .resetTempo, effective: effective, now: stage.now)
    #expect(isUndone)
    stage.apply(.resetTempo)
    stage.play(until: .zero + .milliseconds(8_100))
    #expect(stage.times == [0, 1, 5, 6, 7, 8].map { $0 * 1_000_000_000 })
  }
}
