import Foundation
import MetronomeCore

/// A finger that taps a steady tempo, and errs.
struct Finger {
  /// Of a beat: the standard deviation of every tap's instant.
  static let error = 0.025

  /// From beat to beat in nanoseconds.
  let period: Double
  private var random: Lehmer
  private let origin = Instant.zero + .seconds(10)

  init(bpm: Double, seed: UInt64) {
    period = 60_000_000_000 / bpm
    random = Lehmer(seed: seed)
  }

  /// When it taps the beat of this number.
  mutating func tap(_ beat: Int) -> Instant {
    origin + Nanoseconds(Int64((Double(beat) + Finger.error * normal()) * period))
  }

  /// A number from 0 to 1.
  mutating func fraction() -> Double { (Double(random.below(1 << 30)) + 0.5) / Double(1 << 30) }

  /// Box and Muller, "A note on the generation of random normal deviates", 1958.
  private mutating func normal() -> Double {
    let radius = (-2 * log(fraction())).squareRoot()
    return radius * cos(2 * .pi * fraction())
  }
}
