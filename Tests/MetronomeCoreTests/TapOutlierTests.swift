import MetronomeCore
import Testing

/// Taps that do not fit a run, because the tempo changed or because one tap registered twice.
@Suite struct TapOutlierTests {
  private static let slowerTaps = [
    TapRow(500, 500, 1_000, gives: "500000 4 2000000"),
    TapRow(500, 500, 1_000, 1_000, gives: "1000000 2 3000000"),
    TapRow(500, 500, 1_000, 1_000, 1_000, gives: "1000000 3 4000000"),
    TapRow(500, 500, 1_000, 500, 1_000, gives: "500000 7 3500000"),
    TapRow(500, 1_000, 1_000, gives: "1000000 2 2500000"),
    TapRow(500, 500, 900, 900, gives: "900000 2 2800000"),
    TapRow(500, 500, 1_100, 1_100, gives: "1100000 2 3200000"),
    TapRow(500, 500, 1_101, 1_101, gives: nil),
    TapRow(500, 500, 1_101, 1_101, 1_101, gives: "1101000 2 4303000"),
    TapRow(600, 600, 600, 1_000, 1_000, gives: nil),
    TapRow(600, 600, 600, 1_000, 1_000, 1_000, gives: "1000000 2 4800000"),
    // The second interval was two beats, not four.
    TapRow(1_000, 500, 1_000, gives: "500000 5 2500000"),
    TapRow(1_000, 500, 1_000, 1_000, gives: "1000000 2 3500000"),
  ]

  /// The estimate is 500 ms. The extra tap falls within the 500 ms after the last tap.
  private static let extraTaps = [
    TapRow(500, 500, 60, 440, gives: "500000 3 1500000"),
    TapRow(500, 60, 440, gives: "500000 2 1000000"),
    TapRow(500, 500, 60, 59, 381, gives: "500000 3 1500000"),
    TapRow(500, 500, 186, 314, gives: "500000 3 1500000"),
    TapRow(500, 500, 187, 313, gives: "500000 3 1500000"),
    TapRow(500, 500, 188, 312, gives: nil),
    TapRow(500, 500, 188, 312, 500, gives: "500000 4 2000000"),
    TapRow(500, 500, 179, 300, gives: "493700 3 1485300"),
    TapRow(500, 500, 180, 300, gives: nil),
    TapRow(500, 500, 225, 275, 500, gives: "500000 4 2000000"),
    TapRow(500, 500, 225, 275, 399, gives: nil),
    TapRow(500, 500, 225, 275, 400, gives: "480000 4 1940000"),
    TapRow(500, 500, 225, 275, 600, gives: "520000 4 2060000"),
    TapRow(500, 500, 225, 275, 601, gives: "293214 3 2097357"),
    TapRow(500, 500, 225, 275, 1_000, gives: "500000 5 2500000"),
    // The next tap is up to a fifth of a beat before or after one beat, or two beats.
    TapRow(500, 500, 60, 339, gives: nil),
    TapRow(500, 500, 60, 340, gives: "470000 3 1430000"),
    TapRow(500, 500, 60, 540, gives: "530000 3 1570000"),
    TapRow(500, 500, 60, 541, gives: nil),
    TapRow(500, 500, 60, 839, gives: nil),
    TapRow(500, 500, 60, 840, gives: "474286 4 1917143"),
    TapRow(500, 500, 60, 940, gives: "500000 4 2000000"),
    TapRow(500, 500, 60, 1_040, gives: "525714 4 2082857"),
    TapRow(500, 500, 60, 1_041, gives: nil),
    // A late extra tap before the beat that follows a missed beat.
    TapRow(500, 500, 800, 200, gives: "500000 4 2000000"),
    // After one missed beat, another long interval means a slower tempo.
    TapRow(500, 500, 1_000, 60, 940, gives: "1000000 2 3000000"),
    // The next tap is not a beat of the old run, which is discarded.
    TapRow(500, 500, 60, 250, 250, gives: "250000 2 1560000"),
    TapRow(500, 500, 60, 700, 240, gives: nil),
  ]

  private static let fasterTaps = [
    TapRow(1_000, 1_000, 500, 500, gives: nil),
    TapRow(1_000, 1_000, 500, 500, 500, gives: "500000 2 3500000"),
    TapRow(750, 750, 300, 300, gives: nil),
    TapRow(750, 750, 300, 300, 300, gives: "300000 2 2400000"),
    TapRow(500, 500, 299, 299, 299, gives: "299000 2 1897000"),
    TapRow(500, 500, 188, 312, 436, gives: "374000 2 1915333"),
    TapRow(500, 500, 188, 312, 437, gives: "487400 4 1962200"),
    TapRow(1_000, 1_000, 500, 500, 1_000, gives: "1000000 4 4000000"),
    TapRow(1_000, 1_000, 500, 500, 250, gives: "250000 3 3250000"),
    // Such equal intervals are too long to start a run. Only the next tap shows that one of them was two beats.
    TapRow(2_800, 2_800, 5_600, 5_600, 2_800, 2_850, gives: nil),
    TapRow(2_800, 2_800, 5_600, 5_600, 2_800, 2_850, 1_425, gives: "1425000 3 23875000"),
  ]

  @Test(arguments: slowerTaps + extraTaps + fasterTaps)
  func outlyingTapsGiveTheExpectedEstimate(row: TapRow) { #expect(row.actual == row.expected) }

  /// The old tempo in BPM, and the new beat interval as a percentage of the old interval.
  private static let changes: [(Int, Int)] = [60, 100, 160, 400].flatMap { bpm in
    (30...330).map { (bpm, $0) }
  }

  @Test func eightTapsEstablishAnyNewTempo() {
    for (bpm, percent) in TapOutlierTests.changes {
      let old = Int64(60_000_000_000 / bpm)
      let new = old * Int64(percent) / 100
      guard new >= TapTempo.closest.count, new <= TapTempo.longestFirst.count else { continue }
      for count in [2, 3, 8] as [Int64] {
        var (taps, now) = (TapTempo(), Instant.zero)
        for _ in 0..<count {
          _ = taps.add(now)
          now = now + Nanoseconds(old)
        }
        now = now + Nanoseconds(new - old)
        var estimate: TapTempo.Estimate?
        for _ in 0..<8 {
          estimate = taps.add(now)
          now = now + Nanoseconds(new)
        }
        let error = estimate.map { abs($0.period / Double(new) - 1) } ?? .infinity
        #expect(error <= 0.01, "\(count) taps at \(bpm) BPM, then 8 of \(percent) % of the interval")
      }
    }
  }
}
