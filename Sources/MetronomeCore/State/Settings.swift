/// What is played without a score: a tempo, a signature, the note that the tempo counts, and a rhythm.
public struct Music: Hashable, Sendable {
  public var tempo: Tempo
  public var signature: Signature
  /// The note value that the tempo counts.
  public var unit: BeatUnit
  /// Its pattern applies in signatures that it fills.
  public var rhythm: Rhythm

  /// 120 BPM and 4/4 without a pattern, unless given.
  public init(
    tempo: Tempo = .initial, signature: Signature = .initial, unit: BeatUnit = .quarter, rhythm: Rhythm = Rhythm()
  ) {
    (self.tempo, self.signature, self.unit, self.rhythm) = (tempo, signature, unit, rhythm)
  }

  public init(_ tempo: Tempo, _ bar: Bar) {
    self.init(tempo: tempo, signature: bar.metre.signature, unit: bar.metre.unit, rhythm: bar.rhythm)
  }

  /// The bar that is played: without a pattern that does not fill it.
  public var bar: Bar { Bar(Metre(signature, unit: unit), rhythm) }
}

/// Some values of a music that replace others; nil keeps a value.
public struct MusicChange: Hashable, Sendable {
  public var tempo: Tempo?
  public var signature: Signature?
  public var unit: BeatUnit?
  public var rhythm: Rhythm?

  public init(
    tempo: Tempo? = nil, signature: Signature? = nil, unit: BeatUnit? = nil, rhythm: Rhythm? = nil
  ) {
    (self.tempo, self.signature, self.unit, self.rhythm) = (tempo, signature, unit, rhythm)
  }

  /// What differs between two.
  public init(from old: Music, to new: Music) {
    tempo = new.tempo == old.tempo ? nil : new.tempo
    signature = new.signature == old.signature ? nil : new.signature
    unit = new.unit == old.unit ? nil : new.unit
    rhythm = new.rhythm == old.rhythm ? nil : new.rhythm
  }

  /// All values of a music.
  public init(_ music: Music) {
    self.init(tempo: music.tempo, signature: music.signature, unit: music.unit, rhythm: music.rhythm)
  }

  public var isEmpty: Bool { self == MusicChange() }

  public func applied(to music: Music) -> Music {
    Music(
      tempo: tempo ?? music.tempo, signature: signature ?? music.signature, unit: unit ?? music.unit,
      rhythm: rhythm ?? music.rhythm)
  }
}

/// What has a tempo, a signature, a beat unit and a rhythm.
public protocol HasMusic {
  var music: Music { get set }
}

extension HasMusic {
  public var tempo: Tempo {
    get { music.tempo }
    set { music.tempo = newValue }
  }

  public var signature: Signature {
    get { music.signature }
    set { music.signature = newValue }
  }

  /// The note value that the tempo counts.
  public var unit: BeatUnit {
    get { music.unit }
    set { music.unit = newValue }
  }

  /// Its pattern applies in signatures that it fills.
  public var rhythm: Rhythm {
    get { music.rhythm }
    set { music.rhythm = newValue }
  }
}

/// The metronome's settings, which commands change.
public struct Settings: HasMusic, Hashable, Sendable {
  public var music: Music
  /// Whether only the lights are on.
  public var isSilent: Bool
  public var volume: Volume
  /// The set of clicks that the player chose; nil: the configured one.
  public var set: Voice.Sound?
  public internal(set) var limit: NumeratorLimit
  public var trainer = Trainer()

  public var bar: Bar { Bar(Metre(signature, unit: unit), rhythm, filter: trainer.filter) }

  /// 120 BPM, 4/4 without a pattern, with sound at 0 dB, every signature allowed.
  public init(
    _ music: Music = Music(), isSilent: Bool = false, volume: Volume = .full, limit: NumeratorLimit = .none
  ) {
    self.music = music
    set = music.rhythm.set
    self.music.rhythm.set = nil
    self.isSilent = isSilent
    self.volume = volume
    self.limit = limit
  }

  /// These settings after a command. Taps and presets are handled by the metronome.
  func after(_ command: Command, homeTempo: Tempo) -> Settings {
    var settings = self
    switch command {
    case .togglePlaying, .start, .stop, .tap, .tellTempo, .tellSignature, .nextPreset, .previousPreset, .recallPreset,
      .storePreset, .nextSection, .previousSection, .restartSection, .nextSong, .previousSong,
      .toggleRamp, .setRamp, .setClickSet, .nextClickSet, .pair, .forgetPhones:
      break
    case .nextGap: settings.trainer.stepGap()
    case .toggleDrop: settings.trainer.toggleDrop()
    case .toggleTimer: settings.trainer.isTimed.toggle()
    case .setTimer(let wanted): settings.trainer.setTimer(wanted)
    case .setGap(let wanted): settings.trainer.setGap(wanted)
    case .setDrop(let wanted): settings.trainer.setDrop(wanted)
    case .setTempo(let tempo): settings.tempo = tempo
    case .stepTempo(let step): settings.tempo = tempo.stepped(byMilliBPM: step)
    case .resetTempo: settings.tempo = homeTempo
    case .setNumerator(let numerator): settings.signature = signature.with(numerator: numerator, limit: limit)
    case .nextNumerator: settings.signature = signature.nextNumerator(limit: limit)
    case .previousNumerator: settings.signature = signature.previousNumerator(limit: limit)
    case .setDenominator(let denominator): settings.signature = signature.with(denominator: denominator, limit: limit)
    case .nextDenominator: settings.signature = signature.nextDenominator(limit: limit)
    case .previousDenominator: settings.signature = signature.previousDenominator(limit: limit)
    case .nextSubdivision: settings.rhythm = rhythm.nextSubdivision(over: signature.denominator)
    case .previousSubdivision: settings.rhythm = rhythm.previousSubdivision(over: signature.denominator)
    case .nextAccents: settings.music = Music(tempo, bar.nextAccents)
    case .toggleSilence: settings.isSilent.toggle()
    case .volumeUp: settings.volume = volume.louder
    case .volumeDown: settings.volume = volume.softer
    case .setSignature(let wanted): settings.signature = wanted.limited(by: limit)
    case .setUnit(let wanted): settings.unit = wanted
    case .setRhythm(let wanted): settings.use(Music(tempo: tempo, signature: signature, unit: unit, rhythm: wanted))
    case .setVolume(let wanted): settings.volume = wanted
    }
    return settings
  }

  /// Another music, whose signature is reduced to what the limit allows. A set of its rhythm becomes the chosen one.
  package mutating func use(_ music: Music) {
    self.music = music
    set = rhythm.set ?? set
    rhythm.set = nil
    signature = signature.limited(by: limit)
  }
}

extension BeatUnit {
  /// How many quarters it has.
  package var quarters: Double { Double(isDotted ? 12 : 4) / Double(denominator) }
}

extension Settings {
  /// The tempo in thousandths of a quarter per minute.
  package var milliQuartersPerMinute: Int { Int((Double(tempo.milliBPM) * unit.quarters).rounded()) }
}

/// Settings that only the configuration changes.
public struct Rules: Hashable, Sendable {
  /// The tempo that ``Command/resetTempo`` restores.
  public var homeTempo: Tempo
  /// Count-in bars before the first bar, 0 to ``maxCountedIn``.
  public var countIn: Int
  /// Whether a tapped tempo is rounded to whole beats per minute.
  public var tapRounds: Bool
  /// Whether tapping starts a stopped metronome.
  public var tapStarts: Bool
  /// The set of clicks until the player chooses one.
  public var homeSet = Voice.Sound.click
  /// Stops the metronome after this time without input; nil: never.
  public var autoStop: Nanoseconds?

  public static let maxCountedIn = 4

  public init(
    homeTempo: Tempo = .initial, countIn: Int = 0, tapRounds: Bool = true, tapStarts: Bool = false,
    autoStop: Nanoseconds? = nil
  ) {
    self.homeTempo = homeTempo
    self.countIn = countIn
    self.tapRounds = tapRounds
    self.tapStarts = tapStarts
    self.autoStop = autoStop
  }
}
