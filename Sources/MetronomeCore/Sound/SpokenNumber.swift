import RealModule

extension WAVSound {
  /// Where a spoken word is perceived, from the first frame, in whole microseconds; nil if the recording has no rise in loudness.
  ///
  /// The estimator of Cummins and Port ("Rhythmic constraints on stress timing in English", 1998): the band from 700 to 1,300 Hz,
  /// rectified and smoothed at 10 Hz; the middle of the rise from 10 to 90 % of its peak. Filters run forwards and backwards, so that
  /// they delay nothing. Takes time: only for startup.
  package var perceivedOnset: Nanoseconds? {
    let padding = rate * 15 / 100
    var signal = [Double](repeating: 0, count: frames + 2 * padding)
    for channel in channels {
      for (frame, sample) in channel.enumerated() { signal[padding + frame] += Double(sample) }
    }
    Filter.band(700, 1_300, rate: rate).smooth(&signal)
    for frame in signal.indices { signal[frame] = signal[frame].magnitude }
    Filter.lowPass(10, rate: rate).smooth(&signal)
    guard let peak = signal.max(), peak > 1e-6, let top = signal.firstIndex(of: peak) else { return nil }
    let low = signal[..<top].lastIndex { $0 < peak / 10 } ?? 0
    guard let high = signal[low...top].firstIndex(where: { $0 >= peak * 9 / 10 }) else { return nil }
    let microseconds = (low + high - 2 * padding) * 500_000 / rate
    return .microseconds(Int64(max(0, microseconds)))
  }
}

/// A filter of second order, by the bilinear transform of an analog one.
private struct Filter {
  /// The factors of the last inputs, newest first, and of the last outputs.
  private let forward: (Double, Double, Double)
  private let back: (Double, Double)

  /// (b2·s² + b1·s + b0) / (s² + a1·s + a0), where s is scaled so that frequencies are tan(π·f/rate).
  private init(_ b2: Double, _ b1: Double, _ b0: Double, over a1: Double, _ a0: Double) {
    let scale = 1 + a1 + a0
    forward = ((b2 + b1 + b0) / scale, 2 * (b0 - b2) / scale, (b2 - b1 + b0) / scale)
    back = (2 * (a0 - 1) / scale, (1 - a1 + a0) / scale)
  }

  private static func warped(_ frequency: Double, _ rate: Int) -> Double { .tan(.pi * frequency / Double(rate)) }

  /// A Butterworth band-pass of first order on each side.
  static func band(_ low: Double, _ high: Double, rate: Int) -> Filter {
    let (low, high) = (warped(low, rate), warped(high, rate))
    return Filter(0, high - low, 0, over: high - low, low * high)
  }

  /// A Butterworth low-pass of second order.
  static func lowPass(_ frequency: Double, rate: Int) -> Filter {
    let corner = warped(frequency, rate)
    return Filter(0, 0, corner * corner, over: Double.sqrt(2) * corner, corner * corner)
  }

  /// Filters forwards, then backwards.
  func smooth(_ signal: inout [Double]) {
    for _ in 0..<2 {
      var (x1, x2, y1, y2) = (0.0, 0.0, 0.0, 0.0)
      for frame in signal.indices {
        let x = signal[frame]
        let y = forward.0 * x + forward.1 * x1 + forward.2 * x2 - back.0 * y1 - back.1 * y2
        (x2, x1, y2, y1) = (x1, x, y1, y)
        signal[frame] = y
      }
      signal.reverse()
    }
  }
}
