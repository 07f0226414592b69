import MetronomeCore
import Testing

@testable import metronome_bench

/// The figures of the blocks, and their bounds.
@Suite struct LoopFiguresTests {
  @Test func figuresAreMediansOverTheBlocks() {
    let blocks = [(10, 1.0), (90, 9.0), (20, 2.0)].map { late, drift in
      BlockFigures(lateness: .of(Int64(late)), drift: drift, processorTime: drift * 10, interval: 1_000)
    }
    let figures = LoopFigures(.timer, blocks)
    #expect(figures.lateness(0.5) == 20)
    #expect(figures.lateness(1) == 20)
    #expect(figures.overallLateness(0.5) == 20)
    #expect(figures.overallLateness(1) == 90)
    #expect(figures.drift == 2)
    #expect(figures.driftPPM == 2_000)
    #expect(figures.processorTime == 20)
    #expect(figures.processorShare == 0.02)
    #expect(figures.histogram.count == 3)
    #expect(LoopFigures(.timer, Array(blocks.prefix(2))).lateness(0.5) == 50)
  }

  @Test func figuresThatNoBlockHasAreNil() {
    let figures = LoopFigures(.cyclictest, [BlockFigures(lateness: .of(5), interval: 1_000)])
    #expect(figures.lateness(0.99) == 5)
    #expect(figures.drift == nil)
    #expect(figures.driftPPM == nil)
    #expect(figures.processorShare == nil)
    #expect(LoopFigures(.timer, []).lateness(0.5) == nil)
  }

  /// Each loop once, with the given lateness and drift.
  private func loops(timer: Int64, spinning: Int64, drift: Double, share: Double) -> [LoopFigures] {
    func block(_ late: Int64, _ drift: Double? = nil, _ cost: Double? = nil) -> [BlockFigures] {
      [BlockFigures(lateness: .of(late), drift: drift, processorTime: cost, interval: 1_000)]
    }
    return [
      LoopFigures(.cyclictest, block(100)), LoopFigures(.timer, block(timer)),
      LoopFigures(.spinning, block(spinning, drift)), LoopFigures(.playing, block(1, 0, share * 1_000)),
      LoopFigures(.python, block(80, 80)),
    ]
  }

  @Test func boundsIncludeTheirLimit() {
    let met = Bound.all(loops(timer: 115, spinning: 5, drift: -0.08, share: 0.005))
    #expect(met.map(\.found) == [1.15, 1.15, 0.05, 0.05, 0.001, 0.005])
    #expect(met.map(\.isMet) == [true, true, true, true, true, true])
    let exceeded = Bound.all(loops(timer: 120, spinning: 8, drift: 0.081, share: 0.0051))
    #expect(exceeded.map(\.isMet) == [false, true, false, true, false, false])
  }

  @Test func boundWithoutAReferenceLoopIsNotMeasured() {
    let alone = loops(timer: 100, spinning: 1, drift: 0, share: 0.001).filter { [.timer, .spinning].contains($0.loop) }
    #expect(Bound.all(alone).map(\.isMet) == [nil, nil, nil, nil, nil, nil])
    let result = BenchResult(machine: "", length: .seconds(1), blocks: 1, wait: Nanoseconds(1_000), loops: alone)
    #expect(result.isWithinBounds)
  }

  @Test func oneExceededBoundFailsTheResult() {
    var result = BenchResult(
      machine: "", length: .seconds(1), blocks: 1, wait: Nanoseconds(1_000),
      loops: loops(timer: 100, spinning: 1, drift: 0, share: 0.001))
    #expect(result.isWithinBounds)
    result.loops = loops(timer: 100, spinning: 1, drift: 0, share: 0.006)
    #expect(!result.isWithinBounds)
  }
}

extension HistogramSnapshot {
  /// A histogram of these durations, in nanoseconds.
  static func of(_ durations: Int64...) -> HistogramSnapshot {
    var histogram = HistogramSnapshot()
    for duration in durations { histogram.record(Nanoseconds(duration)) }
    return histogram
  }
}
