import MetronomeCore

/// The preset that was recalled last, and its place in the list.
package struct RecalledPreset: Hashable {
  /// Counted from 1.
  package var place: Int
  /// How many there are.
  package var count: Int
  package var name: PresetName

  package init(place: Int, count: Int, name: PresetName) {
    self.place = place
    self.count = count
    self.name = name
  }

  /// The one that is remembered; nil before the first.
  package init?(_ memory: Memory) {
    guard let place = memory.recalled, let preset = memory.presets[place: place] else { return nil }
    self.init(place: place, count: memory.presets.count, name: preset.name)
  }
}
