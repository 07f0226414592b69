import BoardSimulation
import MetronomeCore
import RealModule

/// The measurement noise between a card's true position and the reading.
public enum Noise: String, CaseIterable, Sendable {
  /// Interrupts that are served immediately: 3 µs of jitter.
  case quiet = "quiet interrupts"
  /// A kernel without real-time patches: 15 µs of jitter, and one reading in a thousand up to 36 ms late.
  case stockKernel = "stock kernel"
  /// A position that moves in steps of a millisecond, read anywhere between two steps.
  case granules = "1 ms granules"

  /// The frames per step of a stepped position.
  public static let step: Int64 = 48

  /// The allowed error of the map, as a share of the better reference's largest error.
  public var allowedShare: Double {
    switch self {
    case .quiet: 0.6
    case .stockKernel: 0.05
    case .granules: 0.75
    }
  }

  /// The time in seconds within which the map must lock, and the largest error in microseconds after that.
  public var lockSpan: Double { self == .granules ? 2 : 1 }
  public var lockError: Double { self == .granules ? 150 : 50 }

  /// The reading after `index` periods.
  ///
  /// A stepped position is centred by subtracting half a step from the time: filters are not judged by a constant offset that
  /// no filter can observe.
  func reading(ofPeriod index: Int64, from card: Card, using random: inout SeededRandom) -> Reading {
    let frame = index * Card.period
    let exact = Double(frame) * card.nanosecondsPerFrame
    switch self {
    case .quiet:
      return Reading(frame: frame, raw: exact + 3e3 * random.gaussian())
    case .stockKernel:
      let isLate = random.unit() < 0.001
      return Reading(frame: frame, raw: exact + (isLate ? 36e6 * random.unit() : 15e3 * random.gaussian()))
    case .granules:
      let raw = exact + 1e6 * random.unit()
      let position = Int64((raw / card.nanosecondsPerFrame).rounded(.down))
      return Reading(
        frame: position / Self.step * Self.step, raw: raw - Double(Self.step) / 2 * card.nanosecondsPerFrame)
    }
  }
}

/// A card's frame at a raw time, in nanoseconds since its start, as measured.
struct Reading {
  var frame: Int64
  var raw: Double
}

extension SeededRandom {
  /// A uniformly distributed number in 0..<1.
  mutating func unit() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

  /// A normally distributed number with standard deviation 1 (Box-Muller).
  mutating func gaussian() -> Double {
    let radius = (-2 * Double.log(1 - unit())).squareRoot()
    return radius * Double.cos(2 * .pi * unit())
  }
}
