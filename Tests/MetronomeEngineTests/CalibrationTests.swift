import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

@Suite struct CalibrationTests {
  private func calibration(
    _ latencies: OutputLatencies = .none, outputs: OutputSet = [.light, .pendulum, .buzzer, .audio]
  ) throws -> Calibration {
    try #require(Calibration(latencies, outputs: outputs))
  }

  private func after(_ commands: Calibration.Command..., of calibration: Calibration) -> Calibration {
    var calibration = calibration
    for command in commands { calibration.apply(command) }
    return calibration
  }

  @Test func combinationsOfOutputsCycle() throws {
    var calibration = try calibration()
    var played: [String] = []
    for _ in 0..<8 {
      played.append(calibration.combination.map { BoxNames.standard[$0] }.joined(separator: "+"))
      #expect(calibration.muted == OutputSet.all.subtracting(OutputSet(calibration.combination)))
      #expect(calibration.muted.contains(.pendulum))
      calibration.apply(.nextCombination)
    }
    #expect(
      played == [
        "light+buzzer+audio", "light+buzzer", "light+audio", "buzzer+audio", "light", "buzzer", "audio",
        "light+buzzer+audio",
      ])
  }

  @Test func onlyPresentOutputsArePlayedAndShifted() throws {
    var calibration = try calibration(outputs: [.light, .pendulum, .audio])
    #expect(calibration.parts == [.light, .audio])
    var played: [[Output]] = []
    for _ in 0..<4 {
      played.append(calibration.combination)
      calibration.apply(.nextCombination)
    }
    #expect(played == [[.light, .audio], [.light], [.audio], [.light, .audio]])
    calibration.apply(.nextPart)
    #expect(calibration.shiftedPart == .audio)
    calibration.apply(.nextPart)
    #expect(calibration.shiftedPart == .light)
  }

  @Test func calibrationNeedsTwoOutputsToCompare() {
    #expect(Calibration(.none, outputs: [.light, .pendulum]) == nil)
    #expect(Calibration(.none, outputs: [.pendulum, .audio]) == nil)
    #expect(Calibration(.none, outputs: [.audio]) == nil)
    #expect(Calibration(.none, outputs: [.light, .buzzer]) != nil)
  }

  @Test func smallestLatencyBecomesZero() throws {
    let start = try calibration()
    #expect(start.result == .none)
    let early = after(.nextPart, .earlier, .earlier, .nextStep, .earlier, of: start)
    #expect(early.shift(of: .buzzer) == .microseconds(2_100))
    #expect(early.result == OutputLatencies(buzzer: .microseconds(2_100)))
    // Shifting one output later sends the others earlier.
    let late = after(.later, .later, of: start)
    #expect(late.shift(of: .light) == .milliseconds(-2))
    // The second card is not calibrated, and stays where it was beside the first one.
    var expected = OutputLatencies(buzzer: .milliseconds(2), audio: .milliseconds(2))
    expected.secondAudio = .milliseconds(2)
    #expect(late.result == expected)
  }

  @Test func shiftsAddToConfiguredLatencies() throws {
    let configured = OutputLatencies(
      light: .milliseconds(5), pendulum: .milliseconds(4), buzzer: .milliseconds(9), audio: .milliseconds(30))
    let start = try calibration(configured)
    #expect(
      start.result
        == OutputLatencies(light: .milliseconds(1), buzzer: .milliseconds(5), audio: .milliseconds(26)))
    let shifted = after(.earlier, .earlier, .nextPart, .nextPart, .later, of: start)
    // The pendulum is shifted together with the light.
    #expect(
      shifted.result
        == OutputLatencies(light: .milliseconds(1), buzzer: .milliseconds(3), audio: .milliseconds(23)))
  }

  @Test func absentOutputsAreIgnored() throws {
    let configured = OutputLatencies(light: .milliseconds(5), buzzer: .milliseconds(2), audio: .milliseconds(7))
    let result = try calibration(configured, outputs: [.light, .audio]).result
    #expect(result.light == .zero)
    #expect(result.audio == .milliseconds(2))
  }

  @Test func shiftsStayWithinTheConfigurableRange() throws {
    let widest = OutputLatencies(audio: OutputLatencies.longest)
    let start = try calibration(widest)
    #expect(after(.later, of: start).result == widest)
    #expect(after(.nextPart, .nextPart, .earlier, of: start).result == widest)
    var far = try calibration()
    for _ in 0..<1_000 { far.apply(.earlier) }
    #expect(far.result.light == .milliseconds(250))
    for _ in 0..<1_000 { far.apply(.later) }
    #expect(far.result.audio == .milliseconds(250))
  }

  @Test func finishEndsTheCalibrationAndFullCyclesChangeNothing() throws {
    let start = try calibration()
    #expect(!start.isOver)
    #expect(after(.finish, of: start).isOver)
    #expect(after(.nextStep, .nextStep, of: start) == start)
    #expect(after(.nextPart, .nextPart, .nextPart, of: start) == start)
    #expect(after(.earlier, .later, of: start) == start)
  }

  /// A press shifts an output by exactly its step. The presses are random and between the beats; on every beat each unmuted
  /// output switches on exactly at its shifted time.
  @Test(arguments: [UInt64](0..<8)) func pressShiftsAnOutputByExactlyItsStep(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let lead = Lead(nil, latencies: .most)
    let bench = Bench(
      Settings(Music(tempo: Tempo(bpm: 60)!, signature: Signature(1, over: 4, limit: .denominator)!)), lead: lead)
    let simulation = bench.simulation
    let calibrator = simulation.calibrate(
      try calibration(OutputLatencies(buzzer: .milliseconds(7)), outputs: .standard))
    let unshifted = simulation.engine.plan.newest.latencies
    var shiftedBeats = 0
    for beat in 0..<60 {
      let instant = Instant.zero + lead.duration + .seconds(Int64(beat))
      simulation.run(until: instant + .milliseconds(150))
      let plan = simulation.engine.plan.newest
      for output in [Output.light, .buzzer] {
        let expected = (instant - plan.latencies[output]) - Instant.zero
        let rises = bench.rises(of: OutputLine(output)).filter { $0 > (instant - .milliseconds(800)) - Instant.zero }
        #expect(rises == (plan[output].isMuted ? [] : [expected]), "\(output), beat \(beat)")
        let shift = calibrator.calibration.shift(of: output)
        #expect(plan.latencies[output] == unshifted[output] + shift)
        if shift != .zero { shiftedBeats += 1 }
      }
      #expect(bench.rises(of: .pendulum) == [])
      let button = [Button.slower, .faster, .numerator, .denominator, .play].randomElement(using: &random)!
      var script = Script()
      script.press(button, at: lead.duration + .milliseconds(Int64(beat) * 1_000 + 160), for: .milliseconds(60))
      simulation.board.buttons.schedule(script.edges(from: .zero))
    }
    #expect(shiftedBeats > 20)
    #expect(bench.lines(per: Nanoseconds(1), [.incident]) == [])
    #expect(bench.beats.map(\.beat.index) == Array(0..<60))
  }

  @Test func commandsWithoutButtonsShiftOutputsToo() throws {
    let lead = Lead(nil, latencies: .most)
    let bench = Bench(Settings(Music(tempo: Tempo(bpm: 60)!)), lead: lead)
    let calibrator = bench.simulation.calibrate(try calibration(outputs: .standard))
    bench.simulation.run(until: .zero + .seconds(1))
    for _ in 0..<3 { calibrator.perform(.earlier) }
    bench.ended(after: .seconds(2))
    let light = bench.rises(of: .light)
    let buzzer = bench.rises(of: .buzzer)
    #expect(buzzer[1] - light[1] == .milliseconds(3))
    #expect(buzzer[0] == light[0])
  }
}
