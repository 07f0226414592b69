import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// The live figures, compared with the trace of the same simulation.
@Suite struct LiveFiguresTests {
  private static let play = script([1])

  /// A script that presses play at these seconds.
  private static func script(_ seconds: [Int64]) -> Script {
    seconds.reduce(into: Script()) { $0.press(.play, at: .seconds($1)) }
  }

  /// Makes the beat loop late when a beat is due.
  private func delay(_ bench: Bench, first: Nanoseconds, by lateness: @escaping (Int64) -> Nanoseconds) {
    let interval = Nanoseconds.milliseconds(500).count
    bench.simulation.lateness = { loop, deadline in
      let since = (deadline - (.zero + first)).count
      guard loop == .beats, since >= 0, since.isMultiple(of: interval) else { return .zero }
      return lateness(since / interval)
    }
  }

  @Test func quantilesMatchTheInjectedLateness() {
    let bench = Bench(script: LiveFiguresTests.play)
    // 37 and 100 are coprime: each lateness from 1 to 100 ns occurs once.
    delay(bench, first: .milliseconds(1_001)) { Nanoseconds($0 * 37 % 100 + 1) }
    bench.ended(after: .milliseconds(1_001 + 100 * 500))
    let figures = bench.simulation.figures
    #expect(figures.beats == 100)
    #expect(figures.lateness.quantile(0.5) == Nanoseconds(50))
    #expect(figures.lateness.quantile(0.99) == Nanoseconds(99))
    #expect(figures.lateness.quantile(0.999) == Nanoseconds(100))
    #expect(figures.lateness.longest == Nanoseconds(100))
    #expect(figures.lateness.shortest == Nanoseconds(1))
    #expect(figures.skippedBeats == 0)
  }

  @Test func punctualBeatsAreNotLateWithAnyLatencies() {
    let latencies = OutputLatencies(light: .milliseconds(3), pendulum: .milliseconds(5), buzzer: .milliseconds(11))
    let bench = Bench(script: LiveFiguresTests.play, latencies: latencies).ended(after: .seconds(20))
    let figures = bench.simulation.figures
    #expect(figures.beats == UInt64(bench.beats.count) && figures.beats > 30)
    #expect(figures.lateness.longest == .zero)
    #expect(figures.lateness.countBelowZero == 0)
  }

  /// The lateness counts from the first output: a step for several outputs is as late as it is for the output that was due
  /// first.
  @Test func latenessCountsFromTheFirstOutput() {
    let latencies = OutputLatencies(light: .milliseconds(3), buzzer: .milliseconds(11))
    let lead = Nanoseconds.milliseconds(12)
    let bench = Bench(script: LiveFiguresTests.play, latencies: latencies)
    delay(bench, first: .seconds(1) + lead - .milliseconds(11)) { $0 == 4 ? .milliseconds(9) : .zero }
    bench.ended(after: .seconds(10))
    #expect(bench.simulation.figures.lateness.longest == .milliseconds(9))
    #expect(bench.simulation.figures.lateness.quantile(0.9) == .zero)
  }

  @Test func stalledBeatsAreSkippedOrShownLate() {
    let bench = Bench(script: LiveFiguresTests.play)
    delay(bench, first: .milliseconds(1_001)) { $0 == 10 ? .milliseconds(2_100) : .zero }
    bench.ended(after: .milliseconds(1_001 + 40 * 500))
    let figures = bench.simulation.figures
    // Of beats 10 to 14, only the last is shown, 100 ms late.
    #expect(figures.skippedBeats == 4)
    #expect(figures.beats == 36)
    #expect(figures.lateness.longest == .milliseconds(100))
    #expect(figures.summary == "36 beats, p99 100.0 ms late, 4 skipped")
  }

  @Test func loopStepsAreCounted() {
    let bench = Bench(audio: true, script: LiveFiguresTests.play)
    bench.simulation.run(until: .zero + .milliseconds(10_100))
    let before = bench.simulation.figures
    bench.simulation.run(until: .zero + .milliseconds(20_100))
    let figures = bench.simulation.figures
    #expect(figures.beats - before.beats == 20)
    // A beat begins, and two pulses end.
    #expect(figures.beatWakeups - before.beatWakeups == 60)
    // A period of 256 frames at 48 kHz lasts 5⅓ ms.
    #expect(figures.audioWakeups - before.audioWakeups == 1_875)
    let other = Bench(script: LiveFiguresTests.play).ended(after: .seconds(10))
    #expect(other.simulation.figures.audioWakeups == 0)
  }

  @Test func figuresMatchATraceWithFaults() {
    var faults = FaultPlan(seed: 5)
    faults.fail(.setLines, .other, errno: 5, on: .random(0.1))
    faults.schedule(.stops, at: .zero + .seconds(4))
    faults.schedule(.fails(.other, errno: 5), at: .zero + .seconds(8))
    faults.schedule(.sleeps(wakes: true), at: .zero + .seconds(12))
    faults.unplugCard(during: .zero + .seconds(16) ..< .zero + .seconds(19))
    let bench = Bench(audio: true, script: LiveFiguresTests.play, faults: faults)
    var random = SeededRandom(seed: 11)
    bench.simulation.lateness = { loop, _ in
      let isLate = Int.random(in: 0..<(loop == .beats ? 10 : 300), using: &random) == 0
      return isLate ? .milliseconds(.random(in: 0...700, using: &random)) : .zero
    }
    bench.ended(after: .seconds(40))
    let figures = bench.simulation.figures
    var (skipped, missed, underruns, failed) = (Int64(0), Int64(0), UInt64(0), UInt64(0))
    for event in bench.trace.events {
      if case .skipped(let beats) = event.what { skipped += beats }
      if case .missed(let clicks) = event.what { missed += clicks }
      if case .underrun = event.what { underruns += 1 }
      if case .fault(let error) = event.what, error.operation == .setLines { failed += 1 }
    }
    #expect(figures.skippedBeats == UInt64(skipped) && skipped > 0)
    #expect(figures.missedClicks == UInt64(missed) && missed > 0)
    #expect(figures.underruns == underruns && underruns > 0)
    #expect(figures.failedSets == failed && failed > 0)
    #expect(figures.beats == UInt64(bench.beats.count))
    #expect(figures.lateness.longest == bench.beats.map { $0.time - ($0.beat.instant - .zero) }.max())
  }

  @Test func reopenedAndResumedCardsAreCounted() {
    var faults = FaultPlan()
    faults.schedule(.fails(.other, errno: 5), at: .zero + .seconds(3))
    faults.schedule(.sleeps(wakes: true), at: .zero + .seconds(6))
    let bench = Bench(audio: true, faults: faults)
    bench.simulation.run(until: .zero + .seconds(2))
    #expect(bench.simulation.figures.reopenings == 0)
    bench.simulation.run(until: .zero + .seconds(5))
    #expect(bench.simulation.figures.reopenings == 1)
    bench.simulation.run(until: .zero + .seconds(8))
    #expect(bench.simulation.figures.reopenings == 2)
    // A card with another format counts as reopened.
    var wires = SimulatedBoard.Options()
    wires.audio?.periodFrames = 128
    bench.simulation.reconfigure(bench.simulation.options, board: wires, changes: BoardChanges(audio: true))
    bench.simulation.run(until: .zero + .seconds(9))
    #expect(bench.simulation.figures.reopenings == 3)
  }

  @Test func figuresContinueAcrossStopsAndReloads() {
    let bench = Bench(script: LiveFiguresTests.script([1, 3, 5]))
    bench.simulation.run(until: .zero + .seconds(4))
    let before = bench.simulation.figures
    #expect(before.beats == 4)
    bench.simulation.run(until: .zero + .seconds(7))
    var options = bench.simulation.options
    options.latencies.light = .milliseconds(40)
    bench.simulation.reconfigure(options)
    bench.simulation.run(until: .zero + .seconds(10))
    bench.simulation.finish()
    let figures = bench.simulation.figures
    #expect(figures.beats == UInt64(bench.beats.count) && figures.beats == 15)
    // After the change beats are due 40 ms early. The first one, a millisecond after the change, could not be sent earlier.
    #expect(figures.lateness.longest == .zero)
  }
}
