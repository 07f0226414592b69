import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import Testing

@testable import MetronomeEngine

@Suite struct ControlLoopTests {
  private func states(_ script: Script, settings: Settings = Settings(), faults: FaultPlan = FaultPlan()) -> [String] {
    Bench(settings, script: script, faults: faults).ended(after: .seconds(20)).lines(per: .milliseconds(1))
  }

  private func presses(_ presses: [(Button, Int64)]) -> Script {
    var script = Script()
    for (button, millisecond) in presses { script.press(button, at: .milliseconds(millisecond)) }
    return script
  }

  @Test func everyButtonGivesItsCommand() {
    expect(
      states(
        presses([
          (.faster, 1_000), (.slower, 2_000), (.slower, 3_000), (.numerator, 4_000), (.denominator, 5_000),
          (.numerator, 6_000), (.tap, 7_000), (.play, 8_000), (.play, 9_000),
        ])),
      """
      0 stopped 120 BPM 4/4
      1000 stopped 121 BPM 4/4
      2000 stopped 120 BPM 4/4
      3000 stopped 119 BPM 4/4
      4080 stopped 119 BPM 5/4
      5080 stopped 119 BPM 5/8
      6080 stopped 119 BPM 6/8
      8000 playing 119 BPM 6/8
      9000 stopped 119 BPM 6/8
      """)
  }

  @Test(arguments: [false, true]) func rehearsalChangesNothing(audio: Bool) {
    let script = presses([
      (.faster, 1_000), (.play, 2_000), (.numerator, 3_000), (.tap, 4_000), (.tap, 4_400), (.play, 5_000),
    ])
    let bench = Bench(audio: audio, script: script)
    let rehearsed = Bench(audio: audio, script: script)
    rehearsed.simulation.engine.rehearse()
    #expect(rehearsed.simulation.engine.control.timeline == .stopped)
    #expect(rehearsed.ended(after: .seconds(8)).trace.events == bench.ended(after: .seconds(8)).trace.events)
  }

  /// If a card is opened while the timer runs, the lead becomes longer. The timer must then stop the beat earlier, even if no button
  /// is pressed.
  @Test func endOfTheTimerFollowsTheLead() throws {
    var settings = Settings()
    settings.trainer = Trainer(timer: .seconds(10))
    let control = Bench(settings).simulation.engine.control
    control.perform(.toggleTimer, at: .zero)
    control.perform(.start, at: .zero)
    let end = try #require(control.step(at: .zero))
    let lead = control.outlets.lead.current.duration
    #expect(control.step(at: .zero + .seconds(1)) == end)
    control.outlets.lead.hold(Lead(duration: lead + .milliseconds(23)))
    #expect(control.step(at: .zero + .seconds(2)) == end - .milliseconds(23))
  }

  @Test func tempoStaysInItsRange() {
    let settings = Settings(Music(tempo: Tempo(milliBPM: 998_500)!))
    expect(
      states(presses([(.faster, 1_000), (.faster, 2_000), (.slower, 3_000)]), settings: settings),
      """
      0 stopped 998.5 BPM 4/4
      1000 stopped 999 BPM 4/4
      3000 stopped 998 BPM 4/4
      """)
  }

  @Test(arguments: [false, true]) func firstBeatIsOneLeadAfterThePress(audio: Bool) {
    for millisecond in stride(from: Int64(1), to: 60, by: 1) {
      let bench = Bench(audio: audio, script: presses([(.play, millisecond)])).ended(after: .milliseconds(400))
      let lead: Nanoseconds = audio ? .milliseconds(24) : .milliseconds(1)
      #expect(bench.beats.first?.time == .milliseconds(millisecond) + lead)
      #expect(bench.rises(of: .light).first == bench.beats.first?.time)
    }
  }

  @Test(arguments: [(256, 4, 48_000, 24), (1_024, 8, 48_000, 174), (256, 4, 44_100, 26), (480, 2, 96_000, 13)])
  func leadFollowsTheBufferSize(period: Int, periods: Int, rate: Int, milliseconds: Int64) {
    let format = AudioFormat(
      rate: rate, channels: 2, sampleFormat: .s16, periodFrames: period, bufferFrames: period * periods)
    #expect(Lead(format).duration == .milliseconds(milliseconds))
  }

  @Test func latePressTakesEffectLater() {
    let lead = Lead(nil)
    let press = Instant.zero + .seconds(1)
    #expect(lead.effect(ofPress: press, now: press) == press + .milliseconds(1))
    #expect(lead.effect(ofPress: press, now: press + .microseconds(500)) == press + .milliseconds(1))
    #expect(lead.effect(ofPress: press, now: press + .milliseconds(3)) == press + .microseconds(3_500))
  }

  @Test func unreadableButtonsDoNotStopTheBeat() {
    var faults = FaultPlan()
    faults.fail(.readEdges, .other, errno: 5, on: .during(.zero + .seconds(2)..<(.zero + .seconds(3))))
    let bench = Bench(script: presses([(.play, 1_000), (.faster, 2_500)]), faults: faults).ended(after: .seconds(6))
    #expect(bench.beats.count == 11)
    #expect(bench.lines(per: .milliseconds(1), [.incident]) == ["2500 readEdges failed"])
    #expect(bench.lines(per: .milliseconds(1)).last == "3500 playing 121 BPM 4/4")
  }

  @Test func changesFasterThanTheCommitsAreMerged() {
    // Quick presses with beats between them make more changes than a timeline holds.
    var script = presses([(.play, 0)])
    for index in 0..<60 {
      let button = [Button.faster, .numerator, .denominator][index % 3]
      script.press(button, at: .milliseconds(500 + Int64(index) * 9), for: .milliseconds(4))
    }
    let settings = Settings(
      Music(tempo: Tempo(bpm: 990)!, signature: Signature(8, over: 32, limit: .none)!), limit: .none)
    let slow = AudioFormat(
      rate: 48_000, channels: 1, sampleFormat: .s16, periodFrames: 2_048, bufferFrames: 8_192)
    let bench = Bench(settings, audio: true, script: script, format: slow).ended(after: .seconds(4))
    let indexes = bench.beats.map(\.beat.index)
    #expect(indexes == Array(0..<Int64(indexes.count)))
    let state = bench.simulation.engine.control.state
    let exact = 240_000_000_000_000 / (Int64(state.tempo.milliBPM) * Int64(state.signature.denominator))
    let last = bench.beats.suffix(2).map(\.time)
    #expect([exact, exact + 1].contains((last[1] - last[0]).count))
    #expect(bench.lines(per: Nanoseconds(1), [.incident]) == [])
  }
}
