import MetronomeConfiguration
import MetronomeCore
import MetronomeSimulation

/// A click of a few frames, which costs next to nothing to mix. What is traced of it is what is traced of any other.
enum Tick {
  static let sound: ClickSound = {
    let samples: [UInt8] = [0, 0x20, 0, 0x40, 0, 0x20, 0, 0]
    func number(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 0xFF) } }
    var bytes = Array("RIFF".utf8) + number(36 + samples.count, 4) + Array("WAVEfmt ".utf8) + number(16, 4)
    // PCM, one channel, 48,000 Hz, two bytes a frame.
    bytes += number(1, 2) + number(1, 2) + number(48_000, 4) + number(96_000, 4) + number(2, 2) + number(16, 2)
    bytes += Array("data".utf8) + number(samples.count, 4) + samples
    guard let sound = try? WAVSound(bytes) else { preconditionFailure("a sound that is written here can be read") }
    return .recorded(sound)
  }()
}

extension SimulationPlan {
  /// The same with ticks for clicks.
  var ticking: SimulationPlan {
    var plan = self
    plan.first = plan.first.ticking
    plan.reloads = plan.reloads.map { appointment in
      var appointment = appointment
      appointment.result = appointment.result.map(\.ticking)
      return appointment
    }
    return plan
  }
}

extension Reading {
  fileprivate var ticking: Reading {
    var reading = self
    reading.sounds.clicks = PerLevel(repeating: Tick.sound)
    return reading
  }
}
