import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// What the box is set to, and how it is wired: all that its configuration file says.
public struct Configuration: Hashable, Sendable {
  public var tempo: Tempo
  /// One that ``numeratorLimit`` allows.
  public var signature: Signature
  public var numeratorLimit: NumeratorLimit
  public var autoplay: Autoplay
  /// Whether tempo, signature and mode are as they were when the box was switched off, and not as configured.
  public var restores: Bool
  /// Bars that are counted in before the first, 0 to `Rules.mostCountedIn`.
  public var countIn: Int
  /// After how long untouched the metronome stops, ``autoStopRange``; nil: never.
  public var autoStop: Nanoseconds?
  /// For how long a button's contact may bounce, in whole milliseconds, 1 to 100.
  public var lockOut: Nanoseconds
  public var tap: TapRules
  public var gestures: GestureTable<Command>
  public var wiring: Wiring
  public var pattern: OutputPattern
  public var audio: AudioRequest
  /// Of the clicks, 0 to 1, as loud as it sounds; see `ClickGain`.
  public var volume: Double
  /// In whole microseconds.
  public var latencies: OutputLatencies
  /// Decibels on top of the volume, -60 to 20.
  public var gainDB: Double
  public var clickFiles: ClickFiles
  /// Whether the beat thread is awake before each change of a line, and watches the clock.
  public var spins: Bool

  /// What ``autoStop`` may be.
  public static let autoStopRange = Nanoseconds.seconds(1)...Nanoseconds.seconds(86_400)

  public init(
    tempo: Tempo = .initial, signature: Signature = .initial, numeratorLimit: NumeratorLimit = .denominator,
    autoplay: Autoplay = .never, restores: Bool = true, countIn: Int = 0, autoStop: Nanoseconds? = nil,
    lockOut: Nanoseconds = Debouncer.standardLockOut, tap: TapRules = TapRules(),
    gestures: GestureTable<Command> = .standard, wiring: Wiring = .standard, pattern: OutputPattern = OutputPattern(),
    audio: AudioRequest = AudioRequest(), volume: Double = 0.8,
    gainDB: Double = 0, clickFiles: ClickFiles = ClickFiles(), latencies: OutputLatencies = .none,
    spins: Bool = true
  ) {
    self.tempo = tempo
    self.signature = signature
    self.numeratorLimit = numeratorLimit
    self.autoplay = autoplay
    self.restores = restores
    self.countIn = countIn
    self.autoStop = autoStop
    self.lockOut = lockOut
    self.tap = tap
    self.gestures = gestures
    self.wiring = wiring
    self.pattern = pattern
    self.audio = audio
    self.volume = volume
    self.latencies = latencies
    self.gainDB = gainDB
    self.clickFiles = clickFiles
    self.spins = spins
  }

  /// The built-in one, in force where no file says otherwise.
  public static let standard = Configuration()

  /// The buttons that there are, on the box or on a device beside it.
  public var presentButtons: Set<Button> {
    wiring.inputs.reduce(into: Set(wiring.buttons.keys)) { $0.formUnion($1.keys.values) }
  }

  /// What of the metronome's behaviour no hand changes.
  public var rules: Rules {
    Rules(
      homeTempo: tempo, countIn: countIn, tapRounds: tap.rounds, tapStarts: tap.starts, autoStop: autoStop)
  }

  /// The part of it that the engine plays.
  ///
  /// - Parameter sounds: see ``readSounds()``.
  public func engineOptions(_ sounds: ClickSounds) -> EngineOptions {
    EngineOptions(
      settings: Settings(tempo: tempo, signature: signature, limit: numeratorLimit), restores: restores, rules: rules,
      gestures: gestures, lockOut: lockOut, pattern: pattern, sounds: sounds, latencies: latencies)
  }
}
