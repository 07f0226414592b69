extension Command {
  /// Whether a musician hears or sees it when it is late: such a command acts at the edge of its press, even though the
  /// press may yet turn out to be the beginning of something else. Then it is taken back.
  public var isUrgent: Bool {
    switch self {
    case .togglePlaying, .start, .stop, .tap, .stepTempo, .setTempo, .resetTempo: true
    case .setNumerator, .nextNumerator, .previousNumerator, .setDenominator, .nextDenominator, .previousDenominator,
      .toggleSilence, .tellTempo, .tellSignature, .nextPreset, .previousPreset, .recallPreset, .storePreset:
      false
    }
  }

  /// The command done in so many steps. Only steps of tempo grow; all else is done once.
  public func inSteps(_ steps: Int) -> Command {
    switch self {
    case .stepTempo(let milliBPM): .stepTempo(byMilliBPM: milliBPM * steps)
    case .togglePlaying, .start, .stop, .setTempo, .resetTempo, .tap, .setNumerator, .nextNumerator,
      .previousNumerator, .setDenominator, .nextDenominator, .previousDenominator, .toggleSilence, .tellTempo,
      .tellSignature, .nextPreset, .previousPreset, .recallPreset, .storePreset:
      self
    }
  }
}
