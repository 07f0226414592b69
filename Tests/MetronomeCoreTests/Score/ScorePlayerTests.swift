import Testing

@testable import MetronomeCore

@Suite struct ScorePlayerTests {
  /// The beats of a song from its sections, one after another.
  private func expected(_ text: String, count: Int) throws -> [Int64] {
    let map = try #require(SongMap(try Score(text: text).songs[0]))
    var (times, start) = ([Int64](), FineTime.zero)
    var occurrence = map.first
    while let current = occurrence, times.count < count {
      if let section = current.section {
        let own = SectionMap(section)
        for beat in 0..<(own.beats ?? Int64(count)) where times.count < count {
          times.append((start + own.time(at: Position(whole: beat))).nanoseconds.count)
        }
        start = start + (own.duration ?? .zero)
      } else if case .pause(let pause) = current.part, case .time(let time) = pause.length {
        start = start + FineTime(time)
      }
      occurrence = map.next(after: current)
    }
    return times
  }

  static let scores = [
    "2 120\n2 3/4 97.3\n1 7/8 60",
    "4 60>120\n4 120-80\n3 6/8 80~90\n2 100",
    "{3\n1 97\n1 103\n}\n1 120",
    "8 60+5/1bar..120\n2 100",
    "1 120,121,122,123\n3 60+7/3beat..88!again",
    "1 120\npause 2.5s\n1 5/4 90\npause 61s\n2 80",
    "{2\n{2\n1 200\n1 180 X.x.\n}\n1 3/8 111 sub=2\n}",
    "*  140",
    "12 60+5/2bar..80!reverse",
  ]

  @Test(arguments: scores)
  func theTimelineIsFilledWithTheSong(_ text: String) throws {
    var stage = try Stage(text)
    stage.start()
    stage.play(until: .zero + .seconds(120))
    let expected = try expected(text, count: stage.beats.count)
    #expect(stage.times == expected)
    #expect(stage.beats.count > 15)
    #expect(stage.beats.enumerated().allSatisfy { $0 == Int($1.index) })
  }

  @Test func aSongStopsAtItsEnd() throws {
    var stage = try Stage("2 120")
    stage.start()
    stage.play(until: .zero + .milliseconds(4_024))
    #expect(stage.metronome.state.isPlaying)
    stage.play(until: .zero + .milliseconds(4_026))
    #expect(!stage.metronome.state.isPlaying)
    #expect(stage.beats.count == 8)
  }

  @Test func aSetListGoesToItsNextSong() throws {
    var stage = try Stage("song \"One\"\n1 120\nsong \"Two\" scale=50%\n1 120\n")
    stage.start()
    stage.play(until: .zero + .seconds(3))
    #expect(stage.metronome.state.score?.name == "Two")
    stage.start()
    stage.play(until: .zero + .seconds(20))
    #expect(
      stage.beats.suffix(4).map { ($0.instant - stage.beats[4].instant).count / 1_000_000 } == [0, 1000, 2000, 3000])
    #expect(stage.metronome.state.score?.name == "One")
  }

  @Test func playAfterAnUnnoticedEndStartsTheNextSong() throws {
    // The control loop stood still at the end: it reads the press before it notices the end.
    var stage = try Stage("song \"One\"\n1 120\nsong \"Two\"\n1 90\n")
    stage.start()
    stage.play(until: .zero + .milliseconds(1_500))
    stage.play(until: .zero + .milliseconds(3_000), isStalled: true)
    stage.apply(.togglePlaying)
    #expect(stage.metronome.state.isPlaying)
    #expect(stage.metronome.state.score?.name == "Two")
    stage.play(until: .zero + .milliseconds(3_500))
    #expect(Array(stage.times.suffix(2)) == [1_500_000_000, 3_000_000_000])
  }

  @Test func aCountInPrecedesTheSong() throws {
    var stage = try Stage("song \"A\" count=1\n1 3/4 60\n1 120 count=2")
    stage.start()
    stage.play(until: .zero + .seconds(30))
    #expect(stage.beats.map(\.bar) == [-1, -1, -1, 0, 0, 0, -2, -2, -2, -2, -1, -1, -1, -1, 1, 1, 1, 1])
    #expect(stage.times[3] == 3_000_000_000)
    #expect(stage.times[14] == 10_000_000_000)
  }

  @Test func stepsOfTheTempoScaleTheRest() throws {
    var stage = try Stage("2 120\n2 60")
    stage.start()
    // Beat 2.5: with a speed of 80 % the half beat takes 312.5 ms.
    stage.play(until: .zero + .milliseconds(1_250))
    stage.apply(.stepTempo(byMilliBPM: -20_000))
    stage.play(until: .zero + .seconds(60))
    let expected: [Int64] = [
      0, 500, 1000, 1562, 2187, 2812, 3437, 4062, 4687, 5937, 7187, 8437, 9687, 10937, 12187, 13437,
    ]
    #expect(stage.times.map { $0 / 1_000_000 } == expected)
    #expect(stage.metronome.state.score?.speed == 800)
  }

  @Test func aRampKeepsItsPlaceWhenItsSpeedChanges() throws {
    // Until the change it is the ramp of facts; after it, the same ramp at half the speed from the same place.
    var stage = try Stage("2 60>120")
    stage.start()
    stage.play(until: .zero + .milliseconds(2_000))
    stage.apply(.stepTempo(byMilliBPM: -50_000))
    stage.play(until: .zero + .seconds(60))
    let ramp: [Int64] = [
      0, 920_554_346, 1_722_003_496, 2_441_269_193, 3_099_407_093, 3_709_773_310, 4_281_470_067, 4_821_030_807,
    ]
    #expect(stage.times[0...2] == ramp[0...2])
    for number in 3..<8 { #expect(abs(stage.times[number] - (2 * ramp[number] - 2_000_000_000)) <= 1) }
  }

  @Test func aStallLetsTheLastBeatsGoOn() throws {
    // The window holds at most 30 s. Then the tempo of the last piece goes on, and the song is where it would have been.
    let text = "{200\n1 120\n1 100\n}"
    var stage = try Stage(text)
    stage.start()
    stage.play(until: .zero + .seconds(50))
    let before = stage.beats.count
    stage.play(until: .zero + .seconds(110), isStalled: true)
    let gaps = zip(stage.times.dropFirst(before), stage.times.dropFirst(before - 1)).map { $0 - $1 }
    #expect(gaps.allSatisfy { $0 <= 600_000_001 })
    stage.play(until: .zero + .seconds(200))
    let expected = Set(try expected(text, count: 400))
    #expect(stage.times.drop { $0 < 111_000_000_000 }.allSatisfy { expected.contains($0) })
    #expect(stage.beats.enumerated().allSatisfy { $0 == Int($1.index) })
  }

  @Test func gapsAndDropsSilenceTheBeatsOfTheFormulas() throws {
    var stage = try Stage("10000 999 mute=2/2bar\n")
    stage.start()
    stage.play(until: .zero + .seconds(60))
    #expect(stage.beats.allSatisfy { $0.isSilent == ($0.bar % 4 >= 2) })
    var drop = try Stage("3000 999 drop=20% seed=1")
    drop.start()
    drop.play(until: .zero + .seconds(700))
    let silent = drop.beats.filter(\.isSilent).map(\.index)
    #expect(Array(silent.prefix(6)) == [15, 20, 21, 23, 25, 28])
    #expect(silent.filter { $0 < 10_000 }.count == 2_094)
  }

  /// The i-th number of SplitMix64, written again: the beats that facts name are in the test before.
  private func isDropped(_ number: Int64, seed: UInt64, percent: UInt64) -> Bool {
    var z = seed &+ UInt64(number + 1) &* 0x9E37_79B9_7F4A_7C15
    for (shift, factor) in [(30, 0xBF58_476D_1CE4_E5B9), (27, 0x94D0_49BB_1331_11EB)] as [(UInt64, UInt64)] {
      z = (z ^ z >> shift) &* factor
    }
    z ^= z >> 31
    return z.multipliedFullWidth(by: 100).high < percent
  }

  @Test func tenThousandBarsAreSilentWhereTheFormulasSay() throws {
    let text = "10000 999 mute=2/2bar drop=20% seed=5\n{10000\n1 999 drop=20% seed=5\n}"
    var stage = try Stage(text)
    stage.start()
    stage.play(until: .zero + .seconds(4_806))
    #expect(stage.beats.count == 80_000)
    #expect(
      stage.beats.allSatisfy { beat in
        let isInGap = beat.bar < 10_000 && beat.bar % 4 >= 2
        return beat.isSilent == (isInGap || isDropped(beat.index, seed: 5, percent: 20))
      })
    // The same after a seek.
    var other = try Stage(text)
    other.metronome.load(SetList(try Score(text: text), name: "Drops"))
    other.metronome.select(SavedPlace(score: "Drops", song: 0, bar: 17_000))
    other.start()
    other.play(until: .zero + .seconds(60))
    let sought = other.beats.map(\.isSilent)
    #expect(sought == stage.beats[68_000..<(68_000 + sought.count)].map(\.isSilent))
    #expect(sought.count > 990)
  }

  @Test func theSpeedOfTheNextSongBeginsWithIt() throws {
    var stage = try Stage("song \"A\"\n4 2/4 60\nsong \"B\" scale=50%\n1 2/4 60")
    stage.start()
    stage.play(until: .zero + .milliseconds(1_200))
    stage.apply(.nextSong)
    #expect(stage.metronome.state.score?.speed == 1_000)
    stage.play(until: .zero + .milliseconds(2_100))
    #expect(stage.metronome.state.score?.speed == 500)
    stage.play(until: .zero + .milliseconds(3_000))
    #expect(stage.times == [0, 1_000_000_000, 2_000_000_000])
    stage.play(until: .zero + .milliseconds(4_100))
    #expect(stage.times.last == 4_000_000_000)
  }

  @Test func aHostileScoreIsRefusedOrPlayed() throws {
    let text = "{1000000000\n{1000000000\npause 0.001s\n}\n}\n1 120"
    if var stage = try? Stage(text) {
      stage.start()
      stage.play(until: .zero + .milliseconds(100))
    }
    var pauses = try Stage("{\npause 1s\n}")
    pauses.start()
    #expect(!pauses.metronome.state.isPlaying)
  }

  /// The timeline was full, so the end of the song did not fit behind the changed rest: the beat went on beyond it.
  @Test func songEndsWhileItsSpeedChangesAtEachBeat() throws {
    var stage = try Stage("4 32/32 999~999")
    stage.start()
    stage.play(until: .zero + .milliseconds(700))
    for change in 0..<48 {
      stage.apply(.stepTempo(byMilliBPM: change.isMultiple(of: 2) ? 1_000 : -1_000))
      stage.play(until: stage.now + .milliseconds(8))
    }
    stage.play(until: .zero + .seconds(2))
    #expect(stage.beats.count == 128)
    #expect(!stage.metronome.state.isPlaying)
    #expect(stage.metronome.state.score?.speed == 1_000)
  }
}
