import RealModule

/// Brings a sound to another rate: a windowed sinc, with what the lower of the two rates cannot hold 90 dB down.
///
/// Takes its time and allocates: for the start of the program. What would sound before the sound's first frame is cut off,
/// because that frame is the beat.
public struct Resampler: Sendable {
  /// Zero crossings of the sinc on each side.
  private static let crossings = 48
  /// Places of the kernel that are known between two crossings; those between are interpolated, right to 115 dB.
  private static let places = 1_024
  /// For 95 dB.
  private static let beta = 9.5
  /// The cutoff, as a part of half the lower rate, with which the stopband begins there.
  private static let cutoff = 0.934

  private let from: Int
  private let to: Int
  /// One side of the kernel, ``places`` for each frame of the lower rate.
  private let kernel: [Double]

  /// - Parameters:
  ///   - from: the sound's rate in frames a second.
  ///   - to: the rate that it is to have.
  public init(from: Int, to: Int) {
    self.from = from
    self.to = to
    guard from != to else {
      kernel = []
      return
    }
    let window = KaiserWindow(beta: Resampler.beta)
    let count = Resampler.crossings * Resampler.places
    kernel = (0...count + 1).map { index in
      let x = Double(index) / Double(Resampler.places)
      let angle = .pi * Resampler.cutoff * x
      let sinc = index == 0 ? 1 : Double.sin(angle) / angle
      return Resampler.cutoff * sinc * window.value(at: x / Double(Resampler.crossings))
    }
  }

  /// The sound at the new rate; untouched where the rates are equal.
  public func resampled(_ samples: [Float]) -> [Float] {
    guard from != to, !samples.isEmpty else { return samples }
    // The kernel is as wide as the lower rate asks for, counted in frames of the old one.
    let scale = min(1, Double(to) / Double(from))
    let reach = Int((Double(Resampler.crossings) / scale).rounded(.up))
    let count = ((samples.count + reach) * to + from - 1) / from
    return samples.withUnsafeBufferPointer { samples in
      kernel.withUnsafeBufferPointer { kernel in
        (0..<count).map { frame in
          let (whole, rest) = (frame * from).quotientAndRemainder(dividingBy: to)
          let fraction = Double(rest) / Double(to)
          var sum = 0.0
          for n in max(0, whole - reach)..<max(0, min(samples.count, whole + reach + 2)) {
            let place = ((Double(whole - n) + fraction) * scale).magnitude * Double(Resampler.places)
            let index = Int(place)
            guard index <= Resampler.crossings * Resampler.places else { continue }
            let weight = kernel[index] + (kernel[index + 1] - kernel[index]) * (place - Double(index))
            sum += Double(samples[n]) * weight
          }
          return Float(sum * scale)
        }
      }
    }
  }
}
