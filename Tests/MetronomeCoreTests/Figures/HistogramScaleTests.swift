import MetronomeCore
import Testing

@Suite struct HistogramScaleTests {
  @Test func bucketsContainTheirBoundsAndAreContiguous() {
    for index in 0..<HistogramScale.count {
      let (low, high) = (HistogramScale.lowerBound(of: index), HistogramScale.upperBound(of: index))
      #expect(HistogramScale.index(of: low) == index)
      #expect(HistogramScale.index(of: high) == index)
      if index > 0 { #expect(HistogramScale.index(of: low - Nanoseconds(1)) == index - 1) }
      if index < HistogramScale.count - 1 { #expect(HistogramScale.index(of: high + Nanoseconds(1)) == index + 1) }
    }
  }

  @Test func bucketWidthIsAtMostA64thOfItsValues() {
    for index in 0..<HistogramScale.count {
      let (low, high) = (HistogramScale.lowerBound(of: index), HistogramScale.upperBound(of: index))
      #expect((high - low).count * 64 < max(low.count, 1))
    }
  }

  @Test func scaleCoversZeroToItsEnd() {
    #expect(HistogramScale.count == 1_984)
    #expect(HistogramScale.end == Nanoseconds(68_719_476_736))
    #expect(HistogramScale.lowerBound(of: 0) == .zero)
    #expect(HistogramScale.upperBound(of: HistogramScale.count - 1) == HistogramScale.end - Nanoseconds(1))
  }

  /// Known durations fall into the buckets that were computed by hand. 127 ns has its own bucket; 128 and 129 ns share a
  /// bucket; the octave of a millisecond begins at 2^19 ns.
  @Test(arguments: [
    (0, 0), (1, 1), (63, 63), (64, 64), (127, 127), (128, 128), (129, 128), (130, 129), (255, 191), (256, 192),
    (524_288, 896), (1_000_000, 896 + 58), (68_719_476_735, 1_983),
  ])
  func knownDurationsFallIntoTheirBuckets(count: Int64, index: Int) {
    #expect(HistogramScale.index(of: Nanoseconds(count)) == index)
  }

  @Test func outOfRangeDurationsGoIntoTheFirstOrLastBucket() {
    #expect(HistogramScale.index(of: Nanoseconds(-1)) == 0)
    #expect(HistogramScale.index(of: Nanoseconds(.min)) == 0)
    #expect(HistogramScale.index(of: HistogramScale.end) == HistogramScale.count - 1)
    #expect(HistogramScale.index(of: Nanoseconds(.max)) == HistogramScale.count - 1)
  }
}
