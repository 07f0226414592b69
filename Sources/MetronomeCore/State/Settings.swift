/// What the metronome is set to: what it plays, when it plays.
public struct Settings: Hashable, Sendable {
  public var tempo: Tempo
  public var signature: Signature
  public let limit: NumeratorLimit

  /// 120 BPM, 4/4, the numerator limited by the denominator.
  public init(tempo: Tempo = .initial, signature: Signature = .initial, limit: NumeratorLimit = .denominator) {
    self.tempo = tempo
    self.signature = signature
    self.limit = limit
  }

  /// These settings after a command; the same for one that only starts or stops.
  func after(_ command: Command) -> Settings {
    var settings = self
    switch command {
    case .togglePlaying, .start, .stop, .resetTempo, .tap, .previousNumerator, .previousDenominator, .toggleSilence,
      .tellTempo, .tellSignature, .nextPreset, .previousPreset, .recallPreset, .storePreset:
      break
    case .setTempo(let tempo): settings.tempo = tempo
    case .stepTempo(let step): settings.tempo = tempo.stepped(byMilliBPM: step)
    case .setNumerator(let numerator): settings.signature = signature.with(numerator: numerator, limit: limit)
    case .nextNumerator: settings.signature = signature.nextNumerator(limit: limit)
    case .setDenominator(let denominator):
      settings.signature = signature.with(denominator: denominator, limit: limit)
    case .nextDenominator: settings.signature = signature.nextDenominator(limit: limit)
    }
    return settings
  }
}
