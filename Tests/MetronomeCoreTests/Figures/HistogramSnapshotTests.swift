import MetronomeCore
import TestSupport
import Testing

@Suite struct HistogramSnapshotTests {
  private func histogram(_ durations: [Int64]) -> HistogramSnapshot {
    durations.reduce(into: HistogramSnapshot()) { $0.record(Nanoseconds($1)) }
  }

  /// Durations of all magnitudes, about the same number in each octave.
  private func durations(_ number: Int, seed: UInt64) -> [Int64] {
    var random = Lehmer(seed: seed)
    return (0..<number).map { _ in
      let octave = random.below(36)
      return Int64(1) << Int64(octave) + Int64(random.below(1 << min(octave, 30)))
    }
  }

  private static let shares = [0, 0.001, 0.01, 0.1, 0.25, 0.5, 0.9, 0.99, 0.999, 0.999_999, 1]

  @Test func emptyHistogramHasNoQuantile() {
    let empty = HistogramSnapshot()
    #expect(empty.count == 0)
    #expect(empty.quantile(0.5) == nil)
    #expect(empty.shortest == nil)
    #expect(empty.longest == nil)
    #expect(empty.buckets.isEmpty)
  }

  @Test(arguments: [1, 2, 3, 10, 99, 100, 101, 1_000, 5_000])
  func quantilesMatchTheSortedDurations(number: Int) {
    for seed in 1...10 {
      let sorted = durations(number, seed: UInt64(seed)).sorted()
      let histogram = histogram(sorted.shuffled())
      for share in HistogramSnapshotTests.shares {
        let millionths = Int((share * 1e6).rounded())
        let exact = sorted[max(1, (number * millionths + 999_999) / 1_000_000) - 1]
        let result = histogram.quantile(share)!.count
        #expect(result >= exact && (result - exact) * 64 < max(exact, 1), "\(share) of \(number)")
      }
      #expect(histogram.quantile(1) == Nanoseconds(sorted.last!))
      #expect(histogram.shortest == Nanoseconds(sorted.first!))
      #expect(histogram.longest == Nanoseconds(sorted.last!))
      #expect(histogram.count == UInt64(number))
    }
  }

  @Test func quantilesOfShortDurationsAreExact() {
    let histogram = histogram(Array(1...100))
    #expect(histogram.quantile(0) == Nanoseconds(1))
    #expect(histogram.quantile(0.07) == Nanoseconds(7))
    #expect(histogram.quantile(0.5) == Nanoseconds(50))
    #expect(histogram.quantile(0.29) == Nanoseconds(29))
    #expect(histogram.quantile(0.99) == Nanoseconds(99))
    #expect(histogram.quantile(0.990_001) == Nanoseconds(100))
  }

  @Test func quantileIsItsBucketsUpperBoundLimitedToTheLongest() {
    let histogram = histogram([1_000_000, 1_000_000, 1_000_001])
    // 58 of the 64 buckets after 2^19 ns, each 8,192 ns wide.
    #expect(HistogramScale.upperBound(of: 954) == Nanoseconds(524_288 + 59 * 8_192 - 1))
    #expect(histogram.quantile(0.5) == Nanoseconds(1_000_001))
    let longer = self.histogram([1_000_000, 2_000_000])
    #expect(longer.quantile(0.5) == Nanoseconds(1_007_615))
  }

  @Test func negativeDurationsCountAsZero() {
    let histogram = histogram([-5, -1, 0, 1])
    #expect(histogram.count == 4)
    #expect(histogram.countBelowZero == 2)
    #expect(histogram.shortest == Nanoseconds(-5))
    #expect(histogram.quantile(0.5) == .zero)
    #expect(histogram.quantile(1) == Nanoseconds(1))
    #expect(self.histogram([-5]).quantile(1) == .zero)
    #expect(self.histogram([-5]).longest == Nanoseconds(-5))
  }

  @Test func durationsBeyondTheScaleCountInTheLastBucket() {
    let histogram = histogram([1, 100_000_000_000, .max])
    #expect(histogram.buckets.count == 2)
    #expect(histogram.buckets.last?.count == 2)
    #expect(histogram.longest == Nanoseconds(.max))
    #expect(histogram.quantile(0.5) == Nanoseconds(.max))
    #expect(histogram.quantile(0.3) == Nanoseconds(1))
  }

  @Test func bucketCountsAddUpToTheTotal() {
    let durations = durations(2_000, seed: 3)
    let buckets = histogram(durations).buckets
    #expect(buckets.map(\.count).reduce(0, +) == 2_000)
    for bucket in buckets {
      let inside = durations.filter { bucket.bounds.contains(Nanoseconds($0)) }
      #expect(inside.count == Int(bucket.count))
    }
    #expect(buckets.map(\.bounds.lowerBound) == buckets.map(\.bounds.lowerBound).sorted())
  }

  @Test func mergingEqualsCountingAllInOne() {
    let all = durations(3_000, seed: 8) + [-7, .max]
    var merged = histogram(Array(all[..<1_000]))
    merged.merge(histogram(Array(all[1_000...])))
    #expect(merged == histogram(all))
    merged.merge(HistogramSnapshot())
    #expect(merged == histogram(all))
    var empty = HistogramSnapshot()
    empty.merge(merged)
    #expect(empty == merged)
  }

  /// The ranks of huge counts do not overflow: the counts are far higher than those of thirty years of beats at 300 BPM.
  @Test func ranksOfHugeCountsDoNotOverflow() {
    var counts = [UInt64](repeating: 0, count: HistogramScale.count)
    counts[10] = 1 << 62
    counts[20] = 1 << 62
    let bounds = Nanoseconds(10)...Nanoseconds(20)
    let histogram = HistogramSnapshot(counts: counts, belowZero: 0, bounds: bounds)
    #expect(histogram.count == 1 << 63)
    #expect(histogram.quantile(0.5) == Nanoseconds(10))
    #expect(histogram.quantile(0.500_001) == Nanoseconds(20))
  }
}
