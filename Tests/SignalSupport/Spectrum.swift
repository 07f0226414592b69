import Foundation

/// Returns the magnitudes of a sound's spectrum at frequencies that are given as fractions of the sample rate.
public func spectrum(_ samples: [Float], at frequencies: [Double]) -> [Double] {
  frequencies.map { frequency in
    let (stepSine, stepCosine) = (sin(2 * .pi * frequency), cos(2 * .pi * frequency))
    var (sine, cosine) = (0.0, 1.0)
    var (real, imaginary) = (0.0, 0.0)
    for sample in samples {
      real += Double(sample) * cosine
      imaginary += Double(sample) * sine
      (sine, cosine) = (sine * stepCosine + cosine * stepSine, cosine * stepCosine - sine * stepSine)
    }
    return (real * real + imaginary * imaginary).squareRoot()
  }
}

/// The highest level above a frequency, and the level at DC, in decibels relative to the highest level of all.
public struct Levels {
  public let above: Double
  public let direct: Double

  /// - Parameter frequency: the frequency as a fraction of the sample rate.
  public init(_ samples: [Float], above frequency: Double) {
    let frequencies = (0...500).map { Double($0) / 1_000 }
    let levels = spectrum(samples, at: frequencies)
    let highest = levels.max()!
    above = 20 * log10(zip(frequencies, levels).filter { $0.0 >= frequency }.map(\.1).max()! / highest)
    direct = 20 * log10(levels[0] / highest)
  }
}

/// Returns a sound that is delayed by a fraction of a frame, computed exactly as the sum of the sincs that its samples
/// represent.
///
/// - Parameter range: the frames to compute; frames before the first have negative numbers.
public func ideallyDelayed(_ samples: [Float], by fraction: Double, frames range: Range<Int>) -> [Double] {
  if fraction == 0 { return range.map { samples.indices.contains($0) ? Double(samples[$0]) : 0 } }
  let sine = sin(.pi * fraction) / .pi
  return samples.withUnsafeBufferPointer { samples in
    range.map { frame in
      var sum = 0.0
      var sign: Double = frame & 1 == 0 ? -1 : 1
      var distance = Double(frame) - fraction
      for sample in samples {
        sum += sign * Double(sample) / distance
        sign = -sign
        distance -= 1
      }
      return sum * sine
    }
  }
}
