import Foundation
import MetronomeCore
import Testing

@testable import metronome_bench

/// The result as a table, as JSON and as a picture.
@Suite struct BenchReportTests {
  private static func loop(_ loop: Contender, _ late: Int64, _ drift: Double? = nil, _ cost: Double? = nil)
    -> LoopFigures
  {
    LoopFigures(
      loop, [BlockFigures(lateness: .of(late), drift: drift, processorTime: cost, interval: 1_876_876.876)])
  }

  private static let result = BenchResult(
    machine: "Linux 6.1 <test>, 2 processors, priority 80", length: .seconds(120), blocks: 8,
    wait: Nanoseconds(1_876_877),
    loops: [
      loop(.cyclictest, 25_000), loop(.timer, 26_000, 0.02, 9_000), loop(.spinning, 300, -0.01, 60_000),
      LoopFigures(.playing, [BlockFigures(lateness: .of(400), drift: 0, processorTime: 90_000, interval: 50e6)]),
      loop(.python, 90_000, 90_000.25, 12_000),
    ],
    setCall: BenchResult.SetCall(chip: "gpiochip0 [pinctrl-bcm2711]", cost: .of(1_000, 1_100, 9_000)),
    audio: BenchResult.Audio(
      card: "hw:CARD=Dummy",
      health: ClockMap.Health(ratePPM: -12.25, deviation: Nanoseconds(3_400), isLocked: true)),
    notices: ["no load: stress-ng cannot be started; to install it: apt install stress-ng"])

  @Test func resultIsPrintedAsATable() {
    #expect(
      BenchTable.text(BenchReportTests.result) == """
        Linux 6.1 <test>, 2 processors, priority 80
        8 blocks in 2m, waits of 1876.88 µs; figures are medians over the blocks; p99.9 and max are over all waits

        lateness, µs                            p50        p99      p99.9        max drift ns/wait       ppm CPU µs/wait       CPU
        cyclictest, wake-ups                  25.00      25.00      25.00      25.00             –         –           –         –
        beat loop, timer wake-ups             26.00      26.00      26.00      26.00           0.0      0.01        9.00   0.480 %
        beat loop, edges                       0.30       0.30       0.30       0.30           0.0     -0.01       60.00   3.197 %
        beat loop, edges at 300 BPM            0.40       0.40       0.40       0.40           0.0      0.00       90.00   0.180 %
        a loop around Python's time.sleep     90.00      90.00      90.00      90.00       90000.3  47952.13       12.00   0.639 %

        figure                                                 limit   measured
        p50 of timer wake-ups, relative to cyclictest        1.15000    1.04000  met
        p99 of timer wake-ups, relative to cyclictest        1.25000    1.04000  met
        p50 of edges, relative to cyclictest                 0.05000    0.01200  met
        p99 of edges, relative to cyclictest                 0.10000    0.01200  met
        drift of edges, relative to the Python loop          0.00100    0.00000  met
        processor share at 300 BPM with four edges a beat    0.500 %    0.180 %  met

        time to set the lines of gpiochip0 [pinctrl-bcm2711], µs: p50 1.10, p99 9.00, p99.9 9.00, max 9.00
        clock of hw:CARD=Dummy: locked, -12.3 ppm, mean deviation of the readings 3.40 µs
        no load: stress-ng cannot be started; to install it: apt install stress-ng

        """)
  }

  @Test func resultEncodesAsJSON() throws {
    struct Read: Decodable {
      struct Loop: Decodable {
        var name: String
        var p50Us: Double
        var early: Int
        var driftNsPerWait: Double?
        var histogramNs: [[Int64]]
      }
      struct Limit: Decodable {
        var met: Bool?
        var found: Double?
      }
      struct SetCall: Decodable { var chip: String }
      struct Audio: Decodable { var driftPpm: Double }
      var version: Int
      var waitUs: Double
      var loops: [Loop]
      var bounds: [Limit]
      var setCall: SetCall?
      var sound: Audio?
      var notices: [String]
    }
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    let data = try encoder.encode(BenchJSON(BenchReportTests.result))
    let text = String(decoding: data, as: UTF8.self)
    for key in ["p50_us", "p999_us", "drift_ns_per_wait", "cpu_share", "histogram_ns", "set_call", "wait_us"] {
      #expect(text.contains("\"\(key)\":"), "\(key)")
    }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let read = try decoder.decode(Read.self, from: data)
    #expect(read.version == 1)
    #expect(read.waitUs == 1_876.877)
    #expect(read.loops.map(\.name) == ["cyclictest", "timer", "spinning", "playing", "python"])
    #expect(read.loops.map(\.p50Us) == [25, 26, 0.3, 0.4, 90])
    #expect(read.loops.map(\.early) == [0, 0, 0, 0, 0])
    #expect(read.loops[0].driftNsPerWait == nil)
    #expect(read.loops[2].histogramNs == [[300, 303, 1]])
    #expect(read.bounds.map(\.met) == [true, true, true, true, true, true])
    #expect(read.setCall?.chip == "gpiochip0 [pinctrl-bcm2711]")
    #expect(read.sound?.driftPpm == -12.25)
    #expect(read.notices == ["no load: stress-ng cannot be started; to install it: apt install stress-ng"])
  }

  @Test func resultIsDrawnAsAPicture() {
    let picture = BenchPicture.svg(BenchReportTests.result)
    #expect(picture.hasPrefix("<svg "))
    #expect(picture.hasSuffix("</svg>\n"))
    #expect(picture.contains("Linux 6.1 &lt;test>, 2 processors"))
    #expect(picture.split(separator: "\n").filter { $0.hasPrefix("<polyline") }.count == 5)
    for loop in BenchReportTests.result.loops {
      #expect(picture.contains(">\(loop.loop.title): p50 "), "\(loop.loop)")
    }
    #expect(picture == BenchPicture.svg(BenchReportTests.result))
  }

  @Test func loopWithoutWaitsHasNoCurve() {
    var result = BenchReportTests.result
    result.loops = [LoopFigures(.timer, [])]
    #expect(!BenchPicture.svg(result).contains("<polyline"))
    #expect(BenchTable.text(result).contains("–"))
  }

  /// Twenty columns per decade from 100 ns on; values beyond either end are in the outermost column.
  @Test(arguments: [(0, 0), (99, 0), (113, 1), (1_000, 20), (990_000, 79), (99_000_000, 119), (5_000_000_000, 119)])
  func waitsFallInTheirColumn(late: Int64, column: Int) {
    let counts = BenchPicture.columnCounts(.of(late))
    #expect(counts.count == 120)
    #expect(counts.firstIndex(of: 1) == column)
    #expect(counts.reduce(0, +) == 1)
  }
}
