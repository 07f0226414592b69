/// The metronome's settings, which commands change.
public struct Settings: HasMusic, Hashable, Sendable {
  public var music: Music
  /// Whether only the lights are on.
  public var isSilent: Bool
  public var volume: Volume
  public internal(set) var limit: NumeratorLimit
  public var trainer = Trainer()

  public var bar: Bar { Bar(Metre(signature, unit: unit), rhythm, filter: trainer.filter) }

  /// 120 BPM, 4/4 without a pattern, with sound at 0 dB, every signature allowed.
  public init(
    _ music: Music = Music(), isSilent: Bool = false, volume: Volume = .full, limit: NumeratorLimit = .none
  ) {
    self.music = music
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
      .toggleRamp, .setRamp, .pair, .forgetPhones:
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
    case .setRhythm(let wanted): settings.rhythm = wanted
    case .setVolume(let wanted): settings.volume = wanted
    }
    return settings
  }

  /// Another music, whose signature is reduced to what the limit allows.
  package mutating func use(_ music: Music) {
    self.music = music
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
