import HardwareAbstraction
import MetronomeCore

/// The samples of every level's click, for cards of one format.
///
/// Made, held and freed by a thread that may wait: to convert a long recording to another rate takes its time.
final class ClickBank {
  /// Good for as long as the bank.
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

/// Owns a click's samples, at the mixer's level, with silence on both sides, so that a kernel may reach over the ends.
final class ClickSamples {
  private let count: Int
  let isStereo: Bool
  private let left: UnsafeMutablePointer<Float>
  private let right: UnsafeMutablePointer<Float>

  private static let margin = FractionalDelay.taps - 1

  /// - Parameter format: with one channel, a sound of two is played as their average.
  init(_ sounds: ClickSounds, _ level: Level, format: AudioFormat) {
    var channels = sounds.samples(of: level, rate: format.rate)
    if format.channels == 1, channels.count > 1 {
      channels = [zip(channels[0], channels[1]).map { ($0 + $1) / 2 }]
    }
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

/// A click's samples as the mixer reads them: where they are, without holding them. Good while their bank is.
///
/// So the audio thread can pass them on, and no reference is counted.
struct ReadableSamples: BitwiseCopyable {
  /// Without the silence on both sides.
  let count: Int
  let left: UnsafePointer<Float>
  let right: UnsafePointer<Float>

  var isStereo: Bool { left != right }

  /// The samples of the left (0) or right (1) channel, from the sound's first frame on.
  func plane(_ index: Int) -> UnsafePointer<Float> { index == 0 ? left : right }
}

/// Those of every level.
struct ReadableBank: BitwiseCopyable {
  let samples: PerLevel<ReadableSamples>
  let isStereo: Bool

  subscript(level: Level) -> ReadableSamples { samples[level] }
}
