import MetronomeCore

/// What each gesture means. A button or a pair that is not there means nothing.
public struct Bindings: Hashable, Sendable {
  /// The gestures of one button. Never both long and repeat.
  public struct Gestures: Hashable, Sendable {
    public var short: Command?
    public var long: Command?
    public var repetition: Command?

    public init(short: Command? = nil, long: Command? = nil, repetition: Command? = nil) {
      self.short = short
      self.long = long
      self.repetition = repetition
    }
  }

  /// Two buttons together, whichever comes first.
  public struct Chord: Hashable, Sendable {
    /// In the order of `Button.allCases`.
    public let buttons: [Button]

    /// nil for a button with itself.
    public init?(_ one: Button, _ other: Button) {
      guard one != other else { return nil }
      buttons = Button.allCases.filter { $0 == one || $0 == other }
    }
  }

  public var buttons: [Button: Gestures]
  public var chords: [Chord: Command]

  public init(buttons: [Button: Gestures], chords: [Chord: Command]) {
    self.buttons = buttons
    self.chords = chords
  }

  public static let standard = Bindings(
    buttons: [
      .play: Gestures(short: .togglePlaying, long: .toggleSilence),
      .slower: Gestures(short: .stepTempo(byMilliBPM: -1_000), repetition: .stepTempo(byMilliBPM: -1_000)),
      .faster: Gestures(short: .stepTempo(byMilliBPM: 1_000), repetition: .stepTempo(byMilliBPM: 1_000)),
      .numerator: Gestures(short: .nextNumerator, repetition: .previousNumerator),
      .denominator: Gestures(short: .nextDenominator, repetition: .previousDenominator),
      .tap: Gestures(short: .tap),
      .presetNext: Gestures(short: .nextPreset),
      .presetPrevious: Gestures(short: .previousPreset),
      .preset1: Gestures(short: .recallPreset(1), long: .storePreset(1)),
      .preset2: Gestures(short: .recallPreset(2), long: .storePreset(2)),
      .preset3: Gestures(short: .recallPreset(3), long: .storePreset(3)),
      .preset4: Gestures(short: .recallPreset(4), long: .storePreset(4)),
    ],
    chords: [
      Chord(.slower, .faster)!: .resetTempo,
      Chord(.play, .faster)!: .tellTempo,
      Chord(.play, .numerator)!: .tellSignature,
    ])
}
