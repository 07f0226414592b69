/// What a metronome remembers when the plug is pulled.
public struct Memory: Hashable, Sendable {
  public var tempo: Tempo
  public var signature: Signature
  public var isPlaying: Bool
  /// Lights only.
  public var isSilent: Bool
  public var presets: PresetList
  /// The place of the preset that was recalled last, counted from 1; nil before the first.
  public var recalled: Int?

  public init(
    tempo: Tempo = .initial, signature: Signature = .initial, isPlaying: Bool = false, isSilent: Bool = false,
    presets: PresetList = PresetList(), recalled: Int? = nil
  ) {
    self.tempo = tempo
    self.signature = signature
    self.isPlaying = isPlaying
    self.isSilent = isSilent
    self.presets = presets
    self.recalled = recalled
  }
}
