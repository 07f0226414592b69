import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// The timing of clicks: they are sent early by the audio latency, and follow the monotonic clock even during a slew.
@Suite struct AudioTimingTests {
  private static let presses: Script = {
    var script = Script()
    script.press(.play, at: .milliseconds(200))
    script.press(.faster, at: .milliseconds(2_300))
    script.press(.numerator, at: .milliseconds(4_100))
    script.press(.play, at: .milliseconds(9_000))
    script.press(.play, at: .milliseconds(10_000))
    return script
  }()

  @Test(arguments: [1, 500, 7_300, 123_457, 500_000] as [Int64])
  func clicksAreSentEarlyByTheirLatency(microseconds: Int64) {
    let latency = Nanoseconds.microseconds(microseconds)
    let settings = Settings(Music(tempo: Tempo(milliBPM: 133_700)!))
    let late = Bench(
      settings, audio: true, script: AudioTimingTests.presses, latencies: OutputLatencies(audio: latency))
    let plain = Bench(
      settings, audio: true, script: AudioTimingTests.presses, lead: late.simulation.engine.lead.current)
    late.ended(after: .seconds(14))
    plain.ended(after: .seconds(14))
    #expect(late.lines(per: Nanoseconds(1), [.line]) == plain.lines(per: Nanoseconds(1), [.line]))
    #expect(late.lines(per: Nanoseconds(1), [.incident]) == [])
    // A click that is sent early may already be queued when a stop cancels its beat.
    let beats = plain.beats.map(\.time)
    let shifted = late.clicks.map { $0 + latency }
    #expect(
      beats.allSatisfy { beat in shifted.contains { abs(($0 - beat).count) <= 2 } || beat > .milliseconds(13_900) })
    #expect(shifted.count - beats.count <= 2)
  }

  @Test func mutedClicksDoNotStart() {
    let bench = Bench(audio: true, script: AudioTimingTests.presses)
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

  /// A clock slew does not move clicks. The slew lasts a hundred seconds, and begins and ends in the middle of a beat.
  @Test(arguments: [500_000, -500_000] as [Int64]) func clockSlewDoesNotMoveClicks(ratePPB: Int64) throws {
    var board = SimulatedBoard.Options()
    board.faults.drift(60_000, from: .zero)
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
    // For a second after each change of rate the clock bridge still uses the old rate. The error is 500 ppm of the 22 ms by
    // which a click is written ahead.
    #expect(distances.max()! <= 25_000)
    #expect(zip(beats, distances).filter { $0.0 > .seconds(32) && $0.0 < .seconds(130) }.map(\.1).max()! <= 100)
  }
}
