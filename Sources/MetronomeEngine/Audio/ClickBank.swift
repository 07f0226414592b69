import HardwareAbstraction
import MetronomeCore
import Synchronization

/// The samples of every level of all built-in sounds, of the recordings, and of the spoken numbers, for cards of one format. A thread
/// that may block creates, retains and frees it, because resampling a long recording takes time.
package final class ClickBank {
  /// Valid as long as the bank exists.
  let readable: ReadableBank
  /// Levels that play the same sound share its samples, which are resampled once.
  private let samples: [ClickSamples]
  private let words: UnsafeMutablePointer<ReadableWord?>
  private let sounds: UnsafeMutablePointer<PerLevel<ReadableSamples>>
  private let beats: UnsafeMutablePointer<Voice.Sound?>
  private let lanes: [UnsafeMutableBufferPointer<Lane>]
  /// How long before a beat a word may begin.
  let longestOnset: Nanoseconds
  /// How many different sounds there are.
  package var count: Int { samples.count }

  package init(_ sounds: ClickSounds, format: AudioFormat) {
    var samples: [ClickSamples] = []
    func entry(_ source: ClickSound, gain: Float) -> ReadableSamples {
      // Comparing recordings is fast, hashing them is not.
      if let shared = samples.first(where: { $0.source == source }) { return shared.readable(gain: gain) }
      let own = ClickSamples(source, factor: sounds.factor, format: format)
      samples.append(own)
      return own.readable(gain: gain)
    }
    self.sounds = .allocate(capacity: Voice.Sound.allCases.count)
    let builtIn = ClickSounds()
    for sound in Voice.Sound.allCases {
      let levels: PerLevel<ReadableSamples> = PerLevel { level in
        let (source, gain) = builtIn.source(of: level, in: sound)
        return entry(source, gain: gain)
      }
      (self.sounds + Int(sound.rawValue)).initialize(to: levels)
    }
    let own: PerLevel<ReadableSamples?> = PerLevel { sounds.ownSource(of: $0).map { entry($0.sound, gain: $0.gain) } }
    beats = .allocate(capacity: SpokenNumber.numbers.count)
    for number in SpokenNumber.numbers { (beats + (number - 1)).initialize(to: sounds.beats[number]) }
    words = .allocate(capacity: SpokenNumber.places.count)
    words.initialize(repeating: nil, count: SpokenNumber.places.count)
    for (number, word) in sounds.numbers where SpokenNumber.places.contains(number) {
      let onset = word.onset(rate: format.rate)
      words[number - 1] = ReadableWord(samples: entry(.recorded(word.recording), gain: 1), onset: onset)
    }
    longestOnset = sounds.longestOnset
    let isStereo = samples.contains(where: \.isStereo)
    lanes = [false, true].map { Lane.all(sounds.routes, format: format, isStereo: $0) }
    readable = ReadableBank(
      sounds: self.sounds, own: own, hasRecording: PerLevel { sounds.recordings[$0] != nil },
      beats: sounds.beats.isEmpty ? nil : UnsafePointer(beats),
      words: ReadableWords(words, sounds),
      isStereo: isStereo, mono: UnsafeBufferPointer(lanes[0]), stereo: UnsafeBufferPointer(lanes[1]))
    self.samples = samples
  }

  deinit {
    words.deallocate()
    sounds.deallocate()
    beats.deallocate()
    for lanes in lanes { lanes.deallocate() }
  }
}

/// A plane of the mix, and the channels of the card to which it goes.
struct Lane: BitwiseCopyable {
  /// What the plane gets of the left and right channel of a sound; right is 0 if both are the same.
  let left: Float
  let right: Float
  /// The factor of each source: see ``ClickRoutes/Source``.
  let factors: SIMD16<Float>
  /// Counted from 0. A pair that gets the same on both channels is one plane.
  let channel: Int
  let otherChannel: Int?

  /// The planes of all routes. Channels that the card does not have are left out.
  ///
  /// - Parameter isStereo: whether left and right of a sound may differ.
  static func all(_ routes: ClickRoutes, format: AudioFormat, isStereo: Bool) -> UnsafeMutableBufferPointer<Lane> {
    var lanes: [Lane] = []
    for route in routes.routes {
      let factors = route.factors
      func add(_ left: Float, _ right: Float, _ channels: Int?...) {
        let present = channels.compactMap(\.self).filter { $0 <= format.channels }
        guard let first = present.first else { return }
        lanes.append(
          Lane(
            left: left, right: right, factors: factors, channel: first - 1,
            otherChannel: present.dropFirst().first.map { $0 - 1 }))
      }
      switch (isStereo, route.right) {
      case (true, let right?):
        add(1, 0, route.left)
        add(0, 1, right)
      case (true, nil): add(0.5, 0.5, route.left)
      case (false, let right): add(1, 0, route.left, right)
      }
    }
    let buffer = UnsafeMutableBufferPointer<Lane>.allocate(capacity: lanes.count)
    _ = buffer.initialize(from: lanes)
    return buffer
  }
}

/// The built-in voices that were computed so far: a card that is opened again, or another configuration, uses them again.
private let synthesised = Mutex<[SynthesisedVoice: [Float]]>([:])

private struct SynthesisedVoice: Hashable {
  let sound: Voice.Sound
  let level: Level
  let rate: Int

  var samples: [Float] {
    if let known = synthesised.withLock({ $0[self] }) { return known }
    let samples = ClickVoice(level, of: sound, rate: rate).samples
    synthesised.withLock { known in
      // A box uses one rate.
      if known.count >= 200 { known = [:] }
      known[self] = samples
    }
    return samples
  }
}

/// Owns a click's samples, scaled for the mixer, and padded with silence so that a kernel may reach past the ends.
final class ClickSamples {
  let source: ClickSound
  private let count: Int
  let isStereo: Bool
  private let left: UnsafeMutablePointer<Float>
  private let right: UnsafeMutablePointer<Float>

  private static let margin = FractionalDelay.taps - 1

  /// On a mono card, the two channels of a stereo sound are averaged.
  init(_ source: ClickSound, factor: Float, format: AudioFormat) {
    self.source = source
    let unscaled =
      switch source {
      case .synthesised(let sound, let level):
        [SynthesisedVoice(sound: sound, level: level, rate: format.rate).samples]
      case .recorded: source.channels(rate: format.rate)
      }
    var channels = unscaled.map { $0.map { $0 * factor } }
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

  func readable(gain: Float) -> ReadableSamples {
    ReadableSamples(
      count: count, gain: gain, left: UnsafePointer(left + ClickSamples.margin),
      right: UnsafePointer(right + ClickSamples.margin))
  }

  private static func padded(_ samples: [Float]) -> UnsafeMutablePointer<Float> {
    let capacity = samples.count + 2 * margin
    let buffer = UnsafeMutablePointer<Float>.allocate(capacity: capacity)
    buffer.initialize(repeating: 0, count: capacity)
    for (index, sample) in samples.enumerated() { buffer[margin + index] = sample * ClickMixer.headroom }
    return buffer
  }
}

/// A click's samples, borrowed from their bank, so that the audio thread does no reference counting.
struct ReadableSamples: BitwiseCopyable {
  /// The number of samples without the padding on both sides.
  let count: Int
  /// The factor at which the click is mixed; not contained in the samples.
  var gain: Float
  let left: UnsafePointer<Float>
  let right: UnsafePointer<Float>
}

/// The samples of a spoken number, borrowed from their bank.
struct ReadableWord: BitwiseCopyable {
  let samples: ReadableSamples
  /// The sample that sounds on the beat.
  let onset: Int
}

/// The words of the spoken count, borrowed from their bank.
struct ReadableWords: BitwiseCopyable {
  private let words: UnsafePointer<ReadableWord?>
  /// How many frames before a beat a word may begin; nil if there are no words.
  let longestOnset: Int?

  /// See ``ClickSounds/speaksAlways``.
  let speakAlways: Bool
  /// See ``ClickSounds/speaksInCountIn``.
  let speakInCountIn: Bool
  /// See ``ClickSounds/speaksSubdivisions``.
  let speakSubdivisions: Bool

  /// - Parameter words: one place for each of ``SpokenNumber/places``.
  init(_ words: UnsafePointer<ReadableWord?>, _ sounds: ClickSounds) {
    self.words = words
    speakAlways = sounds.speaksAlways
    speakInCountIn = sounds.speaksInCountIn
    speakSubdivisions = sounds.speaksSubdivisions
    var longest: Int?
    for index in 0..<SpokenNumber.places.count {
      if let word = words[index] { longest = max(longest ?? 0, word.onset) }
    }
    longestOnset = longest
  }

  subscript(number: Int) -> ReadableWord? { SpokenNumber.places.contains(number) ? words[number - 1] : nil }
}

struct ReadableBank: BitwiseCopyable {
  /// One place for each built-in sound.
  let sounds: UnsafePointer<PerLevel<ReadableSamples>>
  /// See ``ClickSounds/ownSource(of:)``.
  let own: PerLevel<ReadableSamples?>
  let hasRecording: PerLevel<Bool>
  /// The sounds of single beats, from the first; nil: there are none.
  let beats: UnsafePointer<Voice.Sound?>?
  let words: ReadableWords
  let isStereo: Bool
  /// The planes while left and right are the same, and while they may differ.
  let mono: UnsafeBufferPointer<Lane>
  let stereo: UnsafeBufferPointer<Lane>

  /// See ``ClickMixer/start(_:of:set:beat:gain:atFrame:fraction:)``.
  func samples(_ level: Level, _ sound: Voice.Sound, set: Voice.Sound, beat: Int) -> ReadableSamples {
    guard sound == .click else { return sounds[Int(sound.rawValue)][level] }
    if let beats, SpokenNumber.numbers.contains(beat), let chosen = beats[beat - 1], !hasRecording[level] {
      return sounds[Int(chosen.rawValue)][level]
    }
    return own[level] ?? sounds[Int(set.rawValue)][level]
  }
}
