import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import TestSupport
import Testing

/// The engine with random tempi, signatures and presses. The results are compared with a model that adds up beats in plain
/// fractions, without a timeline.
@Suite struct EnginePropertyTests {
  /// Seeds, and whether the simulation has sound. With sound it makes 187 more steps per second, so fewer cases have sound.
  private static let cases = Seeds.few(20, of: (UInt64(0)..<60).map { ($0, false) } + (60..<75).map { ($0, true) })

  @Test(arguments: cases)
  func beatsMatchTheModel(seed: UInt64, audio: Bool) {
    let run = RandomRun(seed: seed)
    let bench = Bench(run.settings, audio: audio, script: run.script, gestures: RandomRun.gestures).ended(
      after: run.length)
    let model = Model.beats(bench.trace.events, lead: bench.simulation.engine.lead.current.duration, end: run.length)
    #expect(bench.beats.map { "\($0.time.count) \($0.beat)" } == model.map { "\($0.instant.nanoseconds) \($0)" })
  }

  @Test(arguments: cases)
  func outputsSwitchOnExactlyAtTheBeats(seed: UInt64, audio: Bool) {
    let run = RandomRun(seed: seed)
    let bench = Bench(run.settings, audio: audio, script: run.script, gestures: RandomRun.gestures).ended(
      after: run.length)
    let times = bench.beats.map(\.time)
    #expect(bench.rises(of: .light) == times)
    #expect(bench.rises(of: .buzzer) == times)
    #expect(bench.finalLevels == .inactive)
    expectOutputsOffWhileStopped(bench.trace.events)
    #expect(bench.lines(per: Nanoseconds(1), [.incident]) == [])
    if audio { expectClicks(bench, at: times) }
  }

  @Test(arguments: [UInt64](0..<6)) func sameSeedGivesTheSameBytes(seed: UInt64) {
    func bytes() -> [UInt8] {
      var bytes: [UInt8] = []
      var board = SimulatedBoard.Options()
      board.faults = FaultPlan(seed: seed)
      board.faults.fail(.setLines, .other, errno: 5, on: .random(0.1))
      let run = RandomRun(seed: seed)
      let simulation = try! Simulation(
        EngineOptions(settings: run.settings), board: board, sinks: [JSONLinesTrace { bytes += $0 }])
      simulation.board.buttons.schedule(run.script.edges(from: .zero, bounces: Bounces(seed: seed)))
      simulation.run(until: .zero + run.length)
      simulation.finish()
      return bytes
    }
    let first = bytes()
    #expect(first.count > 1_000)
    #expect(first == bytes())
  }

  @Test(arguments: Seeds.few(10, of: 40)) func bouncesChangeNothing(seed: UInt64) {
    var script = Script()
    var random = SeededRandom(seed: seed)
    for second in 0..<20 {
      script.press(Button.standard.randomElement(using: &random)!, at: .seconds(Int64(second)))
    }
    let clean = Bench(script: script).ended(after: .seconds(22))
    let bouncing = Bench()
    bouncing.simulation.board.buttons.schedule(script.edges(from: .zero, bounces: Bounces(seed: seed)))
    bouncing.ended(after: .seconds(22))
    let kinds: Set<Bench.Kind> = [.state, .beat, .line]
    #expect(clean.lines(per: Nanoseconds(1), kinds) == bouncing.lines(per: Nanoseconds(1), kinds))
  }

  private func expectOutputsOffWhileStopped(_ events: [TraceEvent]) {
    var isPlaying = false
    for event in events {
      switch event.what {
      case .state(let state): isPlaying = state.isPlaying
      case .line(let output, true): #expect(isPlaying, "\(output) switched on at \(event.time.count) while stopped")
      default: break
      }
    }
  }

  /// Checks that every beat has its click within half a frame. A click without a beat must have been committed before a stop,
  /// for a beat that the stop cancelled.
  private func expectClicks(_ bench: Bench, at beats: [Nanoseconds]) {
    let halfFrame = Nanoseconds(1_000_000_000 / 48_000 / 2 + 1)
    let stops = bench.trace.events.compactMap { event in
      if case .state(let state) = event.what, !state.isPlaying { event.time } else { nil }
    }
    var extraClicks: [Nanoseconds] = []
    var rest = beats[...]
    for click in bench.clicks {
      if let beat = rest.first, beat <= click + halfFrame {
        #expect(click <= beat + halfFrame, "click at \(click.count) for the beat at \(beat.count)")
        rest.removeFirst()
      } else {
        extraClicks.append(click)
      }
    }
    #expect(rest.allSatisfy { $0 + halfFrame >= bench.trace.end! }, "beats without a click: \(rest.map(\.count))")
    for click in extraClicks {
      #expect(stops.contains { $0 <= click && click < $0 + .milliseconds(22) }, "click at \(click.count)")
    }
  }
}
