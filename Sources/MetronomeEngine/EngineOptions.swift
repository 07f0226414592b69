import HardwareAbstraction
import MetronomeCore

/// What the engine is to play, and how it is to show it.
public struct EngineOptions: Hashable, Sendable {
  public var settings: Settings
  /// Whether it begins as it is remembered, and not with the settings. Presets are remembered in any case.
  public var restores: Bool
  public var rules: Rules
  /// What the buttons mean.
  public var gestures: GestureTable<Command>
  /// For how long a button's contact may bounce.
  public var lockOut: Nanoseconds
  public var pattern: OutputPattern
  public var sounds: ClickSounds
  /// How late each output is, and so how early it is sent.
  public var latencies: OutputLatencies
  /// What the latencies may be set to while it plays; nil: they stay. A press waits for them.
  public var reservedLatencies: OutputLatencies?

  public init(
    settings: Settings = Settings(), restores: Bool = true, rules: Rules = Rules(),
    gestures: GestureTable<Command> = .standard,
    lockOut: Nanoseconds = Debouncer.standardLockOut, pattern: OutputPattern = OutputPattern(),
    sounds: ClickSounds = ClickSounds(), latencies: OutputLatencies = .none
  ) {
    self.settings = settings
    self.restores = restores
    self.rules = rules
    self.gestures = gestures
    self.lockOut = lockOut
    self.pattern = pattern
    self.sounds = sounds
    self.latencies = latencies
  }
}
