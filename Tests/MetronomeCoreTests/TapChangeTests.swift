import MetronomeCore
import Testing

/// Taps that leave a run: for another tempo, or because a finger fired twice.
@Suite struct TapChangeTests {
  private static let slower = [
    TapRow(500, 500, 1_000, says: "500000 4 2000000"),
    TapRow(500, 500, 1_000, 1_000, says: "1000000 2 3000000"),
    TapRow(500, 500, 1_000, 1_000, 1_000, says: "1000000 3 4000000"),
    TapRow(500, 500, 1_000, 500, 1_000, says: "500000 7 3500000"),
    TapRow(500, 1_000, 1_000, says: "1000000 2 2500000"),
    TapRow(500, 500, 900, 900, says: "900000 2 2800000"),
    TapRow(500, 500, 1_100, 1_100, says: "1100000 2 3200000"),
    TapRow(500, 500, 1_101, 1_101, says: nil),
    TapRow(500, 500, 1_101, 1_101, 1_101, says: "1101000 2 4303000"),
    TapRow(600, 600, 600, 1_000, 1_000, says: nil),
    TapRow(600, 600, 600, 1_000, 1_000, 1_000, says: "1000000 2 4800000"),
    // The second interval was two beats, not twice two.
    TapRow(1_000, 500, 1_000, says: "500000 5 2500000"),
    TapRow(1_000, 500, 1_000, 1_000, says: "1000000 2 3500000"),
  ]

  /// The estimate is 500 ms; a tap in the 500 ms after the last is odd.
  private static let ghosts = [
    TapRow(500, 500, 60, 440, says: "500000 3 1500000"),
    TapRow(500, 60, 440, says: "500000 2 1000000"),
    TapRow(500, 500, 60, 59, 381, says: "500000 3 1500000"),
    TapRow(500, 500, 186, 314, says: "500000 3 1500000"),
    TapRow(500, 500, 187, 313, says: "500000 3 1500000"),
    TapRow(500, 500, 188, 312, says: nil),
    TapRow(500, 500, 188, 312, 500, says: "500000 4 2000000"),
    TapRow(500, 500, 179, 300, says: "493700 3 1485300"),
    TapRow(500, 500, 180, 300, says: nil),
    TapRow(500, 500, 225, 275, 500, says: "500000 4 2000000"),
    TapRow(500, 500, 225, 275, 399, says: nil),
    TapRow(500, 500, 225, 275, 400, says: "480000 4 1940000"),
    TapRow(500, 500, 225, 275, 600, says: "520000 4 2060000"),
    TapRow(500, 500, 225, 275, 601, says: "293214 3 2097357"),
    TapRow(500, 500, 225, 275, 1_000, says: "500000 5 2500000"),
    // A fifth of a beat before and after one beat, and two.
    TapRow(500, 500, 60, 339, says: nil),
    TapRow(500, 500, 60, 340, says: "470000 3 1430000"),
    TapRow(500, 500, 60, 540, says: "530000 3 1570000"),
    TapRow(500, 500, 60, 541, says: nil),
    TapRow(500, 500, 60, 839, says: nil),
    TapRow(500, 500, 60, 840, says: "474286 4 1917143"),
    TapRow(500, 500, 60, 940, says: "500000 4 2000000"),
    TapRow(500, 500, 60, 1_040, says: "525714 4 2082857"),
    TapRow(500, 500, 60, 1_041, says: nil),
    // Late: the odd tap comes before the beat that follows a missed one.
    TapRow(500, 500, 800, 200, says: "500000 4 2000000"),
    // With one beat missed before, what is missed after is a slower tempo.
    TapRow(500, 500, 1_000, 60, 940, says: "1000000 2 3000000"),
    // What follows is no beat of the old run: it is forgotten.
    TapRow(500, 500, 60, 250, 250, says: "250000 2 1560000"),
    TapRow(500, 500, 60, 700, 240, says: nil),
  ]

  private static let quicker = [
    TapRow(1_000, 1_000, 500, 500, says: nil),
    TapRow(1_000, 1_000, 500, 500, 500, says: "500000 2 3500000"),
    TapRow(750, 750, 300, 300, says: nil),
    TapRow(750, 750, 300, 300, 300, says: "300000 2 2400000"),
    TapRow(500, 500, 299, 299, 299, says: "299000 2 1897000"),
    TapRow(500, 500, 188, 312, 436, says: "374000 2 1915333"),
    TapRow(500, 500, 188, 312, 437, says: "487400 4 1962200"),
    TapRow(1_000, 1_000, 500, 500, 1_000, says: "1000000 4 4000000"),
    TapRow(1_000, 1_000, 500, 500, 250, says: "250000 3 3250000"),
    // As like as they are, such intervals are too long to begin with: only the next tap says that one was two beats.
    TapRow(2_800, 2_800, 5_600, 5_600, 2_800, 2_850, says: nil),
    TapRow(2_800, 2_800, 5_600, 5_600, 2_800, 2_850, 1_425, says: "1425000 3 23875000"),
  ]

  @Test(arguments: slower + ghosts + quicker)
  func whatTheTapsSay(row: TapRow) { #expect(row.said == row.expected) }

  /// The tempo before, and how the period after it is to it, in hundredths.
  private static let changes: [(Int, Int)] = [60, 100, 160, 400].flatMap { bpm in
    (30...330).map { (bpm, $0) }
  }

  @Test func eightTapsMakeAnyOtherTempo() {
    for (bpm, percent) in TapChangeTests.changes {
      let old = Int64(60_000_000_000 / bpm)
      let new = old * Int64(percent) / 100
      guard new >= TapTempo.closest.count, new <= TapTempo.longestFirst.count else { continue }
      for count in [2, 3, 8] as [Int64] {
        var (taps, now) = (TapTempo(), Instant.zero)
        for _ in 0..<count {
          _ = taps.take(now)
          now = now + Nanoseconds(old)
        }
        now = now + Nanoseconds(new - old)
        var estimate: TapTempo.Estimate?
        for _ in 0..<8 {
          estimate = taps.take(now)
          now = now + Nanoseconds(new)
        }
        let error = estimate.map { abs($0.period / Double(new) - 1) } ?? .infinity
        #expect(error <= 0.01, "\(count) taps at \(bpm) BPM, then 8 of \(percent) % of the interval")
      }
    }
  }
}
