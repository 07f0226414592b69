import MetronomeCore
import Testing

@testable import metronome_bench

/// The figures of the waits of one loop.
@Suite struct WaitsTests {
  /// Waits for deadlines 1,000 ns apart, with the given latenesses.
  private func waits(late: [Int64]) -> Waits {
    Waits(
      late.enumerated().map { index, late in
        let deadline = Instant(nanoseconds: Int64(index) * 1_000)
        return Waits.Wait(deadline: deadline, actual: deadline + Nanoseconds(late))
      })
  }

  @Test func latenessCountsFromTheDeadline() {
    let lateness = waits(late: [3, 1, 2, -1]).lateness
    #expect(lateness.count == 4)
    #expect(lateness.shortest == Nanoseconds(-1))
    #expect(lateness.longest == Nanoseconds(3))
    #expect(lateness.quantile(0.5) == Nanoseconds(1))
  }

  @Test func latenessOfASleepingLoopIsTheExcessOfEachSleep() {
    let ends = [5, 1_006, 2_009, 3_009].map { Instant(nanoseconds: $0) }
    let waits = Waits(ends: ends, interval: Nanoseconds(1_000), processorTime: Nanoseconds(90))
    #expect(waits.waits.map { ($0.actual - $0.deadline).count } == [1, 3, 0])
    #expect(waits.processorTime == Nanoseconds(90))
  }

  @Test func constantLatenessIsNotDrift() {
    #expect(waits(late: [Int64](repeating: 70, count: 100)).drift(interval: 1_000) == 0)
  }

  @Test func excessOfEachSleepAddsUpToDrift() {
    let ends = (0...400).map { Instant(nanoseconds: 7 + $0 * 1_002) }
    #expect(Waits(ends: ends, interval: Nanoseconds(1_000)).drift(interval: 1_000) == 2)
    // With an interval more exact than whole nanoseconds.
    #expect(Waits(ends: ends, interval: Nanoseconds(1_000)).drift(interval: 1_000.5) == 1.5)
  }

  @Test func singleLateWaitIsNotDrift() {
    var late = [Int64](repeating: 5, count: 100)
    late[0] = 900
    late[99] = 5_000_000
    #expect(waits(late: late).drift(interval: 1_000) == 0)
  }

  @Test func missingBeatsAreNotDrift() {
    var some = waits(late: [Int64](repeating: 5, count: 100))
    some.waits.removeSubrange(40..<60)
    #expect(some.drift(interval: 1_000) == 0)
  }

  @Test func fewWaitsGiveNoDrift() {
    #expect(waits(late: [1, 1, 1, 1, 1, 1, 1]).drift(interval: 1_000) == nil)
    #expect(waits(late: [1, 1, 1, 1, 1, 1, 1, 1]).drift(interval: 1_000) == 0)
    #expect(Waits([]).lateness.count == 0)
  }

  @Test func blockReportsTheCostPerWait() {
    var some = waits(late: [Int64](repeating: 5, count: 100))
    #expect(BlockFigures(some, interval: 1_000).processorTime == nil)
    some.processorTime = Nanoseconds(2_500)
    #expect(BlockFigures(some, interval: 1_000).processorTime == 25)
    #expect(BlockFigures(Waits([], processorTime: .zero), interval: 1_000).processorTime == nil)
  }
}
