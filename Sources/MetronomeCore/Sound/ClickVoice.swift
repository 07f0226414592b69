import RealModule

/// The sound of a click, as samples between -1 and 1.
///
/// A click resembles a small struck bar: a tone with a soft attack that decays in a few milliseconds. Its upper partials are
/// those of a free bar, at 2.76 and 5.40 times the lowest. The strong click is higher than the weak one by an octave and almost
/// a quarter tone, and the medium click is in the middle. A cowbell resembles that of a drum machine: two square waves a fifth
/// apart, of which the lower has only its fundamental. Its strong beats are higher by almost a whole tone.
///
/// Small speakers play little below 2 kHz. The strongest partials that they play differ: 2.3 kHz (strong), 4.4 kHz (medium),
/// 3.1 kHz (weak), and 3.9 and 3.5 kHz (cowbell).
///
/// All rates sample the same continuous sound, which has value and slope 0 at both ends and no DC offset. At 44,100 Hz and
/// more, its spectrum above 0.42 times the rate is 100 dB below its peak, so that it can be placed between frames
/// (``FractionalDelay``).
public struct ClickVoice: Hashable, Sendable {
  public let samples: [Float]
  /// The peak magnitude, in every voice at every rate.
  public static let peak: Float = 1

  /// The voice of a level, at a rate in frames per second. A ghost's is the weak one; ``ClickSounds`` makes it quieter.
  public init(_ level: Level, of sound: Voice.Sound = .click, rate: Int) {
    let partials = ClickVoice.partials(of: level, sound)
    let count = Int((ClickVoice.length * Double(rate)).rounded())
    var wave = [Double](repeating: 0, count: count)
    for partial in partials where partial.frequency < 0.35 * Double(rate) { partial.add(to: &wave, rate: rate) }
    let highest = wave.map(\.magnitude).max() ?? 1
    samples = wave.map { Float($0 / highest) * ClickVoice.peak }
  }

  private struct Partial {
    /// Hz.
    var frequency: Double
    var amplitude: Double
    /// Decay time to 1/e, in seconds.
    var decay: Double

    /// Adds the partial, in the phase in which its samples add up to zero.
    func add(to wave: inout [Double], rate: Int) {
      var (cosines, sines): ([Double], [Double]) = ([], [])
      for n in wave.indices {
        let time = Double(n) / Double(rate)
        let level = amplitude * Double.exp(-time / decay) * ClickVoice.envelope(at: time)
        cosines.append(level * Double.cos(2 * .pi * frequency * time))
        sines.append(level * Double.sin(2 * .pi * frequency * time))
      }
      let (cosine, sine) = (cosines.reduce(0, +), sines.reduce(0, +))
      let scale = 1 / (cosine * cosine + sine * sine).squareRoot()
      for n in wave.indices { wave[n] += (cosines[n] * sine - sines[n] * cosine) * scale }
    }
  }

  /// In its first 5 ms, a click crosses zero as often as its lowest partial alone.
  private static func partials(of level: Level, _ sound: Voice.Sound) -> [Partial] {
    switch (sound, level) {
    case (.click, .strong):
      [
        Partial(frequency: 2_300, amplitude: 1, decay: 0.004_5),
        Partial(frequency: 6_348, amplitude: 0.4, decay: 0.002_5),
      ]
    case (.click, .medium):
      // The pitch is the geometric mean of strong and weak.
      [
        Partial(frequency: 1_605, amplitude: 1, decay: 0.005_5),
        Partial(frequency: 4_430, amplitude: 0.45, decay: 0.005),
        Partial(frequency: 8_667, amplitude: 0.1, decay: 0.001),
      ]
    case (.click, _):
      [
        Partial(frequency: 1_120, amplitude: 1, decay: 0.005),
        Partial(frequency: 3_091, amplitude: 0.5, decay: 0.004),
        Partial(frequency: 6_048, amplitude: 0.12, decay: 0.001_75),
      ]
    case (.cowbell, .strong): cowbell(low: 870, high: 1_305)
    case (.cowbell, _): cowbell(low: 780, high: 1_170)
    }
  }

  private static func cowbell(low: Double, high: Double) -> [Partial] {
    [
      Partial(frequency: low, amplitude: 1, decay: 0.008),
      Partial(frequency: high, amplitude: 0.8, decay: 0.006),
      Partial(frequency: 3 * high, amplitude: 0.7, decay: 0.005),
      Partial(frequency: 5 * high, amplitude: 0.25, decay: 0.003),
    ]
  }

  /// Duration in seconds.
  private static let length = 0.036
  /// Attack in seconds: the shorter, the wider the spectrum.
  private static let attack = 0.000_6
  /// Fade-out at the end, in seconds.
  private static let fade = 0.014

  /// Raised cosines at both ends.
  private static func envelope(at time: Double) -> Double {
    func rise(_ part: Double) -> Double { part >= 1 ? 1 : (1 - Double.cos(.pi * part)) / 2 }
    return rise(time / attack) * rise((length - time) / fade)
  }
}

/// Converts the user's volume setting into a factor for samples.
public enum ClickGain {
  /// The volume is cubed as in PulseAudio (`pulse/volume.c`): half the volume is 18 dB less. Half as loud is about 10 dB less,
  /// at two thirds of the volume. `volume` is clamped to 0…1, `gainDB` to -60…20.
  public static func factor(volume: Double, gainDB: Double = 0) -> Double {
    let volume = min(1, max(0, volume))
    return volume * volume * volume * Double.exp10(min(20, max(-60, gainDB)) / 20)
  }
}

/// Where the samples of a click come from.
public enum ClickSound: Hashable, Sendable {
  /// The built-in voice of a level.
  case synthesised(Voice.Sound, Level)
  case recorded(WAVSound)

  /// The samples at a rate in frames per second, for each of one or two channels. Resampling a recording takes time.
  public func channels(rate: Int) -> [[Float]] {
    switch self {
    case .synthesised(let sound, let level): [ClickVoice(level, of: sound, rate: rate).samples]
    case .recorded(let recording): recording.channels(rate: rate)
    }
  }
}

/// The recorded word for a number of the spoken count.
public struct SpokenNumber: Hashable, Sendable {
  /// A bar has at most this many beats.
  public static let numbers = 1...Signature.highestNumerator
  /// The highest ``onset``: the beginnings of words such as "three" and "six" take up to 0.2 s.
  public static let longestOnset = Nanoseconds.milliseconds(300)
  /// The longest duration in seconds.
  public static let longest = 2

  public let recording: WAVSound
  /// The time from the first frame of the recording to the beginning of the first vowel, where a word is perceived. This
  /// instant falls on the beat. It is before the end of the recording.
  public let onset: Nanoseconds

  public init(_ recording: WAVSound, onset: Nanoseconds) {
    self.recording = recording
    self.onset = onset
  }

  /// The onset in frames at a rate, rounded to the nearest.
  public func onset(rate: Int) -> Int { Int((onset.count * Int64(rate) + 500_000_000) / 1_000_000_000) }
}

/// The sounds of the clicks, and their volume.
public struct ClickSounds: Hashable, Sendable {
  /// The gain of a ghost without its own recording: -10 dB, about half as loud.
  public static let ghostGain: Float = 0.316

  /// The user's recordings for ``Voice/Sound/click``; nil: see ``source(of:in:)``. A rest has none.
  public var recordings: PerLevel<WAVSound?>
  /// The words that replace the clicks of the beats with these numbers in the bar, counted from 1. Other beats click.
  public var numbers: [Int: SpokenNumber] = [:]
  /// Whether all beats speak their numbers; otherwise only the beats in sections of a score with `say` do.
  public var speaksAlways = true
  /// Perceived loudness, 0 to 1; see ``ClickGain``.
  public var volume: Double
  /// Additional gain in decibels, -60 to 20.
  public var gainDB: Double

  public init(
    _ recordings: PerLevel<WAVSound?> = PerLevel(repeating: nil), volume: Double = 0.8, gainDB: Double = 0
  ) {
    self.recordings = recordings
    self.volume = volume
    self.gainDB = gainDB
  }

  /// What a level plays, and its gain without the volume.
  ///
  /// A level with a recording plays it. Without one, medium plays the recording of weak if both strong and weak have one: a
  /// built-in click would not fit between them. A ghost plays what weak plays, at ``ghostGain``. All others are built in. A
  /// cowbell has no recordings, and its medium level is its weak one. A rest is never played.
  public func source(of level: Level, in sound: Voice.Sound = .click) -> (sound: ClickSound, gain: Float) {
    if sound == .click, let recording = recordings[level] { return (.recorded(recording), 1) }
    switch level {
    case .strong, .weak: return (.synthesised(sound, level), 1)
    case .medium:
      let isBetweenRecordings = recordings.strong != nil && recordings.weak != nil
      if sound == .cowbell || isBetweenRecordings { return source(of: .weak, in: sound) }
      return (.synthesised(sound, .medium), 1)
    case .ghost, .rest: return (source(of: .weak, in: sound).sound, ClickSounds.ghostGain)
    }
  }

  /// How long before a beat a word may begin; zero without a spoken count.
  public var longestOnset: Nanoseconds { numbers.values.map(\.onset).max() ?? .zero }

  /// The factor of the volume and the gain for the samples of every click.
  public var factor: Float { Float(ClickGain.factor(volume: volume, gainDB: gainDB)) }
}

/// The player's volume: from 0 dB, at which clicks are as loud as configured, down to -36 dB, in exact steps of 1.5 dB.
///
/// Silent mode is independent of it. Lines have no volume: a buzzer is on or off.
public struct Volume: Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
  /// The number of steps below 0 dB, from 0 to 24.
  public let stepsDown: Int

  public static let full = Volume(stepsDown: 0)
  /// From the loudest to the softest: 0 dB, -1.5 dB and so on.
  public static let all = (0...24).map { Volume(stepsDown: $0) }

  private init(stepsDown: Int) { self.stepsDown = stepsDown }

  /// The volume whose ``number`` is this text; nil for any other text.
  public init?(number text: some StringProtocol) {
    guard let volume = Volume.all.first(where: { $0.number == text }) else { return nil }
    self = volume
  }

  /// The decibels as text, such as `0`, `-1.5` or `-36`.
  public var number: String {
    let halves = 3 * stepsDown
    return (halves > 0 ? "-" : "") + "\(halves / 2)" + (halves & 1 == 1 ? ".5" : "")
  }

  /// Such as `-1.5 dB`.
  public var description: String { "\(number) dB" }

  /// The factor for samples: exactly 1 at 0 dB.
  public var gain: Float { stepsDown == 0 ? 1 : Float(Double.exp10(-1.5 * Double(stepsDown) / 20)) }

  /// One step louder; 0 dB remains 0 dB.
  public var louder: Volume { Volume(stepsDown: max(stepsDown - 1, 0)) }

  /// One step softer; -36 dB remains -36 dB.
  public var softer: Volume { Volume(stepsDown: min(stepsDown + 1, Volume.all.count - 1)) }
}
