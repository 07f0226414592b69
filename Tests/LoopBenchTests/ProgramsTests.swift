import MetronomeCore
import Testing

@testable import metronome_bench

/// The other programs: their command lines, and the parsing of their output.
@Suite struct ProgramsTests {
  /// Shortened output of cyclictest 2.40.
  private static let printed = """
    # /dev/cpu_dma_latency set to 0us
    {
      "rt_test_version:": "2.40",
      "start_time": "Sat, 21 Nov 2026 22:27:24 +0000",
      "return_code": 0,
      "num_threads": 1,
      "resolution_in_ns": 1,
      "thread": {
        "0": {
          "histogram": {
            "15498": 1,
            "17000": 3,
            "40503": 1
          },
          "cycles": 7,
          "min": 15498,
          "max": 4581445,
          "avg": 29093.42,
          "cpu": 0,
          "node": 0
        }
      }
    }
    """

  @Test func cyclictestOutputIsParsed() throws {
    let histogram = try #require(CyclicTest.lateness(in: ProgramsTests.printed))
    #expect(histogram.count == 7)
    #expect(histogram.shortest == Nanoseconds(15_498))
    // Two were beyond the bins: only the maximum is known.
    #expect(histogram.longest == Nanoseconds(4_581_445))
    #expect(histogram.buckets.map(\.count) == [1, 3, 1, 1, 1])
    #expect(histogram.quantile(0.8).map { $0 >= .milliseconds(1) && $0 < .microseconds(1_020) } == true)
  }

  @Test(arguments: [
    "", "Unable to change scheduling policy!\n", "\"cycles\": 0,\n", "\"12\": 3,\n", "\"cycles\": 12,\n",
  ])
  func otherOutputIsRejected(output: String) {
    #expect(CyclicTest.lateness(in: output) == nil)
  }

  @Test func cyclictestRunsTheSameWaitsAtTheSamePriority() {
    let words = CyclicTest.words(waits: 500, of: Nanoseconds(1_876_877), priority: 80)
    #expect(words.first == "cyclictest")
    #expect(words.contains("--interval=1877"))
    #expect(words.contains("--loops=500"))
    #expect(words.contains("--priority=80"))
  }

  @Test func pythonOutputIsParsed() throws {
    let waits = try #require(PythonLoop.waits(in: "900 10 1015 2020\n", of: Nanoseconds(1_000)))
    #expect(waits.waits.map { ($0.actual - $0.deadline).count } == [5, 5])
    #expect(waits.processorTime == Nanoseconds(900))
    for output in ["", "900", "900 10", "900 10 x", "Traceback (most recent call last):"] {
      #expect(PythonLoop.waits(in: output, of: Nanoseconds(1_000)) == nil, "\(output)")
    }
  }

  @Test func pythonGetsTheWaitInSeconds() {
    #expect(
      PythonLoop.words(for: .seconds(2), waits: Nanoseconds(1_876_877)).suffix(2) == ["0.001876877", "2000000000"])
    #expect(PythonLoop.words(for: .seconds(2), waits: .milliseconds(1_050)).suffix(2) == ["1.050000000", "2000000000"])
  }

  @Test(arguments: [1, 8, 1_000]) func turnsLastAQuarterSecondAndOneSecondForLongWaits(blocks: Int) {
    #expect(LoopBench.leastLength(blocks: blocks) == .milliseconds(2_250) * Int64(blocks))
  }
}
