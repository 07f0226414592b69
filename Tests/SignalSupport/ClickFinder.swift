import Foundation

/// Finds by cross-correlation where a known sound begins in a recording, to a small fraction of a frame.
///
/// The correlation of two band-limited signals is band-limited. It is computed at whole lags; the sampling theorem gives its
/// values between them.
public struct ClickFinder {
  /// The number of lags computed on either side of the expected place.
  private static let reach = 12
  /// The number of search steps per frame. A parabola then gives the maximum between the steps.
  private static let steps = 32

  public let audio: [Float]

  public init(audio: [Float]) { self.audio = audio }

  /// Searches around a place.
  ///
  /// - Returns: where the sound begins, in frames; nil if the search would leave the recording.
  public func onset(in recording: [Float], near place: Double) -> Double? {
    let start = Int(place.rounded(.down))
    let reach = ClickFinder.reach
    guard start >= reach, start + audio.count + reach < recording.count else { return nil }
    let correlation = (-reach...reach).map { lag in
      var sum: Float = 0
      for index in audio.indices { sum += audio[index] * recording[start + lag + index] }
      return Double(sum)
    }
    func value(_ step: Int) -> Double {
      ClickFinder.between(correlation, at: Double(reach) + Double(step) / Double(ClickFinder.steps))
    }
    let best = (-2 * ClickFinder.steps...2 * ClickFinder.steps).max { value($0) < value($1) } ?? 0
    let (before, top, after) = (value(best - 1), value(best), value(best + 1))
    let fine = 0.5 * (before - after) / (before - 2 * top + after)
    return Double(start) + (Double(best) + fine) / Double(ClickFinder.steps)
  }

  /// Interpolates between samples: a sinc, windowed by a raised cosine as wide as all the samples.
  private static func between(_ samples: [Double], at place: Double) -> Double {
    var sum = 0.0
    for (index, sample) in samples.enumerated() {
      let distance = place - Double(index)
      let window = 0.5 * (1 + cos(.pi * min(1, max(-1, distance / Double(reach)))))
      let sinc = distance == 0 ? 1 : sin(.pi * distance) / (.pi * distance)
      sum += sample * sinc * window
    }
    return sum
  }
}

/// The samples of one channel of 16 bits, little endian; full scale is 32,768.
public func samples(of16Bits bytes: ArraySlice<UInt8>) -> [Float] {
  bytes.withUnsafeBytes { data in
    (0..<data.count / 2).map { Float(Int16(littleEndian: data.loadUnaligned(fromByteOffset: 2 * $0, as: Int16.self))) }
  }
}
