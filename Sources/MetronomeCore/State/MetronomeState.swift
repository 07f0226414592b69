/// What a display shows of the metronome. Equal states look the same, and are not announced twice.
public struct MetronomeState: Hashable, Sendable {
  public var isPlaying: Bool
  public var tempo: Tempo
  public var signature: Signature
  /// Lights only.
  public var isSilent: Bool

  public init(isPlaying: Bool, tempo: Tempo, signature: Signature, isSilent: Bool = false) {
    self.isPlaying = isPlaying
    self.tempo = tempo
    self.signature = signature
    self.isSilent = isSilent
  }
}
