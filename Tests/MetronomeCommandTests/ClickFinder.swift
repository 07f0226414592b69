import Foundation

/// Finds where a known sound begins in a recording, to a small fraction of a frame, by cross-correlation.
///
/// The correlation of two band-limited signals is band-limited: between the whole lags at which it is computed it follows by
/// the sampling theorem.
struct ClickFinder {
  /// Lags computed on either side of the expected place.
  private static let reach = 12
  /// In how many steps a frame is searched before the top is fitted by a parabola.
  private static let steps = 32

  let sound: [Float]

  /// - Returns: where the sound begins, in frames, searched around a place; nil where the recording does not reach.
  func onset(in recording: [Float], near place: Double) -> Double? {
    let start = Int(place.rounded(.down))
    let reach = ClickFinder.reach
    guard start >= reach, start + sound.count + reach < recording.count else { return nil }
    let correlation = (-reach...reach).map { lag in
      var sum: Float = 0
      for index in sound.indices { sum += sound[index] * recording[start + lag + index] }
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

  /// A signal between its samples: sinc, under a raised cosine as wide as there are samples.
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
