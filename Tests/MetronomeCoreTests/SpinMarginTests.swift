import MetronomeCore
import Testing

/// How long before a deadline a thread is awake that has woken up late by so much.
@Suite struct SpinMarginTests {
  /// The margin after wake-ups that were late by so many nanoseconds.
  private func margin(after latenesses: [Int64]) -> Nanoseconds {
    var margin = SpinMargin()
    for lateness in latenesses { margin.record(Nanoseconds(lateness)) }
    return margin.length
  }

  @Test func beforeAnythingIsKnownItIsTheLongest() {
    #expect(margin(after: []) == .microseconds(200))
  }

  @Test func itIsAQuarterMoreThanTheLatenessAndFiveMicroseconds() {
    #expect(margin(after: [40_000]) == .microseconds(55))
    #expect(margin(after: [40_001]) == Nanoseconds(55_001))
  }

  @Test func itIsNeverShorterThanTenMicrosecondsNorLongerThanTwoHundred() {
    #expect(margin(after: [4_000]) == .microseconds(10))
    #expect(margin(after: [3_999]) == .microseconds(10))
    #expect(margin(after: [-80_000]) == .microseconds(10))
    #expect(margin(after: [155_999]) == Nanoseconds(199_998))
    #expect(margin(after: [156_001]) == .microseconds(200))
    #expect(margin(after: [Int64.max / 2]) == .microseconds(200))
  }

  /// Of less than 100 the largest counts, of less than 200 the second, of 256 the third: 99 in a hundred are not later.
  @Test(arguments: [(1, 1), (99, 1), (100, 2), (199, 2), (200, 3), (256, 3)])
  func oneInAHundredMayBeLater(count: Int, rank: Int) {
    let rising = (1...count).map { 20_000 + Int64($0) * 100 }
    let counted = rising[count - rank]
    let expected = Nanoseconds(counted + counted / 4 + 5_000)
    #expect(margin(after: rising) == expected)
    #expect(margin(after: rising.reversed()) == expected)
  }

  @Test func wakeUpsLongAgoAreForgotten() {
    let late = [Int64](repeating: 100_000, count: 256)
    let early = [Int64](repeating: 20_000, count: 253)
    #expect(margin(after: late + early) == .microseconds(130))
    #expect(margin(after: late + early + [20_000]) == .microseconds(30))
  }

  @Test func twoOutliersOf256ChangeNothing() {
    var latenesses = [Int64](repeating: 20_000, count: 254)
    latenesses.insert(9_000_000, at: 17)
    latenesses.insert(36_000_000, at: 200)
    #expect(margin(after: latenesses) == .microseconds(30))
  }
}
