import MetronomeCore
import Testing

/// Taps that follow each other after so many milliseconds, and what the last one says: the microseconds from beat to
/// beat, the number of its beat, and where in the run's time it would have fallen, in microseconds since the first tap.
struct TapRow: Sendable, CustomTestStringConvertible {
  var intervals: [Int64]
  var expected: String?

  init(_ intervals: Int64..., says expected: String?) {
    self.intervals = intervals
    self.expected = expected
  }

  var testDescription: String { intervals.map { "\($0)" }.joined(separator: " ") }

  /// What the taps do say.
  var said: String? {
    var taps = TapTempo()
    var now = Instant(nanoseconds: 7_000_000_001)
    let first = now
    var estimate = taps.take(now)
    for interval in intervals {
      now = now + .milliseconds(interval)
      estimate = taps.take(now)
    }
    return estimate.map { estimate in
      let place = ((estimate.instant - first).count + 500) / 1_000
      return "\(Int((estimate.period / 1_000).rounded())) \(estimate.beats) \(place)"
    }
  }
}
