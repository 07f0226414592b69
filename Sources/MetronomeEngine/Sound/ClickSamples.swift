import HardwareAbstraction
import MetronomeCore

/// Owns a click's samples, at the mixer's level, with silence on both sides, so that a kernel may reach over the ends.
struct ClickSamples: ~Copyable {
  private let count: Int
  let isStereo: Bool
  private let left: UnsafeMutablePointer<Float>
  private let right: UnsafeMutablePointer<Float>

  private static let margin = FractionalDelay.taps - 1

  /// - Parameter format: with one channel, a sound of two is played as their average.
  init(_ sounds: ClickSounds, _ accent: Accent, format: AudioFormat) {
    var channels = sounds.samples(of: accent, rate: format.rate)
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
