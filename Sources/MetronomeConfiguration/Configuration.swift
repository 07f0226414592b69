import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// What the box is set to, and how it is wired: all that its configuration file says.
public struct Configuration: Hashable, Sendable {
  public var tempo: Tempo
  /// One that ``numeratorLimit`` allows.
  public var signature: Signature
  public var numeratorLimit: NumeratorLimit
  /// Whether the metronome plays from the moment the box is switched on.
  public var autoplay: Bool
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

  public init(
    tempo: Tempo = .initial, signature: Signature = .initial, numeratorLimit: NumeratorLimit = .denominator,
    autoplay: Bool = false, wiring: Wiring = .standard, pattern: OutputPattern = OutputPattern(),
    audio: AudioRequest = AudioRequest(), volume: Double = 0.8, gainDB: Double = 0,
    clickFiles: ClickFiles = ClickFiles(), latencies: OutputLatencies = .none
  ) {
    self.tempo = tempo
    self.signature = signature
    self.numeratorLimit = numeratorLimit
    self.autoplay = autoplay
    self.wiring = wiring
    self.pattern = pattern
    self.audio = audio
    self.volume = volume
    self.latencies = latencies
    self.gainDB = gainDB
    self.clickFiles = clickFiles
  }

  /// The built-in one, in force where no file says otherwise.
  public static let standard = Configuration()

  /// The part of it that the engine plays.
  ///
  /// - Parameter sounds: see ``readSounds()``.
  public func engineOptions(_ sounds: ClickSounds) -> EngineOptions {
    EngineOptions(
      settings: Settings(tempo: tempo, signature: signature, limit: numeratorLimit), pattern: pattern, sounds: sounds,
      latencies: latencies)
  }
}
