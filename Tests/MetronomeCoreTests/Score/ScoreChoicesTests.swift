import Testing

@testable import MetronomeCore

/// Where the text of a score can be read in two ways: what is played. Each has a sentence in Documentation/Scores.md or Rhythm.md.
@Suite struct ScoreChoicesTests {
  /// The seconds at which bars begin, as far as they are whole milliseconds.
  private func bars(_ stage: Stage) -> [Int64] {
    stage.beats.filter { $0.position == 0 }.map { ($0.instant - .zero - Stage.lead).count / 1_000_000 }
  }

  private func played(_ text: String, for seconds: Int64 = 100) throws -> Stage {
    var stage = try Stage(text)
    stage.start()
    stage.play(until: .zero + .seconds(seconds))
    return stage
  }

  /// Three beats at 60, three at 90 and three at 120 are nine: three more complete the third bar at 120.
  @Test func stepsThatStopWithinABarCompleteIt() throws {
    let stage = try played("* 60+30/3beat..120!stop\nend: 1 60")
    #expect(bars(stage) == [0, 3_666, 6_000, 8_000])
    let song = try #require(SongMap(Score(text: "* 60+30/3beat..120!stop").songs[0]))
    #expect(song.total.beats == 12 && song.total.time.nanoseconds == .seconds(8))
  }

  /// At 90 BPM two bars last 5.333 s: the first bar line after 3 s. The next one, at 7.333 s, is after 6 s, and so ends the bar at
  /// 120 BPM; only a count from the last step on would wait for another bar.
  @Test func secondsOfStepsCountFromTheBeginning() throws {
    let song = try #require(SongMap(Score(text: "4 90+30/3s..150").songs[0]))
    #expect(song.total.time.nanoseconds == .milliseconds(5_333 + 2_000 + 1_600) + Nanoseconds(333_333))
  }

  /// At 60 BPM a bar lasts 4 s, longer than the steps.
  @Test func eachStepInSecondsLastsABar() throws {
    let song = try #require(SongMap(Score(text: "* 60+20/1s..120!stop").songs[0]))
    #expect(song.total.bars == 4 && song.total.time.nanoseconds == .milliseconds(4_000 + 3_000 + 2_400 + 2_000))
  }

  @Test(arguments: [(1, 2), (2, 1), (0, 2), (2, 0), (2, 2)])
  func longerCountInOfSongAndSectionIsPlayed(song: Int, section: Int) throws {
    let stage = try played("song \"x\" count=\(song)\n1 60 count=\(section)\n1 60")
    #expect(bars(stage).count == 2 + 2)
    #expect(stage.beats.first?.bar == -2 && stage.beats.last?.bar == 1)
  }

  /// The pause lasts 3 s. A press leads to it, a second one behind it.
  @Test func nextSectionLeadsToAPause() throws {
    func begins(presses: Int) throws -> [Int64] {
      var stage = try Stage("a: 9 60\npause 3s\nb: 1 60")
      stage.start()
      stage.play(until: .zero + .seconds(1))
      for _ in 0..<presses { stage.apply(.nextSection) }
      stage.play(until: .zero + .seconds(100))
      return bars(stage)
    }
    #expect(try begins(presses: 1) == [0, 7_000])
    #expect(try begins(presses: 2) == [0, 4_000])
  }

  /// A pattern of two bars begins anew in each section, and when a block repeats a section: its second bar is never heard.
  @Test func patternsRestartInEachSection() throws {
    var timelines: [[Level]] = []
    for text in ["2 240 XxxxYYYY", "1 240 XxxxYYYY\n1 240 XxxxYYYY", "{2\n1 240 XxxxYYYY\n}"] {
      timelines.append(try played(text).beats.map(\.level))
    }
    let bar = [Level.strong, .weak, .weak, .weak]
    #expect(timelines[0] == bar + [.medium, .medium, .medium, .medium])
    #expect(timelines[1] == bar + bar && timelines[2] == bar + bar)
  }

  /// The third eighth begins a group, the fourth is the second beat.
  @Test func writtenGroupsStandAgainstTheBeats() throws {
    let dotted = try #require(BeatUnit(3, over: 8))
    let metre = Metre(try #require(Signature(text: "2+2+2/8")), unit: dotted)
    #expect((0..<6).map { metre.level(ofNote: $0) } == [.strong, .ghost, .medium, .weak, .medium, .ghost])
    let stage = try played("1 2+2+2/8 3/8=60")
    #expect(stage.beats.map(\.level) == [.strong, .weak])
  }

  @Test func waitBeforeTheFirstSectionIsSkipped() throws {
    for text in ["pause wait\n1 60", "pause wait\npause wait\n1 60", "{2\npause wait\n1 60\n}"] {
      let stage = try played(text)
      #expect(stage.beats.count == 4 && stage.beats.first?.instant == .zero + Stage.lead)
    }
  }

  /// After the second dotted beat of 6/8 comes the third eighth, as after a change of the signature.
  @Test func anotherBeatUnitKeepsTheNumberOfTheBeat() throws {
    var settings = Settings()
    settings.music = Music(
      tempo: Tempo(bpm: 60)!, signature: Signature(text: "6/8")!, unit: BeatUnit(3, over: 8)!)
    var stage = Stage(settings)
    stage.start()
    stage.play(until: .zero + .milliseconds(1_100))
    stage.apply(.setUnit(BeatUnit(1, over: 8)!))
    stage.play(until: .zero + .seconds(9))
    #expect(stage.beats.map(\.position) == [0, 1, 2, 3, 4, 5, 0, 1, 2])
    #expect(stage.beats.map(\.bar) == [0, 0, 0, 0, 0, 0, 1, 1, 1])
  }
}
