/// What a metronome is asked to do with its presets from elsewhere.
public enum PresetRequest: Hashable, Sendable {
  case list
  /// nil: as the metronome is set at present.
  case save(PresetName, Tempo?, Signature?)
  case recall(PresetName)
  case delete(PresetName)
  case rename(PresetName, to: PresetName)
  /// One of ``places``; beyond the end means at the end.
  case move(PresetName, place: Int)

  /// Where something can be asked to go: numbers of up to nine digits, whatever the length of the list.
  public static let places = 1...999_999_999
}

extension Memory {
  /// Carries out a request as it changes what is remembered. A recall sets tempo and signature.
  ///
  /// The preset recalled last stays the one recalled last, wherever it goes; when it is deleted, the one before it is.
  public mutating func carryOut(_ request: PresetRequest) throws(PresetError) {
    var changed = presets
    var name = recalled.flatMap { presets[place: $0] }?.name
    switch request {
    case .list: return
    case .save(let name, let tempo, let signature):
      try changed.save(Preset(name, tempo: tempo ?? self.tempo, signature: signature ?? self.signature))
    case .recall(let wanted):
      guard let preset = presets[wanted] else { throw .noSuchPreset(wanted) }
      (tempo, signature, name) = (preset.tempo, preset.signature, wanted)
    case .delete(let unwanted):
      try changed.delete(unwanted)
      if name == unwanted { name = recalled.flatMap { presets[place: $0 - 1] }?.name }
    case .rename(let old, let new):
      try changed.rename(old, to: new)
      if name == old { name = new }
    case .move(let name, let place): try changed.move(name, to: place)
    }
    presets = changed
    recalled = name.flatMap { changed.place(of: $0) }
  }
}
