import HardwareAbstraction
import MetronomeCore

/// The samples of every level's click and cowbell, and of the spoken numbers, for cards of one format. A thread that may block
/// creates, retains and frees it, because resampling a long recording takes time.
package final class ClickBank {
  /// Valid as long as the bank exists.
  let readable: ReadableBank
  /// Levels that play the same sound share its samples, which are resampled once.
  private let samples: [ClickSamples]
  private let words: UnsafeMutablePointer<ReadableWord?>
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
    func entry(_ level: Level, _ sound: Voice.Sound) -> ReadableSamples {
      let (source, gain) = sounds.source(of: level, in: sound)
      return entry(source, gain: gain)
    }
    let clicks: PerLevel<ReadableSamples> = PerLevel { entry($0, .click) }
    let cowbells: PerLevel<ReadableSamples> = PerLevel { entry($0, .cowbell) }
    words = .allocate(capacity: SpokenNumber.numbers.count)
    words.initialize(repeating: nil, count: SpokenNumber.numbers.count)
    for (number, word) in sounds.numbers where SpokenNumber.numbers.contains(number) {
      let onset = word.onset(rate: format.rate)
      words[number - 1] = ReadableWord(samples: entry(.recorded(word.recording), gain: 1), onset: onset)
    }
    longestOnset = sounds.longestOnset
    readable = ReadableBank(
      clicks: clicks, cowbells: cowbells, words: ReadableWords(words, speakAlways: sounds.speaksAlways),
      isStereo: samples.contains(where: \.isStereo))
    self.samples = samples
  }

  deinit { words.deallocate() }
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
    var channels = source.channels(rate: format.rate).map { $0.map { $0 * factor } }
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

  /// The samples of the left (0) or right (1) channel, from the sound's first frame on.
  func plane(_ index: Int) -> UnsafePointer<Float> { index == 0 ? left : right }
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

  /// - Parameter words: one place for each of ``SpokenNumber/numbers``.
  init(_ words: UnsafePointer<ReadableWord?>, speakAlways: Bool) {
    self.words = words
    self.speakAlways = speakAlways
    var longest: Int?
    for index in 0..<SpokenNumber.numbers.count {
      if let word = words[index] { longest = max(longest ?? 0, word.onset) }
    }
    longestOnset = longest
  }

  subscript(number: Int) -> ReadableWord? { SpokenNumber.numbers.contains(number) ? words[number - 1] : nil }
}

struct ReadableBank: BitwiseCopyable {
  let clicks: PerLevel<ReadableSamples>
  let cowbells: PerLevel<ReadableSamples>
  let words: ReadableWords
  let isStereo: Bool

  subscript(level: Level, sound: Voice.Sound) -> ReadableSamples {
    switch sound {
    case .click: clicks[level]
    case .cowbell: cowbells[level]
    }
  }
}
