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
  /// The steps in which its position advances, or was read: three in four are not larger.
  var stepMicroseconds: Int
  /// Whether the position stands between its steps; otherwise it is as fine as it was read, or finer.
  var isStepped: Bool
  /// How long it was looked at.
  var span: Nanoseconds

  /// nil when it has not moved.
  init?(_ all: [SoundFacts.Reading], rate: Int) {
    let readings = Array(all.dropFirst(all.count / CardTrial.settling))
    guard let first = readings.first, let last = readings.last, last.frame > first.frame, last.instant > first.instant
    else { return nil }
    span = last.instant - first.instant
    let steps = zip(readings, readings.dropFirst()).filter { $1.frame > $0.frame }.count
    isStepped = steps * 4 < (readings.count - 1) * 3
    let slope = CardTrial.slope(isStepped ? CardTrial.steps(readings) : CardTrial.points(readings))
    driftThousandths = Int(((slope * 1e9 / Double(rate) - 1) * 1e9).rounded())
    let frames = CardTrial.step(readings)
    stepMicroseconds = Int((Double(frames) * 1e6 / Double(rate)).rounded())
  }

  /// A frame, and when it sounded, in nanoseconds.
  private struct Point {
    var time: Double
    var frame: Double
  }

  private static func points(_ readings: [SoundFacts.Reading]) -> [Point] {
    let start = readings[0].instant
    return readings.map { Point(time: Double(($0.instant - start).count), frame: Double($0.frame - readings[0].frame)) }
  }

  /// Of a card whose position stands between its steps only these tell something: each was somewhere between two readings.
  private static func steps(_ readings: [SoundFacts.Reading]) -> [Point] {
    let points = points(readings)
    return zip(points, points.dropFirst()).filter { $1.frame > $0.frame }.map { before, after in
      Point(time: (before.time + after.time) / 2, frame: after.frame)
    }
  }

  /// Frames a nanosecond: of the straight line that lies nearest to the points.
  private static func slope(_ points: [Point]) -> Double {
    let count = Double(points.count)
    let time = points.reduce(0) { $0 + $1.time } / count
    let frame = points.reduce(0) { $0 + $1.frame } / count
    var product = 0.0
    var square = 0.0
    for point in points {
      product += (point.time - time) * (point.frame - frame)
      square += (point.time - time) * (point.time - time)
    }
    return square > 0 ? product / square : 0
  }

  /// The step, in frames, that three quarters of the steps do not exceed.
  private static func step(_ readings: [SoundFacts.Reading]) -> Int64 {
    let steps = zip(readings.dropFirst(), readings).map { $0.frame - $1.frame }.filter { $0 > 0 }.sorted()
    return steps.isEmpty ? 0 : steps[steps.count * 3 / 4]
  }
}
