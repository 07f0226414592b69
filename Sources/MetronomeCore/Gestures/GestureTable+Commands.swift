extension GestureTable<Command> {
  /// What the buttons of a box do that is not configured otherwise.
  public static let standard: GestureTable = {
    var table = GestureTable()
    table.bind(.short(.play), to: .togglePlaying)
    table.bind(.long(.play), to: .toggleSilence)
    table.bind(.short(.slower), to: .stepTempo(byMilliBPM: -1_000))
    table.bind(.repeated(.slower), to: .stepTempo(byMilliBPM: -1_000))
    table.bind(.short(.faster), to: .stepTempo(byMilliBPM: 1_000))
    table.bind(.repeated(.faster), to: .stepTempo(byMilliBPM: 1_000))
    table.bind(.short(.numerator), to: .nextNumerator)
    table.bind(.repeated(.numerator), to: .previousNumerator)
    table.bind(.short(.denominator), to: .nextDenominator)
    table.bind(.repeated(.denominator), to: .previousDenominator)
    table.bind(.short(.tap), to: .tap)
    table.bind(.short(.presetNext), to: .nextPreset)
    table.bind(.short(.presetPrevious), to: .previousPreset)
    for (place, button) in [Button.preset1, .preset2, .preset3, .preset4].enumerated() {
      table.bind(.short(button), to: .recallPreset(place + 1))
      table.bind(.long(button), to: .storePreset(place + 1))
    }
    table.bind(.slower, with: .faster, to: .resetTempo)
    table.bind(.play, with: .faster, to: .tellTempo)
    table.bind(.play, with: .numerator, to: .tellSignature)
    return table
  }()

  /// Sets what a gesture does. Whether a short press acts at its edge follows from ``Command/isUrgent`` and from what else
  /// the button is for.
  ///
  /// Traps where a button would get a long press and a repetition both; to change one for the other, unbind it first.
  ///
  /// - Parameters:
  ///   - gesture: is unbound from what it meant before.
  ///   - command: nil: nothing any more.
  public mutating func bind(_ gesture: Gesture, to command: Command?) {
    set(gesture, to: command, isUrgent: command?.isUrgent ?? false)
  }

  /// Sets what two different buttons do together.
  private mutating func bind(_ one: Button, with other: Button, to command: Command) {
    guard let pair = ButtonPair(one, other) else { preconditionFailure("a chord of one button") }
    bind(.chord(pair), to: command)
  }
}
