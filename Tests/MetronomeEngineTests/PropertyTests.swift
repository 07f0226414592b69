import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import TestSupport
import Testing

/// Random tempi, signatures and hands. What came out is compared with a model that counts beats one after the other in
/// plain fractions, and never looks at a timeline.
@Suite struct PropertyTests {
  /// With sound a simulation steps 187 times a second more: fewer of those.
  private static let lives = Seeds.few(20, of: (UInt64(0)..<60).map { ($0, false) } + (60..<75).map { ($0, true) })

  @Test(arguments: lives)
  func beatsAreThoseOfTheModel(seed: UInt64, sound: Bool) {
    let life = Life(seed: seed)
    let bench = Bench(life.settings, sound: sound, script: life.script, gestures: Life.gestures).ended(
      after: life.length)
    let model = Model.beats(bench.trace.events, lead: bench.simulation.engine.lead.current.duration, end: life.length)
    #expect(bench.beats.map { "\($0.time.count) \($0.beat)" } == model.map { "\($0.instant.nanoseconds) \($0)" })
  }

  @Test(arguments: lives)
  func outputsAgree(seed: UInt64, sound: Bool) {
    let life = Life(seed: seed)
    let bench = Bench(life.settings, sound: sound, script: life.script, gestures: Life.gestures).ended(
      after: life.length)
    let times = bench.beats.map(\.time)
    #expect(bench.rises(of: .light) == times)
    #expect(bench.rises(of: .buzzer) == times)
    #expect(bench.finalLevels == .inactive)
    expectDarkWhenStopped(bench.trace.events)
    #expect(bench.lines(per: Nanoseconds(1), [.incident]) == [])
    if sound { expectClicks(bench, at: times) }
  }

  @Test(arguments: [UInt64](0..<6)) func theSameSeedGivesTheSameBytes(seed: UInt64) {
    func bytes() -> [UInt8] {
      var bytes: [UInt8] = []
      var board = SimulatedBoard.Options()
      board.faults = FaultPlan(seed: seed)
      board.faults.fail(.setLines, errno: 5, on: .random(0.1))
      let life = Life(seed: seed)
      let simulation = try! Simulation(
        EngineOptions(settings: life.settings), board: board, sinks: [JSONLinesTrace { bytes += $0 }])
      simulation.board.buttons.schedule(life.script.edges(from: .zero, bounces: Bounces(seed: seed)))
      simulation.run(until: .zero + life.length)
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
      script.press(Button.allCases.randomElement(using: &random)!, at: .seconds(Int64(second)))
    }
    let clean = Bench(script: script).ended(after: .seconds(22))
    let bouncing = Bench()
    bouncing.simulation.board.buttons.schedule(script.edges(from: .zero, bounces: Bounces(seed: seed)))
    bouncing.ended(after: .seconds(22))
    let kinds: Set<Bench.Kind> = [.state, .beat, .line]
    #expect(clean.lines(per: Nanoseconds(1), kinds) == bouncing.lines(per: Nanoseconds(1), kinds))
  }

  private func expectDarkWhenStopped(_ events: [TraceEvent]) {
    var isPlaying = false
    for event in events {
      switch event.what {
      case .state(let state): isPlaying = state.isPlaying
      case .line(let output, true): #expect(isPlaying, "\(output) went on at \(event.time.count) while stopped")
      default: break
      }
    }
  }

  /// Every beat has its click within half a frame. A click without a beat had been committed before a stop, for a beat
  /// that would have come.
  private func expectClicks(_ bench: Bench, at beats: [Nanoseconds]) {
    let halfFrame = Nanoseconds(1_000_000_000 / 48_000 / 2 + 1)
    let stops = bench.trace.events.compactMap { event in
      if case .state(let state) = event.what, !state.isPlaying { event.time } else { nil }
    }
    var orphans: [Nanoseconds] = []
    var rest = beats[...]
    for click in bench.clicks {
      if let beat = rest.first, beat <= click + halfFrame {
        #expect(click <= beat + halfFrame, "click at \(click.count) for the beat at \(beat.count)")
        rest.removeFirst()
      } else {
        orphans.append(click)
      }
    }
    #expect(rest.allSatisfy { $0 + halfFrame >= bench.trace.end! }, "beats without a click: \(rest.map(\.count))")
    for orphan in orphans {
      #expect(stops.contains { $0 <= orphan && orphan < $0 + .milliseconds(22) }, "click at \(orphan.count)")
    }
  }
}
