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

  @Test func scoreAnswersWithItsOwnTempoAndRefusesPresets() throws {
    var metronome = Metronome()
    metronome.apply(.storePreset(1), pressed: .zero, effective: .zero, now: .zero)
    metronome.load(SetList(try Score(text: "2 3/4 90")))
    let replies = [Command.tellTempo, .tellSignature, .recallPreset(1), .storePreset(1)].map {
      metronome.apply($0, pressed: .zero, effective: .zero, now: .zero)
    }
    #expect(replies == [.tempo(Tempo(bpm: 90)!), .signature(Signature(text: "3/4")!), .refused, .refused])
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
