import Testing

@testable import MetronomeCore

@Suite struct TrainerTests {
  @Test func gapFromTheConfigurationBeginsWithTheStart() {
    var stage = Stage(Settings(Trainer(gap: Trainer.Gap(sounding: 1, silent: 2))), rules: Rules(countIn: 1))
    stage.start()
    stage.play(until: .zero + .seconds(30))
    #expect(stage.beats.count == 60)
    #expect(stage.beats.allSatisfy { $0.isSilent == ($0.bar >= 0 && $0.bar % 3 > 0) })
  }

  @Test func gapsStepFromTheNextBarLine() {
    var stage = Stage(Settings(Trainer()))
    stage.start()
    stage.play(until: .zero + .milliseconds(4_600))
    stage.apply(.nextGap)
    stage.play(until: .zero + .milliseconds(20_000))
    // The press is in bar 2, so that bar 3 is the first of the gap.
    #expect(stage.beats.allSatisfy { $0.isSilent == ($0.bar >= 3 && ($0.bar - 3) % 2 == 1) })
    #expect(stage.metronome.state.trainer == "gap 1/1")
    for _ in 0..<3 { stage.apply(.nextGap) }
    #expect(stage.metronome.state.trainer == "")
    stage.play(until: .zero + .milliseconds(22_100))
    let count = stage.beats.count
    stage.play(until: .zero + .seconds(60))
    #expect(stage.beats[count...].allSatisfy { !$0.isSilent })
  }

  @Test func tempoAndTapsKeepTheGaps() {
    var stage = Stage(Settings(Trainer(gap: Trainer.Gap(sounding: 2, silent: 2))))
    stage.start()
    stage.play(until: .zero + .milliseconds(5_100))
    stage.apply(.stepTempo(byMilliBPM: 7_000))
    stage.play(until: .zero + .milliseconds(9_333))
    for _ in 0..<4 {
      stage.apply(.tap)
      stage.play(until: stage.now + .milliseconds(480))
    }
    stage.play(until: .zero + .seconds(60))
    #expect(stage.beats.count > 110)
    #expect(stage.beats.allSatisfy { $0.isSilent == ($0.bar % 4 >= 2) })
  }

  @Test func droppedBeatsAreThoseOfTheSeed() {
    var stage = Stage(Settings(Trainer(drop: 20, seed: 1)))
    stage.apply(.toggleDrop)
    stage.start()
    stage.play(until: .zero + .seconds(20))
    #expect(stage.beats.filter(\.isSilent).map(\.index) == [15, 20, 21, 23, 25, 28])
    stage.apply(.toggleDrop)
    #expect(stage.metronome.state.trainer == "")
  }

  @Test func timerEndsThePlayback() {
    var stage = Stage(Settings(Trainer(timer: .seconds(10))))
    stage.apply(.toggleTimer)
    #expect(stage.metronome.state.trainer == "timer 10s")
    stage.start()
    // Ten seconds after the first beat there is another one, which must not be committed.
    stage.play(until: .zero + .milliseconds(9_999))
    #expect(stage.metronome.state.isPlaying)
    stage.play(until: .zero + .milliseconds(10_001))
    #expect(!stage.metronome.state.isPlaying)
    stage.apply(.toggleTimer)
    stage.start()
    stage.play(until: .zero + .seconds(60))
    #expect(stage.metronome.state.isPlaying)
  }

  @Test func timerDoesNotCutShortVeryFastBeats() {
    var settings = Settings(Trainer(timer: .seconds(10)))
    (settings.tempo, settings.signature) = (Tempo(bpm: 999)!, Signature(text: "4/16")!)
    var stage = Stage(settings)
    stage.apply(.toggleTimer)
    stage.start()
    stage.play(until: .zero + .seconds(11))
    // 666 beats in ten seconds, 15 ms apart; the one at 10 s is still committed before the stop.
    #expect(stage.beats.count == 666 && !stage.metronome.state.isPlaying)
  }

  @Test func timerEndsPlaybackThatTapsBegan() {
    var stage = Stage(Settings(Trainer(timer: .seconds(10))), rules: Rules(tapStarts: true))
    stage.apply(.toggleTimer)
    for tap in 1...4 {
      stage.apply(.tap)
      stage.play(until: .zero + .milliseconds(Int64(tap) * 500))
    }
    let first = stage.beats[0].instant
    stage.play(until: first + .milliseconds(9_999))
    #expect(stage.metronome.state.isPlaying)
    stage.play(until: first + .milliseconds(10_001))
    #expect(!stage.metronome.state.isPlaying)
  }

  @Test func newTimeOfTheConfigurationCountsFromTheStart() {
    let (old, longer, shorter) = (
      Trainer(timer: .seconds(10)), Trainer(timer: .seconds(15)), Trainer(timer: .seconds(8))
    )
    var stage = Stage(Settings(old))
    stage.apply(.toggleTimer)
    stage.start()
    stage.play(until: .zero + .seconds(9))
    stage.reload(trainer: longer, from: old)
    #expect(stage.metronome.state.trainer == "timer 15s")
    stage.play(until: .zero + .milliseconds(14_999))
    #expect(stage.metronome.state.isPlaying)
    stage.play(until: .zero + .milliseconds(15_001))
    #expect(!stage.metronome.state.isPlaying)
    stage.start()
    stage.play(until: .zero + .seconds(25))
    stage.reload(trainer: shorter, from: longer)
    stage.play(until: .zero + .seconds(25) + .milliseconds(1))
    #expect(!stage.metronome.state.isPlaying)
  }

  @Test func absentPartsAreRefused() {
    var metronome = Metronome()
    for (command, refusal) in [(Command.toggleRamp, CommandRefusal.noRamp), (.toggleTimer, .noTimer)] {
      let reply = metronome.apply(command, pressed: .zero, effective: .zero, now: .zero)
      #expect(reply == .refused(refusal))
    }
    #expect(metronome.state.trainer == "")
  }

  @Test func aTimerWithATimeCountsFromTheCommand() {
    var stage = Stage(Settings(Trainer()))
    stage.start()
    stage.play(until: .zero + .seconds(5))
    stage.apply(.setTimer(.seconds(10)))
    stage.play(until: .zero + .seconds(9))
    stage.apply(.setTimer(.seconds(20)))
    #expect(stage.metronome.state.trainer == "timer 20s")
    // On time: not earlier by the time for which outputs commit beats ahead.
    stage.play(until: .zero + .milliseconds(28_999))
    #expect(stage.metronome.state.isPlaying)
    stage.play(until: .zero + .seconds(29))
    #expect(!stage.metronome.state.isPlaying)
    stage.apply(.setTimer(nil))
    stage.start()
    stage.play(until: .zero + .seconds(60))
    #expect(stage.metronome.state.isPlaying && stage.metronome.state.trainer == "")
    stage.apply(.toggleTimer)
    #expect(stage.metronome.state.trainer == "timer 20s")
  }

  /// What is played while the timer is switched on: beats, a score, one that waits, a ramp.
  enum Music: CaseIterable { case beats, score, waitingScore, ramp }

  /// Playback ends as long after the command as the timer says. The beats until then are played. If a beat that comes right after it
  /// would be committed by then, playback ends before that.
  @Test(arguments: Music.allCases, [3_200, 5_111, 7_030]) func timerSwitchedOnWhilePlayingEndsOnTime(
    music: Music, press: Int64
  ) throws {
    var stage = Stage(Settings(Trainer()))
    switch music {
    case .beats: break
    case .score: stage.metronome.load(SetList(try Score(text: "{\n1 3/4 77\n2 133-140\n}")))
    case .waitingScore: stage.metronome.load(SetList(try Score(text: "1 120\npause wait\n1 120")))
    case .ramp: stage.apply(.setRamp(try TempoSteps(text: "60+5/1bar..120")))
    }
    stage.start()
    stage.play(until: .zero + .milliseconds(press))
    let other = stage
    for length in [1_000, 8_100, 8_310] as [Int64] {
      stage = other
      stage.apply(.setTimer(.milliseconds(length)))
      let end = Instant.zero + .milliseconds(press + length)
      var endless = other
      endless.play(until: end + .seconds(1))
      let next = endless.beats.first { $0.instant >= end }
      let stop = next.map { min(end, $0.instant - Stage.lead) } ?? end
      stage.play(until: stop - Nanoseconds(1))
      #expect(stage.metronome.state.isPlaying)
      stage.play(until: stop)
      #expect(!stage.metronome.state.isPlaying)
      #expect(stage.beats.map(\.instant) == endless.beats.map(\.instant).filter { $0 < end })
    }
  }

  /// Another card may need a longer or a shorter lead: that does not move the end.
  @Test func timerEndsOnTimeAfterAChangeOfTheLead() {
    for lead in [Nanoseconds.milliseconds(1), .milliseconds(200)] {
      var stage = Stage(Settings(Trainer()))
      stage.start()
      stage.play(until: .zero + .milliseconds(3_200))
      stage.apply(.setTimer(.seconds(10)))
      stage.play(until: .zero + .milliseconds(4_000))
      stage.metronome.catchUp(effective: stage.now + lead, now: stage.now)
      #expect(stage.metronome.deadline == .zero + .milliseconds(13_200))
    }
  }

  /// A press that comes after the end of the timer, but is read before it is noticed, starts again.
  @Test func playAfterAnUnnoticedEndOfTheTimerStarts() {
    var stage = Stage(Settings(Trainer(timer: .seconds(10))))
    stage.apply(.toggleTimer)
    stage.start()
    stage.play(until: .zero + .milliseconds(9_500))
    stage.play(until: .zero + .milliseconds(10_300), isStalled: true)
    stage.apply(.togglePlaying)
    #expect(stage.metronome.state.isPlaying)
    stage.play(until: .zero + .milliseconds(20_299))
    #expect(stage.metronome.state.isPlaying)
    stage.play(until: .zero + .milliseconds(20_300))
    #expect(!stage.metronome.state.isPlaying)
  }

  @Test func gapsAndDropsWithAValueBeginAtTheNextBarLine() {
    var stage = Stage(Settings(Trainer()))
    stage.start()
    stage.play(until: .zero + .milliseconds(4_600))
    stage.apply(.setGap(Trainer.Gap(sounding: 1, silent: 2)))
    stage.play(until: .zero + .milliseconds(18_100))
    #expect(stage.beats.allSatisfy { $0.isSilent == ($0.bar >= 3 && ($0.bar - 3) % 3 > 0) })
    stage.apply(.setGap(nil))
    stage.apply(.setDrop(100))
    #expect(stage.metronome.state.trainer == "drop 100 %")
    stage.play(until: .zero + .milliseconds(23_900))
    #expect(stage.beats.filter { $0.bar >= 10 }.count == 8)
    #expect(stage.beats.filter { $0.bar >= 10 }.allSatisfy { $0.isSilent })
    stage.apply(.setDrop(nil))
    #expect(stage.metronome.state.trainer == "")
    stage.apply(.toggleDrop)
    #expect(stage.metronome.state.trainer == "drop 100 %")
  }

  @Test func aReloadReplacesOnlyWhatItChanges() throws {
    let (old, first, second) = (
      Trainer(), try TempoSteps(text: "60+5/4bar..120"), try TempoSteps(text: "70+5/4bar..120")
    )
    var stage = Stage(Settings(old))
    stage.start()
    stage.apply(.setGap(Trainer.Gap(sounding: 2, silent: 1)))
    stage.apply(.setTimer(.seconds(10)))
    stage.apply(.setRamp(first))
    func reload(_ new: Trainer, from old: Trainer) {
      stage.metronome.reconfigure(
        rules: Rules(), limit: .none, trainer: (new, old), effective: stage.now + Stage.lead, now: stage.now)
    }
    let dropping = Trainer(drop: 50)
    reload(dropping, from: old)
    #expect(stage.metronome.state.trainer == "ramp 60+5/4bar..120, gap 2/1, timer 10s")
    // The ramp that plays goes on.
    let other = Trainer(drop: 50, ramp: second, timer: .seconds(7))
    reload(other, from: dropping)
    #expect(stage.metronome.state.trainer == "ramp 60+5/4bar..120, gap 2/1, timer 7s")
    reload(Trainer(drop: 50, ramp: second), from: other)
    #expect(stage.metronome.state.trainer == "ramp 60+5/4bar..120, gap 2/1")
    stage.play(until: .zero + .seconds(20))
    #expect(stage.metronome.state.isPlaying)
    stage.apply(.toggleRamp)
    stage.apply(.toggleRamp)
    #expect(stage.metronome.state.trainer == "ramp 70+5/4bar..120, gap 2/1")
  }

  @Test func undoingAPressReturnsTheValue() throws {
    var stage = Stage(Settings(Trainer(timer: .seconds(5))))
    let press = Press(.tap, at: stage.now, number: 1)
    stage.press(.setTimer(.seconds(9)), press)
    #expect(stage.metronome.settings.trainer.timer == .seconds(9))
    stage.metronome.undo(press, for: .tellTempo, effective: stage.now + Stage.lead, now: stage.now)
    #expect(stage.metronome.settings.trainer.timer == .seconds(5) && stage.metronome.state.trainer == "")
  }

  @Test func gapFromTheConfigurationSilencesAScore() throws {
    let trainer = Trainer(gap: Trainer.Gap(sounding: 1, silent: 1))
    var stage = Stage(Settings(trainer))
    stage.metronome.load(SetList(try Score(text: "8 120")))
    stage.start()
    stage.play(until: .zero + .milliseconds(8_500))
    #expect(stage.beats.allSatisfy { $0.isSilent == ($0.bar % 2 == 1) })
    stage.metronome.reconfigure(
      rules: Rules(), limit: .none, trainer: (Trainer(), trainer), effective: stage.now + Stage.lead, now: stage.now)
    let count = stage.beats.count
    stage.play(until: .zero + .seconds(60))
    #expect(stage.beats.count == 32 && stage.beats[count...].allSatisfy { !$0.isSilent })
  }

  @Test func aScoreIsSilencedWhereItHasNoGapOfItsOwn() throws {
    var stage = try Stage("4 120\n4 120 mute=1/1bar\n4 120")
    stage.start()
    stage.play(until: .zero + .milliseconds(1_000))
    stage.apply(.nextGap)
    stage.apply(.nextGap)
    stage.play(until: .zero + .seconds(30))
    let silent = Set(stage.beats.filter(\.isSilent).map(\.bar))
    #expect(silent == [2, 3, 5, 7, 10, 11])
  }
}
