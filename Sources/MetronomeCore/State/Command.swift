/// What a gesture means: one thing the metronome is asked to do.
public enum Command: Hashable, Sendable {
  /// Starts if stopped, stops if playing.
  case togglePlaying
  case start
  case stop
  case setTempo(Tempo)
  /// Goes up or down by thousandths of a BPM, and stays at the end of the range.
  case stepTempo(byMilliBPM: Int)
  /// Back to the tempo it was configured with.
  case resetTempo
  /// A finger beats the time: see ``TapTempo``.
  case tap
  /// Sets the beats in a bar, as near as the limit allows.
  case setNumerator(Int)
  case nextNumerator
  case previousNumerator
  /// Sets the note that lasts a beat, if the limit allows it; the numerator comes down with it where it must.
  case setDenominator(Int)
  case nextDenominator
  case previousDenominator
  /// Lights only, or sound again.
  case toggleSilence
  /// Tells the tempo by light and buzzer.
  case tellTempo
  /// Tells the signature by light and buzzer.
  case tellSignature
  /// The preset after the one recalled last, after the last one the first.
  case nextPreset
  case previousPreset
  /// The preset at this place of the list, counted from 1.
  case recallPreset(Int)
  /// Keeps tempo and signature at this place of the list, counted from 1.
  case storePreset(Int)
}

/// What the metronome is set to: what it plays, when it plays.
public struct Settings: Hashable, Sendable {
  public var tempo: Tempo
  public var signature: Signature
  /// Lights only. No part of what the timeline is made of.
  public var isSilent: Bool
  /// How far the numerator may go.
  public internal(set) var limit: NumeratorLimit

  /// 120 BPM, 4/4, with sound, the numerator limited by the denominator.
  public init(
    tempo: Tempo = .initial, signature: Signature = .initial, isSilent: Bool = false,
    limit: NumeratorLimit = .denominator
  ) {
    self.tempo = tempo
    self.signature = signature
    self.isSilent = isSilent
    self.limit = limit
  }

  /// These settings after a command; the same for one that only starts or stops or asks, and for those that need more than
  /// the settings to be carried out: taps and presets.
  ///
  /// - Parameter homeTempo: where ``Command/resetTempo`` leads.
  func after(_ command: Command, homeTempo: Tempo) -> Settings {
    var settings = self
    switch command {
    case .togglePlaying, .start, .stop, .tap, .tellTempo, .tellSignature, .nextPreset, .previousPreset, .recallPreset,
      .storePreset:
      break
    case .setTempo(let tempo): settings.tempo = tempo
    case .stepTempo(let step): settings.tempo = tempo.stepped(byMilliBPM: step)
    case .resetTempo: settings.tempo = homeTempo
    case .setNumerator(let numerator): settings.signature = signature.with(numerator: numerator, limit: limit)
    case .nextNumerator: settings.signature = signature.nextNumerator(limit: limit)
    case .previousNumerator: settings.signature = signature.previousNumerator(limit: limit)
    case .setDenominator(let denominator):
      settings.signature = signature.with(denominator: denominator, limit: limit)
    case .nextDenominator: settings.signature = signature.nextDenominator(limit: limit)
    case .previousDenominator: settings.signature = signature.previousDenominator(limit: limit)
    case .toggleSilence: settings.isSilent.toggle()
    }
    return settings
  }

  /// These settings with what a preset says, as near as the limit allows.
  func recalling(_ preset: Preset) -> Settings {
    var settings = self
    settings.tempo = preset.tempo
    settings.signature = preset.signature.limited(by: limit)
    return settings
  }
}

/// What the metronome answers to a command by light and buzzer, where the beat itself is no answer.
public enum Reply: Hashable, Sendable {
  case tempo(Tempo)
  case signature(Signature)
  /// A preset is stored.
  case stored
  /// What was asked for is not to be had: a preset that is not there, a list that is full.
  case refused
}

/// What of the metronome's behaviour is a matter of configuration, and no hand changes.
public struct Rules: Hashable, Sendable {
  /// Where ``Command/resetTempo`` leads.
  public var homeTempo: Tempo
  /// Bars that are counted in before the first, 0 to ``mostCountedIn``.
  public var countIn: Int
  /// Whether a tapped tempo is rounded to whole beats per minute.
  public var tapRounds: Bool
  /// Whether tapping starts a metronome that is stopped.
  public var tapStarts: Bool
  /// After how long untouched it stops; nil: never.
  public var autoStop: Nanoseconds?

  public static let mostCountedIn = 4

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
