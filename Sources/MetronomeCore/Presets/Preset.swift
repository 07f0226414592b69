/// A tempo and a signature under a name.
public struct Preset: Hashable, Sendable {
  public var name: PresetName
  public var tempo: Tempo
  public var signature: Signature

  public init(_ name: PresetName, tempo: Tempo, signature: Signature) {
    self.name = name
    self.tempo = tempo
    self.signature = signature
  }
}
