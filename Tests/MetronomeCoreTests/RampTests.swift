import Testing

@testable import MetronomeCore

@Suite struct RampTests {
  @Test func rampPlaysItsSteps() throws {
    let ramp = try TempoSteps(text: "60+5/4bar..120!stay")
    var stage = Stage(Settings(Trainer(ramp: ramp)))
    stage.apply(.toggleRamp)
    #expect(stage.metronome.state.trainer == "ramp 60+5/4bar..120")
    stage.start()
    stage.play(until: .zero + .seconds(200))
    let times = stage.times
    // The steps of facts: 65 BPM at 16 s, 70 at 30.769230769 s, and 120 at 137.167519912 s.
    #expect(times[16] == 16_000_000_000 && times[32] == 30_769_230_769 && times[192] == 137_167_519_912)
    #expect(times[193] - times[192] == 500_000_000)
  }

  /// A bar of 60 BPM lasts four seconds, so the first step follows after 16.
  @Test func theNextStepIsKnown() throws {
    var stage = Stage(Settings(Trainer(ramp: try TempoSteps(text: "60+5/4bar..70!stop"))))
    func next(_ milliseconds: Int64) -> String {
      let instant = Instant.zero + Stage.lead + .milliseconds(milliseconds)
      stage.play(until: instant)
      let step = stage.metronome.nextStep(at: instant)
      return step.map { "\($0.tempo.number) in \($0.beats)" } ?? "none"
    }
    stage.apply(.toggleRamp)
    #expect(stage.metronome.nextStep(at: .zero) == nil)
    stage.start()
    #expect(next(0) == "65 in 16")
    #expect(next(999) == "65 in 16")
    #expect(next(1_000) == "65 in 15")
    #expect(next(15_999) == "65 in 1")
    #expect(next(16_000) == "70 in 16")
    // At 70 BPM the ramp has no further step: it stops after four bars.
    #expect(next(31_000) == "none")
  }

  /// Up and down, at the speed that is practised.
  @Test func theNextStepAfterATurn() throws {
    var stage = try Stage("song \"A\" scale=50%\n* 60+60/1beat..120!reverse")
    stage.start()
    stage.play(until: .zero + .milliseconds(2_100))
    let down = stage.metronome.nextStep(at: .zero + .milliseconds(2_100))
    #expect(down?.tempo == Tempo(bpm: 30) && down?.beats == 1)
    stage.play(until: .zero + .milliseconds(3_100))
    let up = stage.metronome.nextStep(at: .zero + .milliseconds(3_100))
    #expect(up?.tempo == Tempo(bpm: 60) && up?.beats == 1)
  }

  @Test func turningTheRampOffGoesOnAtItsTempo() throws {
    var stage = Stage(Settings(Trainer(ramp: try TempoSteps(text: "60+5/4bar..120!stop"))))
    stage.start()
    stage.play(until: .zero + .seconds(3))
    stage.apply(.toggleRamp)
    stage.play(until: .zero + .seconds(24))
    stage.apply(.toggleRamp)
    #expect(stage.metronome.settings.tempo == Tempo(bpm: 65))
    #expect(stage.metronome.state.isPlaying)
    stage.play(until: .zero + .seconds(30))
    let last = stage.beats.suffix(2).map(\.instant)
    #expect((last[1] - last[0]).count / 1_000 == 923_076)
  }

  /// 600 halves per minute are 1,200 quarters per minute: more than a score or a source may have.
  @Test func aTempoAfterTheRampMayBeFasterThanThatOfAScore() throws {
    var settings = Settings(Trainer(ramp: try TempoSteps(text: "60+30/1bar..120")))
    settings.unit = try #require(BeatUnit(text: "1/2"))
    settings.tempo = Tempo(bpm: 60)!
    var stage = Stage(settings)
    stage.start()
    stage.play(until: .zero + .milliseconds(100))
    stage.apply(.toggleRamp)
    stage.apply(.toggleRamp)
    stage.apply(.setTempo(Tempo(bpm: 600)!))
    stage.play(until: .zero + .seconds(1))
    let last = stage.beats.suffix(5).map(\.instant)
    #expect(zip(last, last.dropFirst()).map { $1 - $0 } == Array(repeating: .milliseconds(50), count: 4))
  }

  @Test(arguments: [("6/8", "3/8", 1_000, 2_000), ("7/8", "1/8", 500, 3_500), ("4/4", "1/2", 500, 2_000)])
  func rampCountsTheBeatUnit(signature: String, unit: String, beat: Int64, bar: Int64) throws {
    var settings = Settings(Trainer(ramp: try TempoSteps(text: unit == "1/8" ? "120+30/1bar..300" : "60+30/1bar..120")))
    settings.signature = try #require(Signature(text: signature))
    settings.unit = try #require(BeatUnit(text: unit))
    settings.tempo = unit == "1/8" ? Tempo(bpm: 120)! : Tempo(bpm: 60)!
    var stage = Stage(settings)
    stage.start()
    stage.play(until: .zero + .milliseconds(100))
    let first = stage.metronome.state.tempo
    stage.apply(.toggleRamp)
    #expect(
      stage.metronome.state.tempo == first && stage.metronome.timeline.tempo(at: stage.now + .milliseconds(30)) == first
    )
    // The ramp begins with the second beat.
    stage.play(until: .zero + .milliseconds(beat + bar + 100))
    let starts = stage.beats.filter { $0.position == 0 }.map(\.instant)
    #expect(starts.map { ($0 - starts[0]) } == [.zero, .milliseconds(beat), .milliseconds(beat + bar)])
    let reached = stage.metronome.timeline.tempo(at: stage.now)
    stage.apply(.toggleRamp)
    #expect(stage.metronome.state.tempo == reached && reached != first)
  }

  @Test func turningTheRampOnAndOffKeepsThePulseAndTheTimer() throws {
    let trainer = Trainer(ramp: try TempoSteps(text: "120+30/1bar..600!stay"), timer: .seconds(10))
    var stage = Stage(Settings(trainer), rules: Rules(countIn: 1))
    stage.apply(.toggleTimer)
    stage.start()
    stage.play(until: .zero + .milliseconds(3_100))
    stage.apply(.toggleRamp)
    stage.play(until: .zero + .milliseconds(5_700))
    stage.apply(.toggleRamp)
    #expect(stage.metronome.settings.tempo == Tempo(bpm: 150))
    stage.play(until: .zero + .seconds(60))
    // Seven beats and a bar of the ramp at 120 BPM; from the second bar of the ramp on, 150 BPM.
    let expected: [Int64] = (0..<11).map { $0 * 500_000_000 } + (0..<12).map { 5_500_000_000 + $0 * 400_000_000 }
    #expect(stage.times == expected)
    #expect(stage.beats.filter { $0.bar < 0 }.count == 4)
    #expect(stage.beats.suffix(3).map(\.position) == [1, 2, 3])
    #expect(!stage.metronome.state.isPlaying)
  }

  @Test(arguments: ["100+10/1bar..120!stop", "100+10/1bar..120!stay"])
  func turningTheRampOffAfterItStoppedKeepsTheTempoThatWasReached(ramp: String) throws {
    var stage = Stage(Settings(Trainer(ramp: try TempoSteps(text: ramp))))
    stage.apply(.toggleRamp)
    stage.start()
    stage.play(until: .zero + .seconds(20))
    stage.apply(.stop)
    stage.apply(.setRamp(nil))
    #expect(stage.metronome.state.tempo == Tempo(bpm: 120) && stage.metronome.settings.tempo == Tempo(bpm: 120))
    #expect(!stage.metronome.state.isPlaying && stage.metronome.state.trainer == "")
  }

  @Test func undoingTheStartOfARampKeepsTheTempo() throws {
    var stage = Stage(Settings(Trainer(ramp: try TempoSteps(text: "60+5/4bar..120"))))
    stage.apply(.toggleRamp)
    let press = Press(.play, at: stage.now, number: 1)
    stage.press(.togglePlaying, press)
    stage.play(until: .zero + .milliseconds(500))
    stage.undo(press, for: .pair)
    #expect(!stage.metronome.state.isPlaying && stage.metronome.settings.tempo == .initial)
  }

  @Test func sectionsAndSongsAreRefusedInARamp() throws {
    var stage = Stage(Settings(Trainer(ramp: try TempoSteps(text: "60+5/4bar..120"))))
    stage.apply(.toggleRamp)
    stage.start()
    for command in [Command.nextSection, .nextNumerator, .previousSong, .nextAccents] {
      let reply = stage.metronome.apply(
        command, pressed: stage.now, effective: stage.now + Stage.lead, now: stage.now)
      #expect(reply == .refused(.inRamp))
    }
    stage.play(until: .zero + .seconds(10))
    #expect(stage.beats.count == 10)
  }

  @Test func rampThatStopsEndsThePlayback() throws {
    var stage = Stage(Settings(Trainer(ramp: try TempoSteps(text: "100+10/1bar..120!stop"))))
    stage.apply(.toggleRamp)
    stage.start()
    stage.play(until: .zero + .seconds(20))
    #expect(!stage.metronome.state.isPlaying)
    #expect(stage.beats.count == 12)
  }

  private func steps(_ text: String) throws -> TempoSteps { try TempoSteps(text: text) }

  @Test func aRampWithStepsTakesThePlaceOfTheOneThatPlays() throws {
    let (first, second) = (try steps("60+5/4bar..120!stop"), try steps("200-10/1bar..100"))
    var stage = Stage(Settings(Trainer(ramp: first)))
    stage.start()
    stage.play(until: .zero + .seconds(3))
    stage.apply(.setRamp(second))
    #expect(stage.metronome.state.trainer == "ramp 200-10/1bar..100")
    stage.play(until: .zero + .milliseconds(4_100))
    #expect(stage.metronome.timeline.tempo(at: stage.now) == Tempo(bpm: 200))
    stage.play(until: .zero + .milliseconds(4_300))
    #expect(stage.metronome.timeline.tempo(at: stage.now) == Tempo(bpm: 190))
    stage.apply(.setRamp(first))
    #expect(stage.metronome.timeline.tempo(at: stage.now + Stage.lead) == Tempo(bpm: 60))
    stage.play(until: stage.now + .seconds(20))
    stage.apply(.setRamp(nil))
    #expect(stage.metronome.state.isPlaying && stage.metronome.settings.tempo == Tempo(bpm: 65))
    #expect(stage.metronome.state.trainer == "")
    // The command without a value plays the last steps.
    stage.apply(.toggleRamp)
    #expect(stage.metronome.state.trainer == "ramp 60+5/4bar..120!stop")
  }

  @Test func whatCannotBePlayedAsARampIsRefusedAndForgotten() throws {
    var scored = try Stage("4 120")
    let ramp = try steps("80+5/4bar..120")
    let reply = scored.metronome.apply(.setRamp(ramp), pressed: .zero, effective: .zero, now: .zero)
    #expect(reply == .refused(.rampInScore) && scored.metronome.settings.trainer.ramp == nil)
    let nothing = scored.metronome.apply(.setRamp(nil), pressed: .zero, effective: .zero, now: .zero)
    #expect(nothing == nil && scored.metronome.state.score != nil)
    // In eighths, 1 BPM is half a BPM of quarters, which is too slow for a score.
    var stage = Stage(Settings(Trainer()))
    stage.apply(.setUnit(try #require(BeatUnit(text: "1/8"))))
    let slow = try steps("1+5/4bar..120")
    let tooSlow = stage.metronome.apply(.setRamp(slow), pressed: .zero, effective: .zero, now: .zero)
    let unit = stage.metronome.settings.unit
    // Half a millionth of a BPM is no tempo of a score.
    let fine = try steps("80.000001+5/4bar..120")
    let tooFine = stage.metronome.apply(.setRamp(fine), pressed: .zero, effective: .zero, now: .zero)
    #expect(tooFine == .refused(.rampOutsideRange(unit)))
    #expect(tooSlow == .refused(.rampOutsideRange(unit)) && stage.metronome.settings.trainer.ramp == nil)
  }

  @Test func aScoreThatWaitsForTheStopOutlastsARamp() throws {
    var stage = Stage(Settings(Trainer()))
    stage.start()
    stage.play(until: .zero + .seconds(1))
    stage.metronome.load(SetList(try Score(text: "8 97")))
    stage.apply(.setRamp(try steps("80+5/4bar..120")))
    stage.play(until: .zero + .seconds(2))
    #expect(stage.metronome.state.trainer == "ramp 80+5/4bar..120")
    stage.apply(.setRamp(nil))
    #expect(stage.metronome.state.score == nil && stage.metronome.state.isPlaying)
    stage.apply(.stop)
    #expect(stage.metronome.state.score?.tempo == Tempo(bpm: 97))
  }

  @Test(arguments: ["60+5/4bar..120", "120-2.5/30s..60!reverse", "100.25+0.5/3beat..110!again"])
  func stepsRoundTrip(text: String) throws {
    let steps = try TempoSteps(text: text)
    #expect(steps.text == text)
  }
}
