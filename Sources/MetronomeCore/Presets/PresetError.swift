/// Why a list of presets is left as it is.
public enum PresetError: Error, Hashable, Sendable {
  case noSuchPreset(PresetName)
  case nameIsTaken(PresetName)
  /// There are ``PresetList/capacity`` presets already.
  case isFull
}
