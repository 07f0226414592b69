import MetronomeCore
import Testing

@Suite struct TapTempoTests {
  /// Three taps are of 187.5 BPM to the nanosecond, which rounds up. Three others, of 4D + 1 = 137 · 1307 · 5361361339 where
  /// D is 240·10¹², fall short of half a thousandth by the least that there is.
  @Test func halvesAreRoundedUpAndNothingLess() {
    func tempo(_ instants: Int64..., in signature: Signature, rounds: Bool) -> Tempo? {
      var taps = TapTempo()
      let estimates = instants.compactMap { taps.take(Instant(nanoseconds: $0)) }
      return estimates.last?.tempo(in: signature, rounds: rounds)
    }
    let half = tempo(0, 320_000_000, 640_000_000, in: .initial, rounds: true)
    #expect(half == Tempo(bpm: 188))
    let less = tempo(0, 2_700_000_000, 5_361_361_339, in: Signature(4, 1), rounds: false)
    #expect(less == Tempo(milliBPM: 89_529))
  }

  private static let steady = [
    TapRow(says: nil),
    TapRow(500, says: nil),
    TapRow(500, 500, says: "500000 2 1000000"),
    TapRow(500, 500, 500, says: "500000 3 1500000"),
    TapRow(500, 500, 530, says: "509000 3 1521000"),
    TapRow(480, 520, 500, says: "502000 3 1498000"),
  ]

  private static let doubles = [
    TapRow(500, 500, 59, says: nil),
    TapRow(500, 500, 59, 441, says: "500000 3 1500000"),
    TapRow(500, 500, 60, says: nil),
    TapRow(59, 441, 500, says: "500000 2 1000000"),
    TapRow(500, 30, 29, 441, says: "500000 2 1000000"),
    TapRow(100, 100, 59, says: nil),
    TapRow(100, 100, 60, says: "88000 3 272000"),
  ]

  /// The estimate is 500 ms; three taps lie before.
  private static let fifths = [
    TapRow(500, 500, 299, says: nil),
    TapRow(500, 500, 299, 299, 299, says: "299000 2 1897000"),
    TapRow(500, 500, 300, says: "440000 3 1360000"),
    TapRow(500, 500, 301, says: "440300 3 1360700"),
    TapRow(500, 500, 699, says: "559700 3 1639300"),
    TapRow(500, 500, 700, says: "560000 3 1640000"),
    TapRow(500, 500, 701, says: nil),
    TapRow(500, 500, 899, says: nil),
    TapRow(500, 500, 900, says: "474286 4 1917143"),
    TapRow(500, 500, 901, says: "474543 4 1917971"),
    TapRow(500, 500, 1_000, says: "500000 4 2000000"),
    TapRow(500, 500, 1_099, says: "525457 4 2082029"),
    TapRow(500, 500, 1_100, says: "525714 4 2082857"),
    TapRow(500, 500, 1_101, says: nil),
    TapRow(500, 500, 1_500, says: nil),
  ]

  /// The estimate is an interval of 500 ms.
  private static let seconds = [
    TapRow(500, 227, says: nil),
    TapRow(500, 228, says: "243714 3 734286"),
    TapRow(500, 250, says: "250000 3 750000"),
    TapRow(500, 277, says: "257714 3 769286"),
    TapRow(500, 278, says: nil),
    TapRow(500, 299, says: nil),
    TapRow(500, 300, says: "400000 2 833333"),
    TapRow(500, 700, says: "600000 2 1166667"),
    TapRow(500, 701, says: nil),
    TapRow(500, 899, says: nil),
    TapRow(500, 900, says: "464286 3 1407143"),
    TapRow(500, 1_100, says: "535714 3 1592857"),
    TapRow(500, 1_101, says: nil),
  ]

  private static let firsts = [
    TapRow(2_799, 2_799, says: "2799000 2 5598000"),
    TapRow(2_800, 2_800, says: "2800000 2 5600000"),
    TapRow(2_801, 2_801, says: nil),
    TapRow(2_801, 2_800, 2_800, says: "2800000 2 8401000"),
    TapRow(2_801, 1_273, says: nil),
    TapRow(2_801, 1_274, says: "1364357 3 4111143"),
    TapRow(2_801, 1_400, says: "1400357 3 4201143"),
    TapRow(2_801, 1_556, says: "1444929 3 4312571"),
    TapRow(2_801, 1_557, says: nil),
    TapRow(4_000, 2_000, 2_000, says: "2000000 4 8000000"),
    TapRow(6_160, 2_800, says: "3000000 3 9040000"),
    TapRow(5_602, 2_801, says: nil),
    TapRow(5_602, 2_801, 1_400, says: "1400357 3 9803143"),
    TapRow(4_000, 3_000, 2_000, says: nil),
    TapRow(2_800, 3_920, says: "3360000 2 6533333"),
    TapRow(2_800, 3_921, says: nil),
  ]

  private static let windows = [
    TapRow(600, 500, 500, 500, 500, 500, 500, says: "508333 7 3616667"),
    TapRow(600, 500, 500, 500, 500, 500, 500, 500, says: "500000 8 4100000"),
    TapRow(600, 1_100, 500, 500, 500, 500, 500, says: "521171 8 4241892"),
  ]

  @Test(arguments: steady + doubles + fifths + seconds + firsts + windows)
  func whatTheTapsSay(row: TapRow) { #expect(row.said == row.expected) }

  @Test func theRunIsForgotten() {
    var taps = TapTempo()
    for tap in 0..<5 as Range<Int64> { _ = taps.take(.zero + .milliseconds(500 * tap)) }
    taps.reset()
    #expect(taps == TapTempo())
    #expect(taps.take(.zero + .milliseconds(2_500)) == nil)
    #expect(taps.take(.zero + .milliseconds(3_000)) == nil)
    #expect(taps.take(.zero + .milliseconds(3_500))?.period == 500_000_000)
  }

  @Test func theRunBesideIsForgottenToo() {
    var taps = TapTempo()
    for tap in [0, 500, 1_000, 1_100] as [Int64] { _ = taps.take(.zero + .milliseconds(tap)) }
    taps.reset()
    #expect(taps == TapTempo())
  }

  @Test func aTapFromBeforeTheLastIsNone() {
    var taps = TapTempo()
    for tap in [500, 1_000, 900] as [Int64] { _ = taps.take(.zero + .milliseconds(tap)) }
    #expect(taps.take(.zero + .milliseconds(1_500))?.period == 500_000_000)
  }

  /// Milliseconds from tap to tap, the signature, and the tempo rounded and not.
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
  func tappedAreNotesOfTheDenominator(milliseconds: Int64, signature: Signature, rounded: String, exact: String) {
    var taps = TapTempo()
    for tap in 0...1 as ClosedRange<Int64> { _ = taps.take(.zero + .milliseconds(milliseconds * tap)) }
    let estimate = taps.take(.zero + .milliseconds(milliseconds * 2))!
    #expect(estimate.tempo(in: signature, rounds: true).description == rounded)
    #expect(estimate.tempo(in: signature, rounds: false).description == exact)
  }

  /// Ever slower, always within reach of the estimate, to the end of time.
  @Test func tapsMayBeCenturiesApart() {
    var taps = TapTempo()
    var (now, interval) = (Int64(0), Int64(500_000_000))
    _ = taps.take(.zero)
    var estimate: TapTempo.Estimate?
    while now < Int64.max / 4 {
      now += interval
      estimate = taps.take(Instant(nanoseconds: now))
      interval += interval / 16
    }
    #expect(estimate?.tempo(in: .initial, rounds: true) == Tempo(bpm: 1)!)
    #expect(taps.take(Instant(nanoseconds: .max)) == nil)
  }
}
