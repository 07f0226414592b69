/// The presets in order, as a set list has them. Every name is there once.
public struct PresetList: Hashable, Sendable {
  public static let capacity = 128

  public private(set) var presets: [Preset] = []

  public init() {}

  public var count: Int { presets.count }

  /// The preset of this name, or nil.
  public subscript(name: PresetName) -> Preset? { presets.first { $0.name == name } }

  /// Its place, counted from 1.
  public func place(of name: PresetName) -> Int? { presets.firstIndex { $0.name == name }.map { $0 + 1 } }

  /// Keeps a preset in the place of the one of its name, or at the end.
  public mutating func save(_ preset: Preset) throws(PresetError) {
    if let index = presets.firstIndex(where: { $0.name == preset.name }) {
      presets[index] = preset
    } else {
      guard count < PresetList.capacity else { throw .isFull }
      presets.append(preset)
    }
  }

  public mutating func rename(_ name: PresetName, to newName: PresetName) throws(PresetError) {
    let index = try index(of: name)
    guard newName == name || self[newName] == nil else { throw .nameIsTaken(newName) }
    presets[index].name = newName
  }

  public mutating func delete(_ name: PresetName) throws(PresetError) { presets.remove(at: try index(of: name)) }

  /// Puts a preset at a place, counted from 1; beyond the end means at the end.
  public mutating func move(_ name: PresetName, to place: Int) throws(PresetError) {
    let preset = presets.remove(at: try index(of: name))
    presets.insert(preset, at: min(max(place - 1, 0), presets.count))
  }

  private func index(of name: PresetName) throws(PresetError) -> Int {
    guard let index = presets.firstIndex(where: { $0.name == name }) else { throw .noSuchPreset(name) }
    return index
  }
}
