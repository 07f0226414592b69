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

/// What a preset is called: one line that can be seen.
public struct PresetName: Hashable, Sendable, CustomStringConvertible {
  /// In bytes of UTF-8.
  public static let longest = 64

  public let description: String

  /// nil for a name that is empty, longer than ``longest``, begins or ends with a space, begins with a combining character,
  /// or contains a line break or an invisible character.
  public init?(_ text: String) {
    let scalars = text.unicodeScalars
    guard !text.isEmpty, text.utf8.count <= PresetName.longest, scalars.first != " ", scalars.last != " ",
      scalars.allSatisfy(PresetName.isSeen), (" " + text).first == " "
    else { return nil }
    description = text
  }

  private static func isSeen(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .format, .surrogate, .unassigned, .privateUse: false
    default: true
    }
  }
}

/// Why a list of presets is left as it is.
public enum PresetError: Error, Hashable, Sendable {
  case noSuchPreset(PresetName)
  case nameIsTaken(PresetName)
  /// There are ``PresetList/capacity`` presets already.
  case isFull
}

/// The presets in order, as a set list has them. Every name is there once.
public struct PresetList: Hashable, Sendable {
  public static let capacity = 128

  public private(set) var presets: [Preset] = []

  public init() {}

  public var count: Int { presets.count }

  /// The preset of this name, or nil.
  public subscript(name: PresetName) -> Preset? { presets.first { $0.name == name } }

  /// The preset at a place, counted from 1, or nil.
  public subscript(place place: Int) -> Preset? { place >= 1 && place <= count ? presets[place - 1] : nil }

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

  /// Keeps a tempo and a signature at a place, counted from 1, under the name that the preset there has.
  ///
  /// A shorter list is filled up to the place with the same, each named by its place: `3`, or if that name is taken
  /// `3 (2)`, `3 (3)`, and so on.
  /// - Throws: ``PresetError/isFull`` for a place that no list has.
  public mutating func store(tempo: Tempo, signature: Signature, at place: Int) throws(PresetError) {
    guard (1...PresetList.capacity).contains(place) else { throw .isFull }
    while count < place { presets.append(Preset(freeName(for: count + 1), tempo: tempo, signature: signature)) }
    presets[place - 1].tempo = tempo
    presets[place - 1].signature = signature
  }

  public mutating func rename(_ name: PresetName, to newName: PresetName) throws(PresetError) {
    let index = try index(of: name)
    guard newName == name || self[newName] == nil else { throw .nameIsTaken(newName) }
    presets[index].name = newName
  }

  public mutating func delete(_ name: PresetName) throws(PresetError) { presets.remove(at: try index(of: name)) }

  /// Puts a preset at a place, counted from 1; beyond the end means at the end, and before the first at the first.
  public mutating func move(_ name: PresetName, to place: Int) throws(PresetError) {
    let preset = presets.remove(at: try index(of: name))
    presets.insert(preset, at: min(max(place, 1) - 1, presets.count))
  }

  private func freeName(for place: Int) -> PresetName {
    var attempt = 1
    while true {
      let text = attempt == 1 ? "\(place)" : "\(place) (\(attempt))"
      if let name = PresetName(text), self[name] == nil { return name }
      attempt += 1
    }
  }

  private func index(of name: PresetName) throws(PresetError) -> Int {
    guard let index = presets.firstIndex(where: { $0.name == name }) else { throw .noSuchPreset(name) }
    return index
  }
}
