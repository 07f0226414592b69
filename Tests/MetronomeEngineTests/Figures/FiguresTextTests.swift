import Foundation
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

  /// The report as the program logs it.
  private func json(_ figures: Figures, uptime: Nanoseconds) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(FiguresReport(figures, uptime: uptime)), as: UTF8.self)
  }

  @Test func summaryIsNilBeforeTheFirstBeat() {
    #expect(Figures().summary == nil)
    #expect(figures([], skipped: 3).summary == "0 beats, 3 skipped")
  }

  @Test(arguments: [
    (0, "0 µs"), (1, "1 µs"), (1_000, "1 µs"), (1_001, "2 µs"), (999_000, "999 µs"), (999_001, "1.0 ms"),
    (1_000_001, "1.1 ms"), (999_900_000, "999.9 ms"), (999_900_001, "1.0 s"), (2_000_000_000, "2.0 s"),
    (12_345_000_000_000, "12,345.0 s"), (.max, "9,223,372,036.9 s"), (-7, "0 µs"),
  ])
  func summaryRoundsLatenessUp(late: Int64, text: String) {
    #expect(figures([late]).summary == "1 beat, p99 \(text) late, none skipped")
  }

  @Test func summaryGroupsDigitsByThrees() {
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

  @Test func jsonIsOneObjectOnOneLine() throws {
    var figures = figures(Array(1...1_000).map { $0 * 100 }, skipped: 2)
    figures.missedClicks = 3
    figures.underruns = 4
    figures.reopenings = 5
    figures.beatWakeups = 3_000
    figures.audioWakeups = 6_000
    figures.failedSets = 7
    // The bounds of the buckets around 50, 99 and 99.9 µs, which are 512 and 1,024 ns wide.
    let late = #"{"max":100,"p50":50.175,"p99":99.327,"p99.9":100}"#
    let rest = #""reopenings":5,"skipped":2,"uptime_s":1234.5,"wakeups":{"audio":6000,"beats":3000},"xruns":4}"#
    #expect(
      try json(figures, uptime: .milliseconds(1_234_500))
        == #"{"beats":1000,"failed_sets":7,"late_us":"# + late + #","missed_clicks":3,"# + rest)
  }

  @Test func jsonDecodesToTheCounters() throws {
    struct Report: Decodable, Equatable {
      var uptime_s: Double
      var beats, skipped, missed_clicks, xruns, reopenings, failed_sets: UInt64
      var late_us: [String: Double?]
      var wakeups: [String: UInt64]
    }
    var figures = figures([0, 256], skipped: 1)
    figures.missedClicks = 2
    figures.underruns = 3
    figures.reopenings = 4
    figures.beatWakeups = 5
    figures.audioWakeups = 6
    figures.failedSets = 7
    let text = try json(figures, uptime: Nanoseconds(86_401_455_999_999))
    let report = Report(
      uptime_s: 86_401.455, beats: 2, skipped: 1, missed_clicks: 2, xruns: 3, reopenings: 4, failed_sets: 7,
      late_us: ["p50": 0, "p99": 0.256, "p99.9": 0.256, "max": 0.256], wakeups: ["beats": 5, "audio": 6])
    #expect(try JSONDecoder().decode(Report.self, from: Data(text.utf8)) == report)
  }

  @Test func latenessIsNullWithoutBeats() throws {
    let json = try json(Figures(), uptime: .zero)
    #expect(
      json.hasPrefix(#"{"beats":0,"failed_sets":0,"late_us":{"max":null,"p50":null,"p99":null,"p99.9":null},"#))
    #expect(json.contains(#","skipped":0,"uptime_s":0,"#))
  }

  /// The largest counts are encoded. They exceed the beats of three hundred years at 16 beats per second.
  @Test func largestCountsAreEncoded() throws {
    var counts = [UInt64](repeating: 0, count: HistogramScale.count)
    counts[9] = .max
    var figures = Figures()
    figures.lateness = HistogramSnapshot(counts: counts, belowZero: 0, bounds: Nanoseconds(9)...Nanoseconds(9))
    figures.skippedBeats = .max
    #expect(
      figures.summary == "18,446,744,073,709,551,615 beats, p99 1 µs late, 18,446,744,073,709,551,615 skipped")
    let json = try json(figures, uptime: Nanoseconds(.max))
    #expect(json.hasPrefix(#"{"beats":18446744073709551615,"#))
    #expect(json.contains(#","skipped":18446744073709551615,"uptime_s":9223372036.854,"#))
    #expect(json.contains(#""p99.9":0.009}"#))
  }
}
