import HardwareAbstraction
import MetronomeCore

/// The samples of every level's click, for cards of one format. A thread that may block creates, retains and frees it, because
/// resampling a long recording takes time.
final class ClickBank {
  /// Valid as long as the bank exists.
  let readable: ReadableBank
  /// Levels that share their settings share their samples.
  private let samples: [Level: ClickSamples]

  init(_ sounds: ClickSounds, format: AudioFormat) {
    var samples: [Level: ClickSamples] = [:]
    let perLevel = PerLevel { level in
      let own = samples[level.shared] ?? ClickSamples(sounds, level.shared, format: format)
      samples[level.shared] = own
      return own.readable
    }
    readable = ReadableBank(samples: perLevel, isStereo: samples.values.contains(where: \.isStereo))
    self.samples = samples
  }
}

/// Owns a click's samples, scaled for the mixer, and padded with silence so that a kernel may reach past the ends.
final class ClickSamples {
  private let count: Int
  let isStereo: Bool
  private let left: UnsafeMutablePointer<Float>
  private let right: UnsafeMutablePointer<Float>

  private static let margin = FractionalDelay.taps - 1

  /// On a mono card, the two channels of a stereo sound are averaged.
  init(_ sounds: ClickSounds, _ level: Level, format: AudioFormat) {
    var channels = sounds.samples(of: level, rate: format.rate)
    if format.channels == 1, channels.count > 1 { channels = [zip(channels[0], channels[1]).map { ($0 + $1) / 2 }] }
    count = channels[0].count
    isStereo = channels.count > 1
    left = ClickSamples.padded(channels[0])
    right = isStereo ? ClickSamples.padded(channels[1]) : left
  }

  deinit {
    left.deallocate()
    if isStereo { right.deallocate() }
  }

  var readable: ReadableSamples {
    ReadableSamples(
      count: count, left: UnsafePointer(left + ClickSamples.margin), right: UnsafePointer(right + ClickSamples.margin))
  }

  private static func padded(_ samples: [Float]) -> UnsafeMutablePointer<Float> {
    let capacity = samples.count + 2 * margin
    let buffer = UnsafeMutablePointer<Float>.allocate(capacity: capacity)
    buffer.initialize(repeating: 0, count: capacity)
    for (index, sample) in samples.enumerated() { buffer[margin + index] = sample * ClickMixer.headroom }
    return buffer
  }
}
