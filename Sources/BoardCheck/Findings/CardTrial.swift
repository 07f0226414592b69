import HardwareAbstraction
import MetronomeCore

/// What the readings of a card's position tell of its clock.
struct CardTrial: Hashable, Sendable {
  /// What the map of the card's clock follows at the most, 0.2 %.
  static let followedDriftThousandths = 2_000_000
  /// More than this and a click cannot be placed well: two periods of the standard buffer.
  static let coarseStepMicroseconds = 11_000
  /// The share of the readings that are left out at the beginning, while a card that has just been started finds its feet.
  private static let settling = 10

  /// How much faster it runs than it says, in thousandths of a part per million.
  var driftThousandths: Int
  /// The steps in which its position advances: three in four are not larger.
  var stepMicroseconds: Int
  /// How long it was looked at.
  var span: Nanoseconds

  /// nil when it has not moved.
  init?(_ all: [SoundFacts.Reading], rate: Int) {
    let readings = Array(all.dropFirst(all.count / CardTrial.settling))
    guard let first = readings.first, let last = readings.last, last.frame > first.frame, last.instant > first.instant
    else { return nil }
    span = last.instant - first.instant
    let slope = CardTrial.slope(readings)
    driftThousandths = Int(((slope * 1e9 / Double(rate) - 1) * 1e9).rounded())
    let frames = CardTrial.step(readings)
    stepMicroseconds = Int((Double(frames) * 1e6 / Double(rate)).rounded())
  }

  /// Frames a nanosecond: of the straight line that lies nearest to the readings.
  private static func slope(_ readings: [SoundFacts.Reading]) -> Double {
    let count = Double(readings.count)
    let points = readings.map { reading in
      (Double((reading.instant - readings[0].instant).count), Double(reading.frame - readings[0].frame))
    }
    let (meanX, meanY) = (points.map(\.0).reduce(0, +) / count, points.map(\.1).reduce(0, +) / count)
    let (product, square) = points.reduce((0.0, 0.0)) { sums, point in
      (sums.0 + (point.0 - meanX) * (point.1 - meanY), sums.1 + (point.0 - meanX) * (point.0 - meanX))
    }
    return square > 0 ? product / square : 0
  }

  /// The step, in frames, that three quarters of the steps do not exceed.
  private static func step(_ readings: [SoundFacts.Reading]) -> Int64 {
    let steps = zip(readings.dropFirst(), readings).map { $0.frame - $1.frame }.filter { $0 > 0 }.sorted()
    return steps.isEmpty ? 0 : steps[steps.count * 3 / 4]
  }
}
