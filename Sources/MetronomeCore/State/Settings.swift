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
