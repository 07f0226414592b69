/// A request from another program about a metronome's presets.
public enum PresetRequest: Hashable, Sendable {
  case list
  /// The current music with a change. A pattern that does not fill the bar is left out. Without a change while a score with a name is
  /// loaded, the preset names the current place in it.
  case save(PresetName, MusicChange)
  case recall(PresetName)
  case delete(PresetName)
  case rename(PresetName, to: PresetName)
  /// The place is one of ``places``; a place beyond the end of the list means the end.
  case move(PresetName, place: Int)

  /// The valid target places of a move: numbers of up to nine digits, whatever the length of the list.
  public static let places = 1...999_999_999
}

extension SavedState {
  /// Carries out a request. A recall sets tempo, signature and rhythm, or the place in the score.
  ///
  /// `recalled` follows its preset when places change, and becomes nil if the preset is deleted.
  public mutating func carryOut(_ request: PresetRequest) throws(PresetError) {
    var changed = presets
    var name = recalled.flatMap { presets[place: $0] }?.name
    switch request {
    case .list: return
    case .save(let name, let change):
      let music = change.applied(to: music)
      try changed.save(Preset(name, Music(music.tempo, music.bar), place: change.isEmpty ? place : nil))
    case .recall(let wanted):
      guard let preset = presets[wanted] else { throw .noSuchPreset(wanted) }
      name = wanted
      if let saved = preset.place {
        guard saved.score == place?.score else { throw .isElsewhere(wanted) }
        place = saved
      } else {
        music = preset.music
      }
    case .delete(let name): try changed.delete(name)
    case .rename(let old, let new):
      try changed.rename(old, to: new)
      if name == old { name = new }
    case .move(let name, let place): try changed.move(name, to: place)
    }
    presets = changed
    recalled = name.flatMap { changed.place(of: $0) }
  }
}

/// The answer to a request about presets: see `Documentation/ControlSocket.md`.
public struct PresetReply: Hashable, Sendable {
  /// Why the request failed; nil if it succeeded.
  public var error: PresetError?
  public var savedState: SavedState
  public var saving: Saving

  public init(_ error: PresetError? = nil, savedState: SavedState, saving: Saving = .done) {
    self.error = error
    self.savedState = savedState
    self.saving = saving
  }
}
