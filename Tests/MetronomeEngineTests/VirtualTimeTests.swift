import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// How it is tested: nothing waits, nothing is scheduled that was cancelled, nothing is left over from another run.
@Suite struct VirtualTimeTests {
  @Test func aDayPassesWithoutWaiting() {
    var script = Script()
    script.press(.play, at: .zero)
    let bench = Bench(Settings(tempo: Tempo(bpm: 1)!), script: script).ended(after: .seconds(86_400))
    #expect(bench.beats.count == 1_440)
    #expect(bench.beats.last?.time == .milliseconds(1) + .seconds(86_340))
  }

  @Test func whileStoppedNothingIsScheduled() {
    let bench = Bench()
    bench.simulation.run(until: .zero + .seconds(1))
    #expect(bench.simulation.nextInstant == nil)
  }

  @Test func afterAStopNothingIsScheduled() {
    var script = Script()
    script.press(.play, at: .seconds(1))
    script.press(.play, at: .seconds(2))
    let bench = Bench(script: script)
    bench.simulation.run(until: .zero + .milliseconds(1_500))
    #expect(bench.simulation.nextInstant != nil)
    bench.simulation.run(until: .zero + .seconds(3))
    #expect(bench.simulation.nextInstant == nil)
  }

  @Test func nothingIsLeftFromAnEarlierRun() {
    var script = Script()
    script.press(.play, at: .seconds(1))
    script.press(.faster, at: .seconds(2))
    func lived() -> [String] {
      let bench = Bench(sound: true, script: script)
      return bench.ended(after: .seconds(5)).lines(per: Nanoseconds(1), [.state, .beat, .line, .click])
    }
    let first = lived()
    let second = lived()
    #expect(first == second)
  }

  @Test func wakingLateIsSeenAndKeepsThePhase() {
    var script = Script()
    script.press(.play, at: .zero)
    let bench = Bench(script: script)
    bench.simulation.lateness = { loop, _ in loop == .beats ? .milliseconds(3) : .zero }
    bench.ended(after: .seconds(5))
    // The first comes late for the press as well.
    let expected = (0..<10).map { Nanoseconds.milliseconds(1 + 500 * $0) }
    #expect(bench.beats.map { $0.beat.instant - .zero } == expected)
    #expect(bench.beats.dropFirst().map { $0.time - .milliseconds(3) } == Array(expected.dropFirst()))
  }

  @Test func everyCallThatCanFailCanBeMadeToFail() throws {
    for operation in HardwareError.Operation.allCases {
      var options = SimulatedBoard.Options()
      let disk = SimulatedDisk()
      options.store = disk
      options.faults.fail(operation, errno: 5, on: .call(1))
      do throws(HardwareError) {
        let board = try SimulatedBoard(options, recorder: TraceRecorder(sinks: []))
        try board.lines.set([.light])
        _ = try board.buttons.next()
        let card = try board.sound?.open()
        _ = try card?.status()
        _ = try card?.write(UnsafeRawBufferPointer(start: nil, count: 0))
        _ = try disk.read("a")
        try disk.write("a", [])
        Issue.record("\(operation) did not fail")
      } catch {
        #expect(error == HardwareError(operation, errno: 5))
      }
    }
  }
}
