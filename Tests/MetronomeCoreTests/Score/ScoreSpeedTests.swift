import Testing

@testable import MetronomeCore

/// Seconds, pauses and whole nanoseconds at practice speeds.
@Suite struct ScoreSpeedTests {
  /// How a section comes to be entered at a speed, in thousandths.
  enum Entry: CaseIterable { case beforeTheStart, whilePlaying, byAJump, fromAPreset }

  /// Plays a score at a speed for ten minutes, or until its end.
  private func played(_ text: String, at speed: Int) throws -> Stage {
    var stage = try Stage(text)
    stage.apply(.stepTempo(byMilliBPM: speed * 100 - 100_000))
    stage.start()
    stage.play(until: .zero + .seconds(600))
    return stage
  }

  static let speeds = [250, 500, 730, 1_500, 2_000]

  /// A section of eight bars, of which four seconds of the song are played: four bars at 120 BPM.
  @Test(arguments: Entry.allCases, speeds) func limitInSecondsIsThatOfTheSong(entry: Entry, speed: Int) throws {
    var stage = try Stage("2 2/4 120\n8 2/4 120 limit=4s\n1 1/4 60")
    stage.metronome.load(SetList(try Score(text: "2 2/4 120\n8 2/4 120 limit=4s\n1 1/4 60"), name: "Limit"))
    let step = Command.stepTempo(byMilliBPM: speed * 100 - 100_000)
    switch entry {
    case .beforeTheStart:
      stage.apply(step)
      stage.start()
    case .whilePlaying:
      stage.start()
      stage.play(until: .zero + .milliseconds(1_100))
      stage.apply(step)
    case .byAJump:
      stage.start()
      stage.play(until: .zero + .milliseconds(300))
      stage.apply(step)
      stage.apply(.nextSection)
    case .fromAPreset:
      stage.apply(.nextSection)
      stage.apply(step)
      stage.apply(.storePreset(1))
      stage.apply(.resetTempo)
      stage.apply(.previousSection)
      stage.start()
      stage.play(until: .zero + .milliseconds(300))
      stage.apply(.recallPreset(1))
    }
    stage.play(until: .zero + .seconds(100))
    let limited = stage.beats.filter { (2...5).contains($0.bar) }
    #expect(limited.map(\.bar) == [2, 2, 3, 3, 4, 4, 5, 5])
    #expect(stage.beats.last?.bar == 6 && !stage.metronome.state.isPlaying)
    let length = (stage.beats[stage.beats.count - 1].instant - limited[0].instant).count
    // Both ends are rounded down.
    #expect(abs(length - 4_000_000_000_000 / Int64(speed)) <= 1)
  }

  static let withSeconds = [
    "* 60+5/2s..80!stop\n1 =", "40 3/4 90+15/3s..150!again limit=20s\n2 90",
    "64 7/8 200-10/1s..150!reverse limit=31s\n1 =",
    "{2\n* 2/4 133 limit=5.3s\n* 1/4 77 limit=1.2s\n}\n3 4/4 60>120 limit=2s",
  ]

  /// Without pauses in seconds, a speed scales all distances, and changes no bar.
  @Test(arguments: withSeconds, speeds) func speedScalesASongWithSeconds(text: String, speed: Int) throws {
    let (own, other) = (try played(text, at: 1_000), try played(text, at: speed))
    #expect(own.beats.count > 20 && other.beats.map(\.bar) == own.beats.map(\.bar))
    for (mine, scaled) in zip(own.times, other.times) {
      // The own instant is rounded down, and so is the scaled one.
      let range = mine * 1_000 / Int64(speed)...(mine + 1) * 1_000 / Int64(speed)
      #expect(range.contains(scaled))
    }
  }

  /// With `scale=` the song's own speed is another one, and seconds are real seconds at it.
  @Test func secondsAreThoseAtTheScaleOfTheSong() throws {
    let text = "song \"A\" scale=50%\n* 1/4 60 limit=7s\n1 1/4 60"
    var stage = try Stage(text)
    stage.start()
    stage.play(until: .zero + .seconds(30))
    // Four beats of two seconds are the first bar line at or after seven seconds.
    #expect(stage.times == [0, 2, 4, 6, 8].map { $0 * 1_000_000_000 })
    stage = try Stage(text)
    stage.apply(.stepTempo(byMilliBPM: 50_000))
    stage.start()
    stage.play(until: .zero + .seconds(30))
    #expect(stage.times == [0, 1, 2, 3, 4].map { $0 * 1_000_000_000 })
  }

  @Test func pausesInSecondsKeepTheirLength() throws {
    let stage = try played("1 1/4 60\npause 3s\n1 1/4 60 limit=1s\npause 2beat\n1 1/4 60", at: 500)
    #expect(stage.times == [0, 5, 11].map { $0 * 1_000_000_000 })
  }

  @Test(
    arguments: [
      // The first pause has begun and keeps its two seconds; the second one takes one. A press takes effect 25 ms later.
      ("1 1/4 60\npause 2beat\npause 2beat\n1 1/4 60", 1_500, 100_000, [0, 4_000]),
      ("1 1/4 60\npause 2beat\npause 2beat\n1 1/4 60", 3_500, 100_000, [0, 5_000]),
      ("1 1/4 60\npause 2beat\npause 2beat\n1 1/4 60", 500, 100_000, [0, 2_762]),
      ("1 1/4 60\npause 2beat\npause 1.5s\npause 3beat\n2 1/4 60", 1_500, -50_000, [0, 10_500, 12_500]),
      ("1 1/4 60\npause 2beat\npause 1.5s\npause 3beat\n2 1/4 60", 3_700, -50_000, [0, 10_500, 12_500]),
      // More than the time for which the player plans.
      ("1 1/4 60\npause 2beat\npause 40beat\n1 1/4 60", 1_500, 100_000, [0, 23_000]),
      // Before the first section.
      ("pause 2beat\npause 2beat\n1 60\n1 1/4 60", 500, 50_000, [0, 666, 1_333, 2_000, 2_666]),
    ] as [(String, Int64, Int, [Int64])])
  func pauseThatHasNotBegunFollowsTheSpeed(text: String, press: Int64, step: Int, expected: [Int64]) throws {
    var stage = try Stage(text)
    stage.start()
    stage.play(until: .zero + Stage.lead + .milliseconds(press))
    stage.apply(.stepTempo(byMilliBPM: step))
    stage.play(until: .zero + .seconds(60))
    #expect(stage.times.map { ($0 - stage.times[0]) / 1_000_000 } == expected)
    #expect(!stage.metronome.state.isPlaying)
  }

  /// The end of a song comes after the pause that has begun, and the pause behind it at the new speed.
  @Test func songEndsAfterPausesAtTheNewSpeed() throws {
    var stage = try Stage("1 1/4 60\npause 2beat\npause 4beat")
    stage.start()
    stage.play(until: .zero + .seconds(2))
    stage.apply(.stepTempo(byMilliBPM: 100_000))
    stage.play(until: .zero + .milliseconds(5_024))
    #expect(stage.metronome.state.isPlaying)
    stage.play(until: .zero + .milliseconds(5_026))
    #expect(!stage.metronome.state.isPlaying)
  }

  @Test func pauseBeforeTheFirstSectionFollowsTheSpeed() throws {
    var stage = try Stage("pause 2beat\npause 2beat\n1 2/4 60")
    stage.start()
    stage.play(until: .zero + .milliseconds(500))
    stage.apply(.stepTempo(byMilliBPM: 100_000))
    stage.play(until: .zero + .seconds(10))
    // The first pause lasts a second at 120 BPM, the second one half of it.
    #expect(stage.times == [1_500_000_000, 2_000_000_000])
  }

  @Test func pauseBeforeTheFirstSectionIsEndedAtOnce() throws {
    var stage = try Stage("pause 2beat\npause 20s\na: 1 2/4 60\nb: 1 1/4 60")
    stage.start()
    stage.play(until: .zero + .milliseconds(2_000))
    stage.apply(.nextSection)
    stage.play(until: .zero + .seconds(10))
    #expect(stage.times == [2_000_000_000, 3_000_000_000, 4_000_000_000])
    #expect(stage.beats.map(\.bar) == [0, 0, 1])
  }

  /// The pause belongs to the second song: *next* goes to its section, not to one of the first song.
  @Test func pauseThatBeginsAnotherSongIsEndedAtOnce() throws {
    var stage = try Stage("song \"1\"\na: 2 1/4 60\nb: 2 1/4 60\nsong \"2\" scale=50%\npause 20s\nc: 1 2/4 60")
    stage.start()
    stage.play(until: .zero + .milliseconds(500))
    stage.apply(.nextSong)
    stage.play(until: .zero + .milliseconds(4_975))
    stage.apply(.nextSection)
    stage.play(until: .zero + .seconds(20))
    #expect(stage.times == [0, 4_975_000_000, 6_975_000_000])
  }
}

/// Instants of sections that are whole nanoseconds, and the last digit of all others.
@Suite struct ScoreNanosecondTests {
  /// Sections of one beat, repeated: their tempi in BPM and the speeds at which they are played. Their sums are whole again and
  /// again.
  static let tempi: [[Int64]] = [[180], [210], [99], [70, 90, 110], [180, 7, 63], [241, 239], [999, 33, 27, 77]]

  /// The instants are those of exact fractions.
  @Test(arguments: tempi, [1_000, 500, 1_500, 700, 333])
  func sectionsBeginAtExactInstants(tempi: [Int64], speed: Int64) throws {
    let sections = tempi.map { "1 1/4 \($0)" }.joined(separator: "\n")
    var stage = try Stage("{20000\n\(sections)\n}\n\(sections)")
    stage.apply(.stepTempo(byMilliBPM: Int(speed) * 100 - 100_000))
    stage.start()
    stage.play(until: .zero + .seconds(1_000))
    let product = tempi.reduce(Int128(speed)) { $0 * Int128($1) }
    var sum: Int128 = 0
    for (number, time) in stage.times.enumerated() {
      #expect(Int128(time) == sum / product)
      sum += 60_000_000_000_000 * product / Int128(tempi[number % tempi.count]) / Int128(speed)
    }
    #expect(stage.times.count > 100)
  }

  /// Beats of the second section are sums of two fractions: the last third of a second completes a whole one.
  @Test func beatsWithinASectionAreExact() throws {
    var stage = try Stage("1 1/4 180\n20 1/4 180\n2 1/4 90 sub=2\n9 1/4 180")
    stage.start()
    stage.play(until: .zero + .seconds(60))
    let thirds = Array(0...21) + [23] + Array(25...33)
    #expect(stage.times == thirds.map { Int64($0) * 1_000_000_000 / 3 })
  }

  /// A tempo that is linear in time from 60 to 120 BPM in two beats takes 4/3 s: with the third of a second, five thirds.
  @Test func sectionAfterARampIsExact() throws {
    var stage = try Stage("1 2/4 60>120\n2 1/4 180\n1 2/4 120~60\n3 1/4 90")
    stage.start()
    stage.play(until: .zero + .seconds(60))
    let starts = stage.beats.enumerated().filter { $1.position == 0 }.map { stage.times[$0.offset] }
    #expect(
      starts == [
        0, 1_333_333_333, 1_666_666_666, 2_000_000_000, 3_500_000_000, 4_166_666_666, 4_833_333_333,
      ])
  }

  /// A change of speed leaves the rest of a beat: the sections after it are counted from there.
  @Test func sectionsAfterAChangeOfSpeedAreExact() throws {
    var stage = try Stage("{100\n1 1/4 180\n}")
    stage.start()
    stage.play(until: .zero + .milliseconds(500))
    // At 0.5 s, half of the second beat is left; at 75 %, beats last 4/9 s.
    stage.apply(.stepTempo(byMilliBPM: -25_000))
    stage.play(until: .zero + .seconds(20))
    for (number, time) in stage.times.enumerated() where number >= 2 {
      #expect(Int128(time) == 500_000_000 + (2_000_000_000 + 4_000_000_000 * Int128(number - 2)) / 9)
    }
    #expect(stage.times.count > 30)
  }

  /// The song ends at a whole nanosecond, and not one later.
  @Test func endIsExact() throws {
    let list = SetList(try Score(text: "{21\n1 1/4 90\n1 1/4 126\n}"))
    #expect(list.playingTime(ofSong: 0, limit: .seconds(100)) == .seconds(24))
  }

  /// Longer than the clock can count: nothing overflows.
  @Test(arguments: [
    "1000000000000 32/1 1", "10000000000 60", "1000000000000 32/1 60+1/999999bar..100!again",
    "* 60+0.001/999999s..159", "* 60+0.001/999999bar..159!reverse", "* 32/1 1 limit=99999999s",
  ])
  func hugeSectionsAreRefusedOrPlayed(text: String) throws {
    guard var stage = try? Stage(text) else { return }
    stage.apply(.stepTempo(byMilliBPM: -1_000_000))
    stage.start()
    stage.play(until: .zero + .seconds(1))
    stage.apply(.stepTempo(byMilliBPM: 1_000_000))
    stage.play(until: .zero + .seconds(2))
    stage.apply(.nextSection)
    #expect(stage.metronome.state.isPlaying)
  }
}
