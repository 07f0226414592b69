/// Where presets are kept: in a running metronome, or in the files of one that is not.
///
/// Every change is whole: whoever looks next finds all of it or nothing. It throws a `PresetError` when it has changed
/// nothing, and else what keeps the store from being read or written: a disk that fails may have kept the change all the
/// same.
public protocol PresetStore: AnyObject {
  /// The presets in order.
  var presets: PresetList { get throws }

  /// Changes the presets.
  ///
  /// - Parameter work: is given them as they are. When it throws, they stay so.
  func change(_ work: (inout PresetList) throws -> Void) throws
}

extension PresetStore {
  public var count: Int { get throws { try presets.count } }

  public func exists(_ name: PresetName) throws -> Bool { try presets[name] != nil }

  /// Keeps a preset in the place of the one of its name, or at the end.
  public func save(_ preset: Preset) throws { try change { try $0.save(preset) } }

  public func rename(_ name: PresetName, to newName: PresetName) throws {
    try change { try $0.rename(name, to: newName) }
  }

  public func delete(_ name: PresetName) throws { try change { try $0.delete(name) } }

  /// Puts a preset at a place, counted from 1; beyond the end means at the end.
  public func move(_ name: PresetName, to place: Int) throws { try change { try $0.move(name, to: place) } }
}

/// Presets that are forgotten with the process.
public final class PresetsInMemory: PresetStore {
  public private(set) var presets = PresetList()

  public init() {}

  public func change(_ work: (inout PresetList) throws -> Void) throws {
    var changed = presets
    try work(&changed)
    presets = changed
  }
}
