import BoardSimulation
import MetronomeCore
import RealModule

/// How the clocks of a MIDI source deviate from an even tempo.
public enum MIDIJitter: String, CaseIterable, Sendable {
  /// Normally distributed, 20 µs.
  case hardware = "hardware"
  /// Late by 0 to 1 ms, evenly distributed.
  case usb = "USB"
  /// A program that waits for whole milliseconds.
  case grid = "1 ms grid"
  /// A digital audio workstation: late by half a normal distribution of 1.5 ms, and by 10 ms more in one of 100.
  case workstation = "workstation"

  /// The allowed root mean square and the allowed largest error, in microseconds: those of the best estimator known before.
  public var allowed: MIDIClockTrial.Errors {
    switch self {
    case .hardware: MIDIClockTrial.Errors(rms: 7, worst: 7)
    case .usb: MIDIClockTrial.Errors(rms: 36, worst: 106)
    case .grid: MIDIClockTrial.Errors(rms: 10, worst: 10)
    case .workstation: MIDIClockTrial.Errors(rms: 130, worst: 380)
    }
  }

  /// How late the clock that is due at a time is, in nanoseconds.
  func late(_ due: Int64, _ random: inout SeededRandom) -> Int64 {
    switch self {
    case .hardware: Int64(20_000 * random.gaussian())
    case .usb: Int64(1_000_000 * random.unit())
    case .grid: (1_000_000 - due % 1_000_000) % 1_000_000
    case .workstation: Int64(1_500_000 * random.gaussian().magnitude) + (random.unit() < 0.01 ? 10_000_000 : 0)
    }
  }
}

/// A minute of MIDI clock at 120 BPM, and how well an estimator predicts the beats half a beat ahead.
public enum MIDIClockTrial {
  /// The estimators that are compared.
  public enum Estimator: CaseIterable, Sendable {
    /// The coefficient of Ardour's loop (libs/ardour/midi_clock_transport_master.cc), without its other measures.
    case ardour
    /// The last clock, and the mean of 24 intervals, as in norns (matron/src/clocks/clock_midi.c).
    case mean
    /// The usual delay-locked loop, with 1 Hz.
    case loop
    /// ``MetronomeCore/ClockFollower``.
    case follower
  }

  /// In microseconds, without the constant mean delay of late clocks.
  public struct Errors: Sendable {
    public var rms: Double
    public var worst: Double

    public func isWithin(_ bounds: Errors) -> Bool { rms <= bounds.rms && worst <= bounds.worst }
  }

  /// The duration of a clock, in nanoseconds: 125/6 ms.
  private static let interval = 125_000_000.0 / 6
  private static func due(_ clock: Int64) -> Int64 { clock * 125_000_000 / 6 }

  /// The errors over all seeds, from ten seconds on.
  public static func errors(
    of estimator: Estimator, with jitter: MIDIJitter, seeds: some Sequence<UInt64>
  ) -> Errors {
    var (sum, count, worst) = (0.0, 0, 0.0)
    for seed in seeds {
      let errors = errors(of: estimator, clocks: clocks(with: jitter, seed: seed))
      let mean = errors.reduce(0, +) / Double(errors.count)
      for error in errors {
        sum += (error - mean) * (error - mean)
        count += 1
        worst = max(worst, (error - mean).magnitude)
      }
    }
    return Errors(rms: (sum / Double(count)).squareRoot() / 1_000, worst: worst / 1_000)
  }

  private static func clocks(with jitter: MIDIJitter, seed: UInt64) -> [Int64] {
    var random = SeededRandom(seed: seed)
    var last: Int64 = 0
    return (0..<Int64(60 * 48)).map { clock in
      // Bytes do not overtake each other.
      last = max(last, due(clock) + jitter.late(due(clock), &random))
      return last
    }
  }

  private static func errors(of estimator: Estimator, clocks: [Int64]) -> [Double] {
    var errors: [Double] = []
    let predicted = predictions(of: estimator, clocks)
    for clock in stride(from: 12, to: clocks.count, by: 24) where due(Int64(clock)) > 10_000_000_000 {
      errors.append(predicted[clock] - Double(due(Int64(clock) + 12)))
    }
    return errors
  }

  /// For each clock the predicted instant of the twelfth after it.
  private static func predictions(of estimator: Estimator, _ clocks: [Int64]) -> [Double] {
    switch estimator {
    // At 120 quarters per minute 1/60 Hz.
    case .ardour: filtered(clocks, bandwidth: 2.0 / 120)
    case .loop: filtered(clocks, bandwidth: 1)
    case .mean:
      clocks.indices.map { clock in
        let first = max(clock - 24, 0)
        let mean = Double(clocks[clock] - clocks[first]) / Double(max(clock - first, 1))
        return Double(clocks[clock]) + 12 * mean
      }
    case .follower: followed(clocks)
    }
  }

  private static func followed(_ clocks: [Int64]) -> [Double] {
    var follower = ClockFollower()
    // After a long interval the follower waits for some clocks; the last observation holds until then.
    var (last, since): (BeatObservation?, Int64) = (nil, 0)
    return clocks.map { clock in
      since += 1
      let seen = follower.receive(ClockMessage(.clock, at: Instant(nanoseconds: clock)))
      if let seen { (last, since) = (seen, 0) }
      return last.map { Double($0.instant(of: $0.quarter + (since + 12) * 1_000_000 / 24).nanoseconds) } ?? .nan
    }
  }

  /// F. Adriaensen, "Using a DLL to filter time" (LAC 2005), begun with the first interval.
  private static func filtered(_ clocks: [Int64], bandwidth: Double) -> [Double] {
    let omega = 2 * Double.pi * bandwidth * interval / 1e9
    var (time, period) = (Double(clocks[0]), Double(clocks[1] - clocks[0]))
    var predictions = [time + 12 * period]
    for clock in clocks.dropFirst() {
      let error = Double(clock) - time - period
      time += period + Double.sqrt(2) * omega * error
      period += omega * omega * error
      predictions.append(time + 12 * period)
    }
    return predictions
  }
}
