import Foundation
import MetronomeCore
import TestSupport

/// A finger that taps a steady tempo with random errors.
struct Finger {
  /// Standard deviation of each tap's time, as a fraction of a beat.
  static let error = 0.025

  /// Nanoseconds per beat.
  let period: Double
  private var random: Lehmer
  private let origin = Instant.zero + .seconds(10)

  init(bpm: Double, seed: UInt64) {
    period = 60_000_000_000 / bpm
    random = Lehmer(seed: seed)
  }

  /// The time of the tap for this beat.
  mutating func tap(_ beat: Int) -> Instant {
    origin + Nanoseconds(Int64((Double(beat) + Finger.error * normal()) * period))
  }

  /// A random number strictly between 0 and 1.
  mutating func fraction() -> Double { (Double(random.below(1 << 30)) + 0.5) / Double(1 << 30) }

  /// A normally distributed random number: Box and Muller, "A note on the generation of random normal deviates", 1958.
  private mutating func normal() -> Double {
    let radius = (-2 * log(fraction())).squareRoot()
    return radius * cos(2 * .pi * fraction())
  }
}
