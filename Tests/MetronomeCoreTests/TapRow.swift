import MetronomeCore
import Testing

/// Taps at the given intervals in milliseconds, and the estimate after the last tap: the period in microseconds, the number of
/// the beat, and the estimated time of the tap in microseconds since the first tap.
struct TapRow: Sendable, CustomTestStringConvertible {
  var intervals: [Int64]
  var expected: String?

  init(_ intervals: Int64..., gives expected: String?) {
    self.intervals = intervals
    self.expected = expected
  }

  var testDescription: String { intervals.map { "\($0)" }.joined(separator: " ") }

  /// The actual estimate.
  var actual: String? {
    var taps = TapTempo()
    var now = Instant(nanoseconds: 7_000_000_001)
    let first = now
    var estimate = taps.add(now)
    for interval in intervals {
      now = now + .milliseconds(interval)
      estimate = taps.add(now)
    }
    return estimate.map { estimate in
      let place = ((estimate.instant - first).count + 500) / 1_000
      return "\(Int((estimate.period / 1_000).rounded())) \(estimate.beats) \(place)"
    }
  }
}
