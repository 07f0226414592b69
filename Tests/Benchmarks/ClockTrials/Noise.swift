import BoardSimulation
import MetronomeCore
import RealModule

/// What stands between a card's true position and the one that is read.
public enum Noise: String, CaseIterable, Sendable {
  /// Interrupts that are served at once: 3 µs of jitter.
  case quiet = "quiet interrupts"
  /// A kernel without real-time patches: 15 µs of jitter, and one reading in a thousand up to 36 ms late.
  case stockKernel = "stock kernel"
  /// A position that moves in steps of a millisecond, read anywhere between two of them.
  case granules = "1 ms granules"

  /// How many frames a step of the granules has.
  public static let step: Int64 = 48

  /// What share of the better reference's largest error the map may have.
  public var allowedShare: Double {
    switch self {
    case .quiet: 0.6
    case .stockKernel: 0.05
    case .granules: 0.75
    }
  }

  /// From which second on the map shall be found, and to how many microseconds.
  public var lockSpan: Double { self == .granules ? 2 : 1 }
  public var lockError: Double { self == .granules ? 150 : 50 }

  /// The reading after so many periods.
  ///
  /// Granules are centred, half a step taken off the time: no filter is judged by a constant that none can see.
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

/// That a card was at a frame at a raw time, in nanoseconds since its start, as far as one can read it.
struct Reading {
  var frame: Int64
  var raw: Double
}

extension SeededRandom {
  /// A number in 0..<1, uniformly.
  mutating func unit() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

  /// A number of normal distribution with deviation 1, by Box and Muller.
  mutating func gaussian() -> Double {
    let radius = (-2 * Double.log(1 - unit())).squareRoot()
    return radius * Double.cos(2 * .pi * unit())
  }
}
