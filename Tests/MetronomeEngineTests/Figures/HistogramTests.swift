import MetronomeCore
import MetronomeEngine
import Testing

@Suite struct HistogramTests {
  /// A histogram that tasks can share.
  private final class Shared: Sendable { let histogram = Histogram() }

  @Test func emptyHistogramHasAnEmptySnapshot() {
    let histogram = Histogram()
    #expect(histogram.snapshot() == HistogramSnapshot())
  }

  @Test func snapshotHoldsTheRecordedDurations() {
    let histogram = Histogram()
    var expected = HistogramSnapshot()
    let scale = (0..<HistogramScale.count).flatMap {
      [HistogramScale.lowerBound(of: $0), HistogramScale.upperBound(of: $0)]
    }
    let beside = [Nanoseconds(-1), Nanoseconds(.min), HistogramScale.end, Nanoseconds(.max)]
    for duration in scale.reversed() + beside {
      histogram.record(duration)
      expected.record(duration)
    }
    let snapshot = histogram.snapshot()
    #expect(snapshot == expected)
    #expect(snapshot.count == UInt64(2 * HistogramScale.count + 4))
  }

  @Test func concurrentSnapshotIsConsistent() async {
    let shared = Shared()
    let last: UInt64 = 200_000
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for number in 1...Int64(last) {
          shared.histogram.record(Nanoseconds(number.isMultiple(of: 3) ? -number : number))
        }
      }
      group.addTask {
        var before = HistogramSnapshot()
        while before.count < last {
          let snapshot = shared.histogram.snapshot()
          #expect(snapshot.count >= before.count)
          #expect(snapshot.countBelowZero >= before.countBelowZero && snapshot.countBelowZero <= snapshot.count)
          let (low, high) = (snapshot.shortest ?? .zero, snapshot.longest ?? .zero)
          let isWithin = snapshot.buckets.allSatisfy {
            $0.bounds.upperBound >= low && $0.bounds.lowerBound <= max(high, .zero)
          }
          #expect(isWithin)
          before = snapshot
        }
        // The last snapshot may have missed durations below zero that were recorded while it was taken.
        let whole = shared.histogram.snapshot()
        #expect(whole.countBelowZero == last / 3)
        #expect(whole.longest == Nanoseconds(Int64(last)))
      }
    }
  }
}
