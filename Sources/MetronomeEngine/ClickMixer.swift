import HardwareAbstraction
import MetronomeCore

/// Lays clicks into a stream of frames, one period at a time.
///
/// Used by the audio thread: everything is allocated at the start, and silence costs nothing but the writing of it.
final class ClickMixer {
  /// How many clicks may sound at once; of more the oldest ends. At the fastest four overlap.
  private static let voices = 8
  /// How long the sound takes to die away on a stop, in seconds: too short to be heard as sound, too long for a crack.
  private static let fadeOut = 0.002

  private struct Sounding {
    var samples: UnsafeBufferPointer<Float>
    /// The sample that falls on the period's first frame; negative when the click starts later in the period.
    var position: Int
  }

  private let format: AudioFormat
  private let first: UnsafeMutableBufferPointer<Float>
  private let regular: UnsafeMutableBufferPointer<Float>
  private let mix: UnsafeMutableBufferPointer<Float>
  private let frames: UnsafeMutableRawBufferPointer
  private let sounding: UnsafeMutableBufferPointer<Sounding>
  private var soundingCount = 0
  /// Frames left of a fade-out; nil when none is under way.
  private var fading: Int?
  private var isSilent = true

  init(format: AudioFormat, volume: Double) {
    self.format = format
    first = ClickMixer.copy(ClickVoice(.first, rate: format.rate, volume: volume))
    regular = ClickMixer.copy(ClickVoice(.regular, rate: format.rate, volume: volume))
    mix = .allocate(capacity: format.periodFrames)
    mix.initialize(repeating: 0)
    frames = .allocate(byteCount: format.periodFrames * format.bytesPerFrame, alignment: 16)
    frames.initializeMemory(as: UInt8.self, repeating: 0)
    sounding = .allocate(capacity: ClickMixer.voices)
  }

  deinit {
    first.deallocate()
    regular.deallocate()
    mix.deallocate()
    frames.deallocate()
    sounding.deallocate()
  }

  /// Starts a click at a frame of the next period.
  func start(_ accent: Accent, atFrame offset: Int) {
    if fading != nil { silence() }
    if soundingCount == ClickMixer.voices { remove(at: 0) }
    let samples =
      switch accent {
      case .first: first
      case .regular: regular
      }
    sounding[soundingCount] = Sounding(samples: UnsafeBufferPointer(samples), position: -offset)
    soundingCount += 1
  }

  /// Ends what sounds, from the next period on.
  func stop() {
    if soundingCount > 0, fading == nil { fading = Int(ClickMixer.fadeOut * Double(format.rate)) }
  }

  /// Ends what sounds at once.
  func silence() {
    fading = nil
    soundingCount = 0
  }

  /// The next period's frames. They are good until the next call.
  func nextPeriod() -> UnsafeRawBufferPointer {
    guard soundingCount > 0 else {
      if !isSilent { frames.initializeMemory(as: UInt8.self, repeating: 0) }
      isSilent = true
      return UnsafeRawBufferPointer(frames)
    }
    mix.update(repeating: 0)
    mixSounding()
    applyFade()
    store()
    isSilent = false
    return UnsafeRawBufferPointer(frames)
  }

  private func mixSounding() {
    var index = 0
    while index < soundingCount {
      let click = sounding[index]
      for frame in max(0, -click.position)..<mix.count {
        let sample = click.position + frame
        if sample >= click.samples.count { break }
        mix[frame] += click.samples[sample]
      }
      sounding[index].position += mix.count
      if sounding[index].position >= click.samples.count { remove(at: index) } else { index += 1 }
    }
  }

  private func applyFade() {
    guard let left = fading else { return }
    let length = Float(ClickMixer.fadeOut * Double(format.rate))
    for frame in 0..<mix.count { mix[frame] *= Float(max(0, left - frame)) / length }
    if left > mix.count { fading = left - mix.count } else { silence() }
  }

  private func remove(at index: Int) {
    for later in (index + 1)..<max(soundingCount, index + 1) { sounding[later - 1] = sounding[later] }
    soundingCount -= 1
  }

  private func store() {
    switch format.sampleFormat {
    case .s16: store(as: Int16.self)
    case .s32: store(as: Int32.self)
    }
  }

  private func store<Sample: FixedWidthInteger>(as: Sample.Type) {
    let samples = frames.bindMemory(to: Sample.self)
    let scale = -Double(Sample.min)
    for frame in 0..<mix.count {
      let value = Sample(min(max(Double(mix[frame]) * scale, -scale), scale - 1)).littleEndian
      for channel in 0..<format.channels { samples[frame * format.channels + channel] = value }
    }
  }

  private static func copy(_ voice: ClickVoice) -> UnsafeMutableBufferPointer<Float> {
    let buffer = UnsafeMutableBufferPointer<Float>.allocate(capacity: voice.samples.count)
    _ = buffer.initialize(from: voice.samples)
    return buffer
  }
}
