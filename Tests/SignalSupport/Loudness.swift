import Foundation

/// The loudness of a sound by ITU-R BS.1770-5: the highest mean square of 50 ms after the K-weighting, in LUFS.
public func loudness(_ samples: [Float], rate: Int) -> Double {
  let width = rate / 20
  // Without silence around it, a sound shorter than the window would not fill it.
  var wave = [Double](repeating: 0, count: width) + samples.map(Double.init) + [Double](repeating: 0, count: width)
  for filter in KWeighting.filters(rate: Double(rate)) { wave = filter.filtered(wave) }
  var (sum, highest) = (0.0, 0.0)
  for index in wave.indices {
    sum += wave[index] * wave[index]
    if index >= width { sum -= wave[index - width] * wave[index - width] }
    highest = max(highest, sum / Double(width))
  }
  return -0.691 + 10 * log10(highest)
}

/// The two filters of the K-weighting. The recommendation lists their coefficients at 48 kHz; these are the analog filters behind them,
/// with the bilinear transform: Brecht De Man, "Evaluation of implementations of the EBU R128 loudness measurement", AES 145 (2018).
public enum KWeighting {
  public struct Filter {
    public var b: [Double]
    public var a: [Double]

    func filtered(_ wave: [Double]) -> [Double] {
      var (x1, x2, y1, y2) = (0.0, 0.0, 0.0, 0.0)
      return wave.map { x in
        let y = b[0] * x + b[1] * x1 + b[2] * x2 - a[1] * y1 - a[2] * y2
        (x2, x1, y2, y1) = (x1, x, y1, y)
        return y
      }
    }
  }

  public static func filters(rate: Double) -> [Filter] {
    [shelf(rate: rate), highPass(rate: rate)]
  }

  private static func shelf(rate: Double) -> Filter {
    let (frequency, decibels, q) = (1_681.974450955533, 3.999843853973347, 0.7071752369554196)
    let k = tan(.pi * frequency / rate)
    let high = pow(10, decibels / 20)
    let band = pow(high, 0.4996667741545416)
    let a0 = 1 + k / q + k * k
    return Filter(
      b: [(high + band * k / q + k * k) / a0, 2 * (k * k - high) / a0, (high - band * k / q + k * k) / a0],
      a: [1, 2 * (k * k - 1) / a0, (1 - k / q + k * k) / a0])
  }

  private static func highPass(rate: Double) -> Filter {
    let (frequency, q) = (38.13547087602444, 0.5003270373238773)
    let k = tan(.pi * frequency / rate)
    let a0 = 1 + k / q + k * k
    return Filter(b: [1, -2, 1], a: [1, 2 * (k * k - 1) / a0, (1 - k / q + k * k) / a0])
  }
}
