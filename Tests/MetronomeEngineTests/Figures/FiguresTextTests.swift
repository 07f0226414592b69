import MetronomeCore
import MetronomeEngine
import Testing

@Suite struct FiguresTextTests {
  private func figures(_ lateness: [Int64], skipped: UInt64 = 0) -> Figures {
    var figures = Figures()
    for count in lateness { figures.lateness.record(Nanoseconds(count)) }
    figures.skippedBeats = skipped
    return figures
  }

  @Test func nothingIsSaidBeforeTheFirstBeat() {
    #expect(Figures().summary == nil)
    #expect(figures([], skipped: 3).summary == "0 beats, 3 skipped")
  }

  @Test(arguments: [
    (0, "0 µs"), (1, "1 µs"), (1_000, "1 µs"), (1_001, "2 µs"), (999_000, "999 µs"), (999_001, "1.0 ms"),
    (1_000_001, "1.1 ms"), (999_900_000, "999.9 ms"), (999_900_001, "1.0 s"), (2_000_000_000, "2.0 s"),
    (12_345_000_000_000, "12,345.0 s"), (.max, "9,223,372,036.9 s"), (-7, "0 µs"),
  ])
  func aBeatIsNeverSaidToBeLessLateThanItWas(late: Int64, text: String) {
    #expect(figures([late]).summary == "1 beat, p99 \(text) late, none skipped")
  }

  @Test func numbersHaveGroupsOfThreeDigits() {
    var counts = [UInt64](repeating: 0, count: HistogramScale.count)
    counts[0] = 86_400
    var figures = Figures()
    figures.lateness = HistogramSnapshot(counts: counts, belowZero: 0, bounds: .zero ... .zero)
    #expect(figures.summary == "86,400 beats, p99 0 µs late, none skipped")
    figures.skippedBeats = 1_234_567
    #expect(figures.summary == "86,400 beats, p99 0 µs late, 1,234,567 skipped")
    figures.skippedBeats = 100
    #expect(figures.summary == "86,400 beats, p99 0 µs late, 100 skipped")
  }

  @Test func programsReadOneObjectOnOneLine() {
    var figures = figures(Array(1...1_000).map { $0 * 100 }, skipped: 2)
    figures.missedClicks = 3
    figures.underruns = 4
    figures.reopenings = 5
    figures.beatWakeups = 3_000
    figures.audioWakeups = 6_000
    figures.failedSets = 7
    // The bounds of the buckets of 50, 99 and 99.9 µs: 512 and 1,024 ns wide.
    let late = #"{"p50":50.175,"p99":99.327,"p99.9":100,"max":100}"#
    let rest = #""missed_clicks":3,"xruns":4,"reopenings":5,"wakeups":{"beats":3000,"audio":6000},"failed_sets":7}"#
    #expect(
      figures.json(uptime: .milliseconds(1_234_500))
        == #"{"uptime_s":1234.5,"beats":1000,"skipped":2,"late_us":"# + late + "," + rest)
  }

  @Test func withoutABeatThereIsNoLateness() {
    let json = Figures().json(uptime: .zero)
    #expect(
      json.hasPrefix(#"{"uptime_s":0,"beats":0,"skipped":0,"late_us":{"p50":null,"p99":null,"p99.9":null,"max":null}"#))
  }

  /// Three hundred years of 16 beats a second, or more than that.
  @Test func theLargestCountsFit() {
    var counts = [UInt64](repeating: 0, count: HistogramScale.count)
    counts[9] = .max
    var figures = Figures()
    figures.lateness = HistogramSnapshot(counts: counts, belowZero: 0, bounds: Nanoseconds(9)...Nanoseconds(9))
    figures.skippedBeats = .max
    #expect(
      figures.summary == "18,446,744,073,709,551,615 beats, p99 1 µs late, 18,446,744,073,709,551,615 skipped")
    let json = figures.json(uptime: Nanoseconds(.max))
    #expect(json.hasPrefix(#"{"uptime_s":9223372036.854,"beats":18446744073709551615,"skipped":18446744073709551615,"#))
    #expect(json.contains(#""p99.9":0.009,"#))
  }
}
