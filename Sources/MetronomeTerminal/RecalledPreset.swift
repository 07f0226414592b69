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
}
