import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// The listings of "Testing with a simulated board".
@Suite struct SimulatedBoards {
  @Test func playStartsTheBeatAfterAMillisecond() throws {
    var options = SimulatedBoard.Options()
    options.audio = nil
    let trace = RecordedTrace()
    let simulation = try Simulation(board: options, sinks: [trace])
    var hands = Script()
    hands.press(.play, at: .seconds(1))
    simulation.board.buttons.schedule(hands.edges(from: .zero))
    simulation.run(until: .zero + .seconds(2))
    simulation.finish()

    let lit = trace.events.filter { $0.what == .line(.light, isActive: true) }
    #expect(lit.map(\.time) == [.milliseconds(1_001), .milliseconds(1_501)])
  }

  @Test func refusedCallIsRetried() throws {
    var options = SimulatedBoard.Options()
    options.audio = nil
    // The second call to set the lines, which is to switch the buzzer off, fails.
    options.faults.fail(.setLines, .other, errno: 5, on: .call(2))
    let trace = RecordedTrace()
    let simulation = try Simulation(board: options, sinks: [trace])
    simulation.perform(.start)
    simulation.run(until: .zero + .seconds(1))
    simulation.finish()

    let silent = trace.events.first { $0.what == .line(.buzzer, isActive: false) }
    #expect(trace.events.contains { $0.what == .fault(HardwareError(.setLines, .other, errno: 5)) })
    #expect(silent?.time == .milliseconds(101))
  }

  @Test func sameScriptAndSeedGiveTheSameTrace() throws {
    func play() throws -> [TraceEvent] {
      let trace = RecordedTrace()
      let simulation = try Simulation(sinks: [trace])
      let script = try Script(text: Array("1s press play\n2.3s press faster 2s\n".utf8), file: "hands.txt")
      simulation.board.buttons.schedule(script.edges(from: .zero, bounces: Bounces(seed: 7)))
      // Threads wake up late, the beats by 50 µs.
      simulation.lateness = { loop, _ in loop == .beats ? .microseconds(50) : .zero }
      simulation.run(until: .zero + .seconds(60))
      simulation.finish()
      return trace.events
    }
    let (once, again) = (try play(), try play())
    #expect(once == again)
  }
}
