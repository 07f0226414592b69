/// The buckets of a histogram of durations.
///
/// Log-linear, as in HdrHistogram: one bucket per nanosecond up to 128 ns, then 64 buckets of equal width per octave up to
/// 2^36 ns (68.7 s). Durations below zero go into the first bucket, durations beyond the scale into the last.
public enum HistogramScale {
  /// Buckets per octave, in bits.
  private static let bits = 6
  private static let perOctave = 1 << bits
  /// The end of the scale, in bits.
  private static let reach = 36

  public static let count = (reach - bits + 1) * perOctave

  /// The shortest duration that is beyond the scale.
  public static let end = Nanoseconds(1 << reach)

  public static func index(of duration: Nanoseconds) -> Int {
    let value = UInt64(max(duration.count, 0))
    guard value < UInt64(end.count) else { return count - 1 }
    let octave = max(0, Int64.bitWidth - 1 - bits - value.leadingZeroBitCount)
    return octave * perOctave + Int(truncatingIfNeeded: value >> UInt64(octave))
  }

  /// The shortest duration of a bucket.
  public static func lowerBound(of index: Int) -> Nanoseconds {
    guard index >= perOctave else { return Nanoseconds(Int64(index)) }
    let octave = index / perOctave - 1
    return Nanoseconds(Int64(perOctave + index % perOctave) << Int64(octave))
  }

  /// The longest duration of a bucket; for the last bucket, the longest on the scale.
  public static func upperBound(of index: Int) -> Nanoseconds { lowerBound(of: index + 1) - Nanoseconds(1) }
}

/// A histogram of durations in the buckets of ``HistogramScale``. Quantiles are less than 1/64 too long. The counts, the
/// shortest and the longest duration are exact.
public struct HistogramSnapshot: Hashable, Sendable {
  public struct Bucket: Hashable, Sendable {
    /// The first bucket also counts durations below zero, the last bucket durations beyond the scale.
    public var bounds: ClosedRange<Nanoseconds>
    public var count: UInt64
  }

  public private(set) var count: UInt64 = 0
  /// The number of durations below zero. They count as zero in the quantiles.
  public private(set) var countBelowZero: UInt64 = 0
  /// The shortest duration; nil, like ``longest``, if the histogram is empty.
  public private(set) var shortest: Nanoseconds?
  public private(set) var longest: Nanoseconds?
  private var counts: [UInt64]

  public init() { counts = [UInt64](repeating: 0, count: HistogramScale.count) }

  /// `bounds` are the shortest and the longest duration; nil if all counts are 0.
  package init(counts: [UInt64], belowZero: UInt64, bounds: ClosedRange<Nanoseconds>?) {
    precondition(counts.count == HistogramScale.count, "one count per bucket is required")
    self.counts = counts
    count = counts.reduce(0, &+)
    countBelowZero = belowZero
    shortest = bounds?.lowerBound
    longest = bounds?.upperBound
  }

  public mutating func record(_ duration: Nanoseconds) {
    counts[HistogramScale.index(of: duration)] &+= 1
    count &+= 1
    if duration < .zero { countBelowZero &+= 1 }
    extend(duration, duration)
  }

  public mutating func merge(_ other: HistogramSnapshot) {
    guard let low = other.shortest, let high = other.longest else { return }
    for index in counts.indices { counts[index] &+= other.counts[index] }
    count &+= other.count
    countBelowZero &+= other.countBelowZero
    extend(low, high)
  }

  private mutating func extend(_ low: Nanoseconds, _ high: Nanoseconds) {
    shortest = min(shortest ?? low, low)
    longest = max(longest ?? high, high)
  }

  /// The quantile of a share from 0 to 1, rounded to millionths: 0.5 gives the median. nil if the histogram is empty.
  ///
  /// The result is never below the true value, and less than 1/64 above it. The longest duration is exact; it also stands for
  /// all durations beyond the scale.
  public func quantile(_ share: Double) -> Nanoseconds? {
    precondition(share >= 0 && share <= 1, "the share must be from 0 to 1")
    guard let longest, count > 0 else { return nil }
    var left = rank(UInt64((share * 1e6).rounded()))
    for index in counts.indices {
      guard left > counts[index] else {
        return index == counts.count - 1 ? longest : min(HistogramScale.upperBound(of: index), max(longest, .zero))
      }
      left -= counts[index]
    }
    return longest
  }

  /// The number of durations in a share, rounded up, at least 1. Uses integers, because floating point is inexact.
  private func rank(_ millionths: UInt64) -> UInt64 {
    let product = count.multipliedFullWidth(by: millionths)
    let (whole, rest) = UInt64(1_000_000).dividingFullWidth(product)
    return max(1, rest == 0 ? whole : whole + 1)
  }

  /// The non-empty buckets, the shortest durations first.
  public var buckets: [Bucket] {
    counts.indices.filter { counts[$0] > 0 }.map {
      Bucket(bounds: HistogramScale.lowerBound(of: $0)...HistogramScale.upperBound(of: $0), count: counts[$0])
    }
  }
}
