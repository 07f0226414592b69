import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// Properties of the virtual time: it needs no real waiting, keeps no cancelled events, and no state of another run.
@Suite struct VirtualTimeTests {
  @Test func dayOfBeatsNeedsNoWaiting() {
    var script = Script()
    script.press(.play, at: .zero)
    let bench = Bench(Settings(Music(tempo: Tempo(bpm: 1)!)), script: script).ended(after: .seconds(86_400))
    #expect(bench.beats.count == 1_440)
    #expect(bench.beats.last?.time == .milliseconds(1) + .seconds(86_340))
  }

  @Test func stoppedMetronomeSchedulesNothing() {
    let bench = Bench()
    bench.simulation.run(until: .zero + .seconds(1))
    #expect(bench.simulation.nextInstant == nil)
  }

  @Test func stopCancelsAllDeadlines() {
    var script = Script()
    script.press(.play, at: .seconds(1))
    script.press(.play, at: .seconds(2))
    let bench = Bench(script: script)
    bench.simulation.run(until: .zero + .milliseconds(1_500))
    #expect(bench.simulation.nextInstant != nil)
    bench.simulation.run(until: .zero + .seconds(3))
    #expect(bench.simulation.nextInstant == nil)
  }

  @Test func runsAreIndependent() {
    var script = Script()
    script.press(.play, at: .seconds(1))
    script.press(.faster, at: .seconds(2))
    func run() -> [String] {
      let bench = Bench(audio: true, script: script)
      return bench.ended(after: .seconds(5)).lines(per: Nanoseconds(1), [.state, .beat, .line, .click])
    }
    let first = run()
    let second = run()
    #expect(first == second)
  }

  @Test func lateWakeUpIsTracedAndKeepsThePhase() {
    var script = Script()
    script.press(.play, at: .zero)
    let bench = Bench(script: script)
    bench.simulation.lateness = { loop, _ in loop == .beats ? .milliseconds(3) : .zero }
    bench.ended(after: .seconds(5))
    // The first beat's step is late after the press too.
    let expected = (0..<10).map { Nanoseconds.milliseconds(1 + 500 * $0) }
    #expect(bench.beats.map { $0.beat.instant - .zero } == expected)
    #expect(bench.beats.dropFirst().map { $0.time - .milliseconds(3) } == Array(expected.dropFirst()))
  }

  @Test func everyFallibleOperationCanBeMadeToFail() throws {
    for operation in HardwareError.Operation.allCases {
      var options = SimulatedBoard.Options()
      let disk = SimulatedDisk()
      options.stateFolder = disk
      options.hasDisplay = true
      options.faults.fail(operation, .other, errno: 5, on: .call(1))
      do throws(HardwareError) {
        let board = try SimulatedBoard(options, recorder: TraceRecorder(sinks: []))
        try board.lines.set([.light])
        _ = try board.buttons.next()
        let card = try board.audio?.open()
        _ = try card?.status()
        _ = try card?.write(UnsafeRawBufferPointer(start: nil, count: 0))
        _ = try disk.read("a")
        try disk.write("a", [])
        try board.characters.show(.blank)
        Issue.record("\(operation) did not fail")
      } catch {
        #expect(error == HardwareError(operation, .other, errno: 5))
      }
    }
  }
}
