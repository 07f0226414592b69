import MetronomeConfiguration
import MetronomeCore
import MetronomeSimulation

/// A click of a few frames, which costs almost nothing to mix. It is traced like any other click.
enum Tick {
  static let audio: WAVSound = {
    let samples: [UInt8] = [0, 0x20, 0, 0x40, 0, 0x20, 0, 0]
    func number(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 0xFF) } }
    var bytes = Array("RIFF".utf8) + number(36 + samples.count, 4) + Array("WAVEfmt ".utf8) + number(16, 4)
    // PCM, one channel, 48,000 Hz, two bytes per frame.
    bytes += number(1, 2) + number(1, 2) + number(48_000, 4) + number(96_000, 4) + number(2, 2) + number(16, 2)
    bytes += Array("data".utf8) + number(samples.count, 4) + samples
    guard let audio = try? WAVSound(bytes) else { preconditionFailure("the WAV file built above is invalid") }
    return audio
  }()
}

extension SimulationPlan {
  /// The same plan with ticks instead of clicks.
  var ticking: SimulationPlan {
    var plan = self
    plan.first = plan.first.ticking
    plan.reloads = plan.reloads.map { reload in
      var reload = reload
      reload.result = reload.result.map(\.ticking)
      return reload
    }
    return plan
  }
}

extension LoadedConfiguration {
  fileprivate var ticking: LoadedConfiguration {
    var loaded = self
    loaded.sounds.recordings = PerLevel(repeating: Tick.audio)
    return loaded
  }
}
