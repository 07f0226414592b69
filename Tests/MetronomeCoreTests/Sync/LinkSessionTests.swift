import Testing

@testable import MetronomeCore

/// A metronome in a session with one peer, which reports four times a second.
private struct Session {
  var stage: Stage
  /// The session passes this quarter at `changedAt`, and counts on at `bpm`.
  private var quarter: Int64 = 0
  private var changedAt = Instant.zero
  private var bpm: Int64
  var transport: Bool?

  init(bpm: Int64, _ settings: Settings = Settings(), rules: Rules = Rules()) {
    (self.bpm, stage) = (bpm, Stage(settings, rules: rules))
    report()
  }

  private var observation: BeatObservation {
    BeatObservation(
      epoch: 1, quarter: quarter, instant: changedAt, period: 60_000_000_000_000_000 / bpm, isPlaying: true)
  }

  mutating func report() {
    stage.metronome.followLink(
      observation, peers: 1, transport: transport.map { SharedTransport(isPlaying: $0) },
      effective: stage.now + Stage.lead, now: stage.now)
  }

  mutating func play(for time: Nanoseconds) {
    let end = stage.now + time
    while stage.now < end {
      stage.play(until: min(end, stage.now + .milliseconds(250)))
      report()
    }
  }

  /// The peer changes the tempo.
  mutating func change(bpm new: Int64) {
    (quarter, changedAt, bpm) = (observation.quarter(at: stage.now), stage.now, new)
    report()
  }

  mutating func apply(_ command: Command) -> Reply? {
    stage.metronome.apply(command, pressed: stage.now, effective: stage.now + Stage.lead, now: stage.now)
  }

  /// Whether the last beats are those of the session, with its bar lines.
  var isInStep: Bool {
    stage.beats.suffix(4).allSatisfy { beat in
      let quarter = observation.quarter(at: beat.instant + Nanoseconds(500))
      return quarter % 1_000_000 < 10 && Int(quarter / 1_000_000 % 4) == beat.position
    }
  }
}

/// What a musician does at the box while it is in an Ableton Link session.
@Suite struct LinkSessionTests {
  private let slow = Preset(
    PresetName("slow")!, Music(tempo: Tempo(bpm: 30)!, signature: .initial, unit: BeatUnit(text: "1/8")!))

  private func settings(_ trainer: Trainer) -> Settings {
    var settings = Settings()
    settings.trainer = trainer
    return settings
  }

  /// The third tap starts the beat in the bars of the session, not in those of the taps, and asks for their tempo.
  @Test func tapsStartInTheSession() {
    var session = Session(bpm: 120, rules: Rules(tapStarts: true))
    session.play(for: .milliseconds(700))
    for _ in 0..<3 {
      _ = session.apply(.tap)
      session.play(for: .milliseconds(400))
    }
    #expect(session.stage.metronome.state.isPlaying && session.stage.metronome.wishes == 1)
    session.change(bpm: 150)
    session.play(for: .seconds(20))
    #expect(session.isInStep && session.stage.beats.count > 40)
  }

  @Test func startOfTheSessionDuringAScoreIsNotCarriedOutLater() throws {
    var session = Session(bpm: 100)
    session.stage.metronome.load(SetList(try Score(text: "4 120")))
    session.transport = false
    session.play(for: .seconds(1))
    session.transport = true
    session.play(for: .seconds(1))
    session.stage.metronome.load(nil)
    session.play(for: .seconds(2))
    #expect(!session.stage.metronome.state.isPlaying)
    // The next start is carried out.
    session.transport = false
    session.play(for: .seconds(1))
    session.transport = true
    session.play(for: .seconds(1))
    #expect(session.stage.metronome.state.isPlaying)
  }

  @Test func timerEndsPlaybackThatTheSessionBegan() {
    var session = Session(bpm: 100, settings(Trainer(timer: .seconds(10))))
    session.stage.apply(.toggleTimer)
    session.transport = true
    session.play(for: .milliseconds(500))
    let first = session.stage.metronome.timeline.knownBeat(0).instant
    session.play(for: .milliseconds(9_500))
    #expect(session.stage.metronome.state.isPlaying)
    session.play(for: .seconds(5))
    #expect(!session.stage.metronome.state.isPlaying)
    #expect(session.stage.beats.allSatisfy { $0.instant <= first + .seconds(10) } && session.stage.beats.count > 15)
  }

  @Test(arguments: [157, 61, 100]) func aPressThatBecomesAChordLeavesTheBoxInTheSession(bpm: Int64) {
    var session = Session(bpm: 100)
    session.stage.start()
    session.play(for: .seconds(5))
    let press = Press(.play, at: session.stage.now, number: 1)
    session.stage.press(.togglePlaying, press)
    session.play(for: .milliseconds(400))
    session.change(bpm: bpm)
    session.play(for: .milliseconds(1_300))
    #expect(!session.stage.metronome.state.isPlaying)
    session.stage.undo(press, for: .pair)
    #expect(session.stage.metronome.state.isPlaying)
    session.play(for: .seconds(8))
    #expect(session.stage.metronome.state.tempo == Tempo(bpm: Int(bpm)))
    #expect(session.isInStep)
  }

  /// An undone press replays the start after it, when the session has another tempo.
  @Test func anUndonePressLeavesTheBeginningOfTheTimer() {
    var session = Session(bpm: 100, settings(Trainer(timer: .seconds(10))))
    session.stage.apply(.toggleTimer)
    let press = Press(.play, at: session.stage.now, number: 1)
    session.stage.press(.nextNumerator, press)
    session.stage.start()
    let first = session.stage.metronome.timeline.knownBeat(0).instant
    session.play(for: .milliseconds(400))
    session.change(bpm: 157)
    session.play(for: .milliseconds(300))
    session.stage.undo(press, for: .pair)
    guard case .firstBeat(first)? = session.stage.metronome.timedFrom else {
      Issue.record("the timer counts from another instant: \(String(describing: session.stage.metronome.timedFrom))")
      return
    }
  }

  @Test func presetBelowTheRangeOfASessionIsRefused() throws {
    var session = Session(bpm: 100)
    _ = try session.stage.metronome.presets.save(slow)
    session.stage.start()
    session.play(for: .seconds(2))
    let state = session.stage.metronome.state
    #expect(session.apply(.recallPreset(1)) == .refused(.presetOutsideSession))
    #expect(session.apply(.nextPreset) == .refused(.presetOutsideSession))
    #expect(session.stage.metronome.state == state && session.stage.metronome.recalled == nil)
    #expect(session.stage.metronome.tempoWish == nil)
  }

  @Test func presetThatDiffersOnlyInItsBeatUnitAsksTheSessionForItsTempo() throws {
    var session = Session(bpm: 100)
    let eighths = Preset(
      try #require(PresetName("eighths")),
      Music(tempo: try #require(Tempo(bpm: 100)), signature: .initial, unit: try #require(BeatUnit(text: "1/8"))))
    _ = try session.stage.metronome.presets.save(eighths)
    session.play(for: .seconds(3))
    #expect(session.stage.metronome.state.tempo == Tempo(bpm: 100))
    #expect(session.apply(.recallPreset(1)) == nil)
    #expect(session.stage.metronome.tempoWish?.milliQuarters == 50_000)
    session.change(bpm: 50)
    session.play(for: .seconds(3))
    #expect(session.stage.metronome.tempoWish == nil)
    #expect(session.stage.metronome.state.tempo == Tempo(bpm: 100))
  }

  @Test func aNewSignatureBeginsWithTheNextBeat() throws {
    var session = Session(bpm: 240)
    session.stage.start()
    session.play(for: .milliseconds(2_010))
    let count = session.stage.beats.count
    let new = try #require(Signature(text: "3/4"))
    #expect(session.apply(.setSignature(new)) == nil)
    // Four beats a second, and no report before the next beat.
    session.stage.play(until: session.stage.now + .milliseconds(255))
    #expect(session.stage.beats.count == count + 1)
    #expect(session.stage.metronome.timeline.bar(ofBeat: session.stage.beats[count].index)?.metre.beatsInBar == 3)
  }

  @Test(arguments: [10, 40, 70, 160, 230]) func aGapBeginsAtTheNextBarLineAlsoOfFastBeats(later: Int64) throws {
    var session = Session(bpm: 900)
    session.stage.start()
    session.play(for: .seconds(2) + .milliseconds(later))
    #expect(session.apply(.setGap(Trainer.Gap(sounding: 1, silent: 1))) == nil)
    let next = session.stage.metronome.timeline.knownBeat(
      session.stage.metronome.timeline.nextBeat(atOrAfter: session.stage.now + Stage.lead))
    session.play(for: .seconds(2))
    let first = next.position == 0 ? next.bar : next.bar + 1
    #expect(session.stage.beats.allSatisfy { $0.isSilent == ($0.bar >= first && ($0.bar - first) % 2 == 1) })
    #expect(session.isInStep)
  }

  @Test func aStepIsRefusedIfTheBeatUnitCannotShowTheTempoOfTheSession() throws {
    var session = Session(bpm: 400)
    session.play(for: .seconds(3))
    let new = try #require(BeatUnit(text: "1/16"))
    #expect(session.apply(.setUnit(new)) == nil)
    session.play(for: .seconds(3))
    #expect(session.apply(.stepTempo(byMilliBPM: -1_000)) == .refused(.sessionOutside(new)))
    #expect(session.stage.metronome.tempoWish == nil)
    #expect(session.apply(.setUnit(.quarter)) == nil)
    session.play(for: .seconds(3))
    #expect(session.apply(.stepTempo(byMilliBPM: -1_000)) == nil)
    #expect(session.stage.metronome.tempoWish?.milliQuarters == 399_000)
  }

  @Test func wishesOfALaterSessionHaveNewNumbers() {
    var session = Session(bpm: 100)
    session.play(for: .seconds(3))
    _ = session.apply(.setTempo(Tempo(bpm: 130)!))
    let first = session.stage.metronome.tempoWish?.number
    session.stage.metronome.leaveLink(now: session.stage.now)
    session.play(for: .seconds(3))
    _ = session.apply(.setTempo(Tempo(bpm: 140)!))
    #expect(first == 1 && session.stage.metronome.tempoWish?.number == 2)
  }

  @Test func aNewBeatUnitLeavesTheTempoOfTheSession() throws {
    var session = Session(bpm: 100)
    session.play(for: .seconds(3))
    let new = try #require(BeatUnit(text: "1/8"))
    #expect(session.apply(.setUnit(new)) == nil)
    #expect(session.stage.metronome.tempoWish == nil)
    session.play(for: .seconds(3))
    #expect(session.stage.metronome.state.tempo == Tempo(bpm: 200))
  }
}
