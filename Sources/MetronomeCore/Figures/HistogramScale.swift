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

  /// How many buckets there are.
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
