import MetronomeCore
import Testing

@Suite struct TapTempoTests {
  /// Taps that follow each other after so many milliseconds, and what the last one says: the microseconds from beat to
  /// beat, the number of its beat, and where in the run's time it would have fallen, in microseconds since the first tap.
  struct Row: Sendable, CustomTestStringConvertible {
    var intervals: [Int64]
    var expected: String?

    init(_ intervals: Int64..., says expected: String?) {
      self.intervals = intervals
      self.expected = expected
    }

    var testDescription: String { intervals.map { "\($0)" }.joined(separator: " ") }
  }

  private static let steady = [
    Row(says: nil),
    Row(500, says: nil),
    Row(500, 500, says: "500000 2 1000000"),
    Row(500, 500, 500, says: "500000 3 1500000"),
    Row(500, 500, 530, says: "509000 3 1521000"),
    Row(480, 520, 500, says: "502000 3 1498000"),
  ]

  private static let doubles = [
    Row(500, 500, 59, says: nil),
    Row(500, 500, 59, 441, says: "500000 3 1500000"),
    Row(500, 500, 60, 440, says: nil),
    Row(500, 500, 61, 439, says: nil),
    Row(500, 500, 60, 500, 500, says: "500000 2 2060000"),
    Row(59, 441, 500, says: "500000 2 1000000"),
    Row(500, 30, 29, 441, says: "500000 2 1000000"),
    Row(100, 100, 59, says: nil),
    Row(100, 100, 60, says: "88000 3 272000"),
  ]

  /// The estimate is 500 ms; three taps lie before.
  private static let fifths = [
    Row(500, 500, 299, says: nil),
    Row(500, 500, 299, 299, 299, says: "299000 2 1897000"),
    Row(500, 500, 300, says: "440000 3 1360000"),
    Row(500, 500, 301, says: "440300 3 1360700"),
    Row(500, 500, 699, says: "559700 3 1639300"),
    Row(500, 500, 700, says: "560000 3 1640000"),
    Row(500, 500, 701, says: nil),
    Row(500, 500, 799, says: nil),
    Row(500, 500, 800, says: "448571 4 1834286"),
    Row(500, 500, 1_000, says: "500000 4 2000000"),
    Row(500, 500, 1_200, says: "551429 4 2165714"),
    Row(500, 500, 1_201, says: nil),
    Row(500, 500, 1_500, says: nil),
  ]

  /// The estimate is an interval of 500 ms.
  private static let seconds = [
    Row(500, 208, says: nil),
    Row(500, 209, says: "238286 3 720714"),
    Row(500, 250, says: "250000 3 750000"),
    Row(500, 299, says: "264000 3 785000"),
    Row(500, 300, says: "400000 2 833333"),
    Row(500, 700, says: "600000 2 1166667"),
    Row(500, 701, says: nil),
    Row(500, 799, says: nil),
    Row(500, 800, says: "428571 3 1314286"),
    Row(500, 1_200, says: "571429 3 1685714"),
    Row(500, 1_201, says: nil),
  ]

  private static let firsts = [
    Row(2_799, 2_799, says: "2799000 2 5598000"),
    Row(2_800, 2_800, says: "2800000 2 5600000"),
    Row(2_801, 2_801, says: nil),
    Row(2_801, 2_800, 2_800, says: "2800000 2 8401000"),
    Row(2_800, 3_920, says: "3360000 2 6533333"),
    Row(2_800, 3_921, says: nil),
  ]

  private static let windows = [
    Row(600, 500, 500, 500, 500, 500, 500, says: "508333 7 3616667"),
    Row(600, 500, 500, 500, 500, 500, 500, 500, says: "500000 8 4100000"),
    Row(600, 1_000, 500, 500, 500, 500, 500, says: "507658 8 4116216"),
  ]

  @Test(arguments: steady + doubles + fifths + seconds + firsts + windows)
  func whatTheTapsSay(row: Row) {
    var taps = TapTempo()
    var now = Instant(nanoseconds: 7_000_000_001)
    let first = now
    var estimate = taps.take(now)
    for interval in row.intervals {
      now = now + .milliseconds(interval)
      estimate = taps.take(now)
    }
    let said = estimate.map { estimate in
      let place = ((estimate.instant - first).count + 500) / 1_000
      return "\(Int((estimate.period / 1_000).rounded())) \(estimate.beats) \(place)"
    }
    #expect(said == row.expected)
  }

  @Test func theRunIsForgotten() {
    var taps = TapTempo()
    for tap in 0..<5 as Range<Int64> { _ = taps.take(.zero + .milliseconds(500 * tap)) }
    taps.reset()
    #expect(taps == TapTempo())
    #expect(taps.take(.zero + .milliseconds(2_500)) == nil)
    #expect(taps.take(.zero + .milliseconds(3_000)) == nil)
    #expect(taps.take(.zero + .milliseconds(3_500))?.period == 500_000_000)
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
