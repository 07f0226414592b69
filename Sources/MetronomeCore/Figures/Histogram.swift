/// Into which bucket of a histogram a duration falls.
///
/// Log-linear, as HdrHistogram's: one bucket a nanosecond up to 128 ns, then 64 buckets of equal width an octave up to
/// 2^36 ns, which is 68.7 s. A bucket is at most 1/64 as wide as any duration in it is long. What is below zero falls into the
/// first bucket, what is longer than the scale into the last.
public enum HistogramScale {
  /// Of the buckets of an octave, in bits.
  private static let bits = 6
  private static let perOctave = 1 << bits
  /// The shortest duration that the scale does not reach, in bits.
  private static let reach = 36

  public static let count = (reach - bits + 1) * perOctave

  /// The shortest duration that is beyond the scale.
  public static let end = Nanoseconds(1 << reach)

  /// The number of the bucket, from 0. A few instructions, no loop.
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

  /// The longest duration of a bucket; of the last one the longest on the scale.
  public static func upperBound(of index: Int) -> Nanoseconds { lowerBound(of: index + 1) - Nanoseconds(1) }
}

/// How often durations of each length were counted, in the buckets of ``HistogramScale``: a quantile is less than 1/64 too
/// long. Counts, the shortest and the longest duration are exact.
public struct HistogramSnapshot: Hashable, Sendable {
  public struct Bucket: Hashable, Sendable {
    /// The shortest and the longest duration that it takes in. The first one also takes in what is below zero, the last one
    /// what is beyond the scale.
    public var bounds: ClosedRange<Nanoseconds>
    public var count: UInt64
  }

  /// How many durations were counted.
  public private(set) var count: UInt64 = 0
  /// How many of them were below zero. They count as zero in the quantiles.
  public private(set) var countBelowZero: UInt64 = 0
  /// nil when there are none.
  public private(set) var shortest: Nanoseconds?
  /// nil when there are none.
  public private(set) var longest: Nanoseconds?
  private var counts: [UInt64]

  public init() { counts = [UInt64](repeating: 0, count: HistogramScale.count) }

  /// - Parameters:
  ///   - counts: one for each bucket of the scale.
  ///   - bounds: the shortest and the longest duration counted; nil: there are none.
  package init(counts: [UInt64], belowZero: UInt64, bounds: ClosedRange<Nanoseconds>?) {
    precondition(counts.count == HistogramScale.count, "a count for each bucket")
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
    take(duration, duration)
  }

  /// Counts all that another one has counted.
  public mutating func merge(_ other: HistogramSnapshot) {
    guard let low = other.shortest, let high = other.longest else { return }
    for index in counts.indices { counts[index] &+= other.counts[index] }
    count &+= other.count
    countBelowZero &+= other.countBelowZero
    take(low, high)
  }

  private mutating func take(_ low: Nanoseconds, _ high: Nanoseconds) {
    shortest = min(shortest ?? low, low)
    longest = max(longest ?? high, high)
  }

  /// The duration that a share of all does not exceed: 0.5 is the median.
  ///
  /// Never below the true one, less than 1/64 above it, exact for the longest. Beyond the scale it is the longest.
  ///
  /// - Parameter share: 0…1, in whole millionths. 0 is the shortest's bucket.
  /// - Returns: nil when nothing was counted.
  public func quantile(_ share: Double) -> Nanoseconds? {
    precondition(share >= 0 && share <= 1, "a share of all is 0…1")
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

  /// How many durations a share of all is, rounded up, and one at least: in whole numbers, as no fraction is exact.
  private func rank(_ millionths: UInt64) -> UInt64 {
    let product = count.multipliedFullWidth(by: millionths)
    let (whole, rest) = UInt64(1_000_000).dividingFullWidth(product)
    return max(1, rest == 0 ? whole : whole + 1)
  }

  /// The buckets that hold something, the shortest durations first.
  public var buckets: [Bucket] {
    counts.indices.filter { counts[$0] > 0 }.map { index in
      let bounds = HistogramScale.lowerBound(of: index)...HistogramScale.upperBound(of: index)
      return Bucket(bounds: bounds, count: counts[index])
    }
  }
}
