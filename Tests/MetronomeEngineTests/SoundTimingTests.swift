import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// When clicks sound: as early as they are known to be late, and by the clock that the beats are timed by, whatever is done
/// to it.
@Suite struct SoundTimingTests {
  private static let hand: Script = {
    var script = Script()
    script.press(.play, at: .milliseconds(200))
    script.press(.faster, at: .milliseconds(2_300))
    script.press(.numerator, at: .milliseconds(4_100))
    script.press(.play, at: .milliseconds(9_000))
    script.press(.play, at: .milliseconds(10_000))
    return script
  }()

  @Test(arguments: [1, 500, 7_300, 123_457, 500_000] as [Int64])
  func clicksAreSentAsEarlyAsTheyAreLate(microseconds: Int64) {
    let latency = Nanoseconds.microseconds(microseconds)
    let settings = Settings(tempo: Tempo(milliBPM: 133_700)!)
    let late = Bench(
      settings, sound: true, script: SoundTimingTests.hand, latencies: OutputLatencies(audio: latency))
    let plain = Bench(
      settings, sound: true, script: SoundTimingTests.hand, lead: late.simulation.engine.lead.current)
    late.ended(after: .seconds(14))
    plain.ended(after: .seconds(14))
    #expect(late.lines(per: Nanoseconds(1), [.line]) == plain.lines(per: Nanoseconds(1), [.line]))
    #expect(late.lines(per: Nanoseconds(1), [.incident]) == [])
    // A click that is sent early may be on its way when a stop comes that forestalls its beat.
    let beats = plain.beats.map(\.time)
    let shifted = late.clicks.map { $0 + latency }
    #expect(
      beats.allSatisfy { beat in shifted.contains { abs(($0 - beat).count) <= 2 } || beat > .milliseconds(13_900) })
    #expect(shifted.count - beats.count <= 2)
  }

  @Test func mutedClicksAreNotBegun() {
    let bench = Bench(sound: true, script: SoundTimingTests.hand)
    bench.simulation.run(until: .zero + .seconds(3))
    let before = bench.clicks.count
    bench.simulation.engine.plan.mute([.audio])
    bench.simulation.run(until: .zero + .seconds(6))
    bench.simulation.engine.plan.mute([])
    bench.ended(after: .seconds(8))
    let silent = bench.clicks.filter { $0 > .milliseconds(3_050) && $0 < .seconds(6) }
    #expect(before >= 5 && silent == [])
    #expect(bench.clicks.contains { $0 > .seconds(6) })
    #expect(bench.lines(per: .seconds(1), [.incident]) == [])
  }

  /// A hundred seconds of it, begun and ended in mid-beat.
  @Test(arguments: [500_000, -500_000] as [Int64]) func aSlewOfTheClockIsNotHeard(ratePPB: Int64) throws {
    var board = SimulatedBoard.Options()
    board.audioDriftPPB = 60_000
    board.slews = [
      VirtualClock.Slew(Instant.zero + .milliseconds(30_130)..<(.zero + .milliseconds(130_130)), ratePPB: ratePPB)
    ]
    let trace = RecordedTrace()
    let simulation = try Simulation(board: board, sinks: [trace])
    simulation.perform(.start)
    simulation.run(until: .zero + .seconds(160))
    simulation.finish()
    let beats = trace.events.compactMap { event in
      if case .beat = event.what { event.time } else { nil }
    }
    let clicks = trace.events.compactMap { event in
      if case .click = event.what { event.time } else { nil }
    }
    let distances = zip(beats, clicks).map { abs(($0 - $1).count) }
    #expect(beats.count == clicks.count && beats.count > 300)
    // For a second after each turn the bridge between the clocks still knows the pace before it: 500 ppm of the 22 ms
    // that a click is written ahead.
    #expect(distances.max()! <= 25_000)
    #expect(zip(beats, distances).filter { $0.0 > .seconds(32) && $0.0 < .seconds(130) }.map(\.1).max()! <= 100)
  }
}
