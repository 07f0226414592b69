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

/// Places a sound between two frames: a windowed sinc that delays it by a fraction of a frame.
///
/// The delayed sound is `y[n] = Σ kernel[k] · x[n - k]`, over all taps, and begins ``leadIn`` frames before the frame that
/// its beginning belongs to. What lies below 0.44 times the rate comes out right to 103 dB, measured at all fractions;
/// above, the window takes away from it.
public enum FractionalDelay {
  public static let taps = 64
  /// How many frames before its onset's frame a delayed sound begins.
  public static let leadIn = taps / 2 - 1

  /// Found by measurement: 10 leaves 97 dB; 12 gains 8 dB more in the band and loses as much of what lies above it.
  private static let window = KaiserWindow(beta: 11)

  /// Computes the kernel of a delay. Allocates nothing; fit for the audio thread.
  ///
  /// - Parameters:
  ///   - fraction: of a frame, from 0, which changes nothing at all, up to but not including 1.
  ///   - kernel: of ``taps`` weights.
  public static func compute(fraction: Double, into kernel: UnsafeMutablePointer<Float>) {
    guard fraction > 0 else {
      kernel.update(repeating: 0, count: taps)
      kernel[leadIn] = 1
      return
    }
    let centre = Double(leadIn) + fraction
    // sin π(k - centre) is the same for all taps but for the sign.
    let sine = Double.sin(.pi * fraction) / .pi
    for k in 0..<taps {
      let distance = centre - Double(k)
      let sign: Double = (k - leadIn) & 1 == 0 ? 1 : -1
      kernel[k] = Float(sign * sine / distance * window.value(at: distance / Double(taps / 2)))
    }
  }
}

/// The window that J. F. Kaiser found near the best for cutting a sinc to a finite length (1974).
struct KaiserWindow: Sendable {
  private let beta: Double
  private let scale: Double

  /// - Parameter beta: the higher, the quieter the side lobes and the wider the transition band.
  init(beta: Double) {
    self.beta = beta
    scale = 1 / KaiserWindow.bessel(beta)
  }

  /// Its value at a place from -1, one end, over 0, the middle, to 1, the other end; 0 outside.
  func value(at place: Double) -> Double {
    let rest = 1 - place * place
    return rest < 0 ? 0 : KaiserWindow.bessel(beta * rest.squareRoot()) * scale
  }

  /// The modified Bessel function of the first kind, order 0, by its power series. Allocates nothing.
  private static func bessel(_ x: Double) -> Double {
    let quarter = x * x / 4
    var sum = 1.0
    var term = 1.0
    var n = 1.0
    while term > sum * 1e-17 {
      term *= quarter / (n * n)
      sum += term
      n += 1
    }
    return sum
  }
}
