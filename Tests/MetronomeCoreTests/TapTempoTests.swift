import MetronomeCore
import Testing

@Suite struct TapTempoTests {
  /// Only halves and more are rounded up. Three taps give exactly 187.5 BPM, which is rounded up. For three other taps, the
  /// fraction of a thousandth of a BPM is less than one half by the smallest possible amount. Their period is derived from
  /// 4D + 1 = 137 · 1307 · 5361361339, where D is 240·10¹².
  @Test func onlyHalvesAndAboveAreRoundedUp() {
    func tempo(_ instants: Int64..., in signature: Signature, rounds: Bool) -> Tempo? {
      var taps = TapTempo()
      let estimates = instants.compactMap { taps.add(Instant(nanoseconds: $0)) }
      return estimates.last?.tempo(in: Metre(signature), rounds: rounds)
    }
    let half = tempo(0, 320_000_000, 640_000_000, in: .initial, rounds: true)
    #expect(half == Tempo(bpm: 188))
    let less = tempo(0, 2_700_000_000, 5_361_361_339, in: Signature(4, 1), rounds: false)
    #expect(less == Tempo(milliBPM: 89_529))
  }

  private static let steady = [
    TapRow(gives: nil),
    TapRow(500, gives: nil),
    TapRow(500, 500, gives: "500000 2 1000000"),
    TapRow(500, 500, 500, gives: "500000 3 1500000"),
    TapRow(500, 500, 530, gives: "509000 3 1521000"),
    TapRow(480, 520, 500, gives: "502000 3 1498000"),
  ]

  /// One tap registers twice.
  private static let doubles = [
    TapRow(500, 500, 59, gives: nil),
    TapRow(500, 500, 59, 441, gives: "500000 3 1500000"),
    TapRow(500, 500, 60, gives: nil),
    TapRow(59, 441, 500, gives: "500000 2 1000000"),
    TapRow(500, 30, 29, 441, gives: "500000 2 1000000"),
    TapRow(100, 100, 59, gives: nil),
    TapRow(100, 100, 60, gives: "88000 3 272000"),
  ]

  /// The estimate is 500 ms, after three taps.
  private static let fifths = [
    TapRow(500, 500, 299, gives: nil),
    TapRow(500, 500, 299, 299, 299, gives: "299000 2 1897000"),
    TapRow(500, 500, 300, gives: "440000 3 1360000"),
    TapRow(500, 500, 301, gives: "440300 3 1360700"),
    TapRow(500, 500, 699, gives: "559700 3 1639300"),
    TapRow(500, 500, 700, gives: "560000 3 1640000"),
    TapRow(500, 500, 701, gives: nil),
    TapRow(500, 500, 899, gives: nil),
    TapRow(500, 500, 900, gives: "474286 4 1917143"),
    TapRow(500, 500, 901, gives: "474543 4 1917971"),
    TapRow(500, 500, 1_000, gives: "500000 4 2000000"),
    TapRow(500, 500, 1_099, gives: "525457 4 2082029"),
    TapRow(500, 500, 1_100, gives: "525714 4 2082857"),
    TapRow(500, 500, 1_101, gives: nil),
    TapRow(500, 500, 1_500, gives: nil),
  ]

  /// The estimate is a single interval of 500 ms.
  private static let seconds = [
    TapRow(500, 227, gives: nil),
    TapRow(500, 228, gives: "243714 3 734286"),
    TapRow(500, 250, gives: "250000 3 750000"),
    TapRow(500, 277, gives: "257714 3 769286"),
    TapRow(500, 278, gives: nil),
    TapRow(500, 299, gives: nil),
    TapRow(500, 300, gives: "400000 2 833333"),
    TapRow(500, 700, gives: "600000 2 1166667"),
    TapRow(500, 701, gives: nil),
    TapRow(500, 899, gives: nil),
    TapRow(500, 900, gives: "464286 3 1407143"),
    TapRow(500, 1_100, gives: "535714 3 1592857"),
    TapRow(500, 1_101, gives: nil),
  ]

  private static let firsts = [
    TapRow(2_799, 2_799, gives: "2799000 2 5598000"),
    TapRow(2_800, 2_800, gives: "2800000 2 5600000"),
    TapRow(2_801, 2_801, gives: nil),
    TapRow(2_801, 2_800, 2_800, gives: "2800000 2 8401000"),
    TapRow(2_801, 1_273, gives: nil),
    TapRow(2_801, 1_274, gives: "1364357 3 4111143"),
    TapRow(2_801, 1_400, gives: "1400357 3 4201143"),
    TapRow(2_801, 1_556, gives: "1444929 3 4312571"),
    TapRow(2_801, 1_557, gives: nil),
    TapRow(4_000, 2_000, 2_000, gives: "2000000 4 8000000"),
    TapRow(6_160, 2_800, gives: "3000000 3 9040000"),
    TapRow(5_602, 2_801, gives: nil),
    TapRow(5_602, 2_801, 1_400, gives: "1400357 3 9803143"),
    TapRow(4_000, 3_000, 2_000, gives: nil),
    TapRow(2_800, 3_920, gives: "3360000 2 6533333"),
    TapRow(2_800, 3_921, gives: nil),
  ]

  private static let windows = [
    TapRow(600, 500, 500, 500, 500, 500, 500, gives: "508333 7 3616667"),
    TapRow(600, 500, 500, 500, 500, 500, 500, 500, gives: "500000 8 4100000"),
    TapRow(600, 1_100, 500, 500, 500, 500, 500, gives: "521171 8 4241892"),
  ]

  @Test(arguments: steady + doubles + fifths + seconds + firsts + windows)
  func tapsGiveTheExpectedEstimate(row: TapRow) { #expect(row.actual == row.expected) }

  @Test func resetDiscardsTheRun() {
    var taps = TapTempo()
    for tap in 0..<5 as Range<Int64> { _ = taps.add(.zero + .milliseconds(500 * tap)) }
    taps = TapTempo()
    #expect(taps == TapTempo())
    #expect(taps.add(.zero + .milliseconds(2_500)) == nil)
    #expect(taps.add(.zero + .milliseconds(3_000)) == nil)
    #expect(taps.add(.zero + .milliseconds(3_500))?.period == 500_000_000)
  }

  @Test func resetAlsoDiscardsTheAlternativeRun() {
    var taps = TapTempo()
    for tap in [0, 500, 1_000, 1_100] as [Int64] { _ = taps.add(.zero + .milliseconds(tap)) }
    taps = TapTempo()
    #expect(taps == TapTempo())
  }

  @Test func tapBeforeTheLastOneIsIgnored() {
    var taps = TapTempo()
    for tap in [500, 1_000, 900] as [Int64] { _ = taps.add(.zero + .milliseconds(tap)) }
    #expect(taps.add(.zero + .milliseconds(1_500))?.period == 500_000_000)
  }

  /// The interval of the taps in milliseconds, the signature, and the tempo, rounded and unrounded.
  private static let tempi: [(Int64, Signature, String, String)] = [
    (500, Signature(4, over: 4, limit: .none)!, "120 BPM", "120 BPM"),
    (500, Signature(6, over: 8, limit: .none)!, "60 BPM", "60 BPM"),
    (500, Signature(3, over: 2, limit: .none)!, "240 BPM", "240 BPM"),
    (507, Signature(4, over: 4, limit: .none)!, "118 BPM", "118.343 BPM"),
    (506, Signature(4, over: 4, limit: .none)!, "119 BPM", "118.577 BPM"),
    (2_800, Signature(4, over: 32, limit: .none)!, "3 BPM", "2.679 BPM"),
    (60, Signature(4, over: 4, limit: .none)!, "999 BPM", "999 BPM"),
    (100, Signature(1, over: 1, limit: .none)!, "999 BPM", "999 BPM"),
  ]

  @Test(arguments: tempi)
  func tapsCountAsNotesOfTheDenominator(milliseconds: Int64, signature: Signature, rounded: String, exact: String) {
    var taps = TapTempo()
    for tap in 0...1 as ClosedRange<Int64> { _ = taps.add(.zero + .milliseconds(milliseconds * tap)) }
    let estimate = taps.add(.zero + .milliseconds(milliseconds * 2))!
    #expect(estimate.tempo(in: Metre(signature), rounds: true).description == rounded)
    #expect(estimate.tempo(in: Metre(signature), rounds: false).description == exact)
  }

  /// Taps may be centuries apart. Each interval is longer than the last, but within the tolerance of the estimate, up to the
  /// largest instant.
  @Test func tapsMayBeCenturiesApart() {
    var taps = TapTempo()
    var (now, interval) = (Int64(0), Int64(500_000_000))
    _ = taps.add(.zero)
    var estimate: TapTempo.Estimate?
    while now < Int64.max / 4 {
      now += interval
      estimate = taps.add(Instant(nanoseconds: now))
      interval += interval / 16
    }
    #expect(estimate?.tempo(in: Metre(.initial), rounds: true) == Tempo(bpm: 1)!)
    #expect(taps.add(Instant(nanoseconds: .max)) == nil)
  }
}
