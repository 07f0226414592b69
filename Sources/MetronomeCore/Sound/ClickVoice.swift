import RealModule

/// The sound of a click, as samples between -1.05 and 1.05.
///
/// The first set resembles a small struck bar: a tone with a soft attack that decays in a few milliseconds. Its upper partials are
/// those of a free bar, at 2.76 and 5.40 times the lowest. The strong click is higher than the weak one by an octave and almost
/// a quarter tone, and the medium click is in the middle. A cowbell resembles that of a drum machine: two square waves a fifth
/// apart, of which the lower has only its fundamental. Its strong beats are higher by almost a whole tone. The other sets are wood
/// block, rim, hi-hat, beep, a mechanical metronome, and a soft and a dry click.
///
/// All sets are equally loud: see `Documentation/Sound.md`.
///
/// All rates sample the same continuous sound, which has value and slope 0 at both ends and no DC offset. At 44,100 Hz and
/// more, its spectrum above 0.42 times the rate is 100 dB below its peak, so that it can be placed between frames
/// (``FractionalDelay``).
public struct ClickVoice: Hashable, Sendable {
  public let samples: [Float]

  /// The voice of a level, at a rate in frames per second. A ghost's is the weak one; ``ClickSounds`` makes it quieter.
  public init(_ level: Level, of sound: Voice.Sound = .click, rate: Int) {
    samples = ClickRecipe(level, of: sound).samples(rate: rate)
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

/// The sounds of the clicks, and their volume.
public struct ClickSounds: Hashable, Sendable {
  /// The gain of a ghost without its own recording: -10 dB, about half as loud.
  public static let ghostGain: Float = 0.316

  /// The user's recordings for ``Voice/Sound/click``; nil: see ``source(of:in:)``. A rest has none.
  public var recordings: PerLevel<WAVSound?>
  /// The sounds of levels that are not those of the chosen set.
  public var levels: PerLevel<Voice.Sound?> = PerLevel(repeating: nil)
  /// The sounds of the beats with these numbers in the bar, counted from 1. A level's recording wins.
  public var beats: [Int: Voice.Sound] = [:]
  /// The words that replace the clicks of the beats with these numbers in the bar, counted from 1. Other beats click. The words of
  /// subdivisions are at their places after 32, in the order e, and, a, trip, let.
  public var numbers: [Int: SpokenNumber] = [:]
  /// Whether all beats speak their numbers; otherwise only the beats in sections of a score with `say` do.
  public var speaksAlways = true
  /// Whether the beats of the count-in speak their numbers.
  public var speaksInCountIn = false
  /// Whether the slots within a beat that speaks are spoken, too.
  public var speaksSubdivisions = false
  /// Which sounds go to which channels of the card.
  public var routes = ClickRoutes.standard
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
  /// built-in click would not fit between them. A ghost plays what weak plays, at ``ghostGain``. All others are built in. Only
  /// ``Voice/Sound/click`` has recordings. The medium level of a cowbell is its weak one. A rest is never played.
  public func source(of level: Level, in sound: Voice.Sound = .click) -> (sound: ClickSound, gain: Float) {
    sound == .click ? ownSource(of: level) ?? builtIn(level, sound) : builtIn(level, sound)
  }

  /// What a level plays whatever set is chosen: a recording, or the sound of ``levels``; nil: the set decides.
  package func ownSource(of level: Level) -> (sound: ClickSound, gain: Float)? {
    if let recording = recordings[level] { return (.recorded(recording), 1) }
    if let sound = levels[level] { return builtIn(level, sound) }
    switch level {
    case .medium where recordings.strong != nil && recordings.weak != nil: return ownSource(of: .weak)
    case .ghost, .rest: return ownSource(of: .weak).map { ($0.sound, ClickSounds.ghostGain) }
    case .strong, .medium, .weak: return nil
    }
  }

  private func builtIn(_ level: Level, _ sound: Voice.Sound) -> (sound: ClickSound, gain: Float) {
    switch level {
    case .medium where sound != .cowbell: (.synthesised(sound, .medium), 1)
    case .strong: (.synthesised(sound, .strong), 1)
    case .medium, .weak: (.synthesised(sound, .weak), 1)
    case .ghost, .rest: (.synthesised(sound, .weak), ClickSounds.ghostGain)
    }
  }

  /// How long before a beat a word may begin; zero without a spoken count.
  public var longestOnset: Nanoseconds { numbers.values.map(\.onset).max() ?? .zero }

  /// The same sounds with other routes.
  package func routed(_ routes: ClickRoutes) -> ClickSounds {
    var sounds = self
    sounds.routes = routes
    return sounds
  }

  /// The factor of the volume and the gain for the samples of every click.
  public var factor: Float { Float(ClickGain.factor(volume: volume, gainDB: gainDB)) }
}

/// What a sound card does not share with another one: the gain of its sounds, and the channels to which they go.
public struct CardSounds: Hashable, Sendable {
  /// In decibels, -60 to 20.
  public var gainDB: Double
  public var routes: ClickRoutes

  public init(gainDB: Double = 0, routes: ClickRoutes = .standard) { (self.gainDB, self.routes) = (gainDB, routes) }
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
