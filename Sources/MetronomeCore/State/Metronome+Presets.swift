extension Metronome {
  /// Changes the list of presets from elsewhere than the buttons. The preset that was recalled last is followed to its new
  /// place, and under its new name; once it is deleted none was recalled.
  ///
  /// - Throws: what the change throws; nothing is changed then.
  public mutating func edit(_ change: (inout PresetList) throws(PresetError) -> Void) throws(PresetError) {
    var edited = presets
    try change(&edited)
    recalled = recalled.flatMap { edited.place(of: presets.presets[$0 - 1].name) ?? placeOfRenamed($0, in: edited) }
    presets = edited
    before = nil
  }

  /// Recalls a preset by its name, as ``Command/recallPreset(_:)`` does by its place.
  public mutating func recall(_ name: PresetName, effective: Instant, now: Instant) throws(PresetError) {
    guard let place = presets.place(of: name) else { throw .noSuchPreset(name) }
    let old = settings
    recall(place: place, effective: effective, now: now)
    if settings.tempo != old.tempo || settings.signature != old.signature { taps.reset() }
    before = nil
  }

  /// The place after the one recalled last, and after the last the first.
  var nextPlace: Int { recalled.map { $0 % presets.count + 1 } ?? 1 }

  /// The place before the one recalled last, and before the first the last.
  var previousPlace: Int { recalled.map { $0 > 1 ? $0 - 1 : presets.count } ?? presets.count }

  /// Takes up the preset at a place: at once while stopped, otherwise at the next bar line.
  ///
  /// - Returns: a refusal if there is none.
  @discardableResult
  mutating func recall(place: Int, effective: Instant, now: Instant) -> Reply? {
    guard let preset = presets[place: place] else { return .refused }
    recalled = place
    settings = settings.recalling(preset)
    awaitsBarLine = timeline.isPlaying
    catchUp(effective: effective, now: now)
    return nil
  }

  mutating func store(at place: Int) -> Reply {
    do throws(PresetError) {
      try presets.store(tempo: settings.tempo, signature: settings.signature, at: place)
      recalled = place
      return .stored
    } catch {
      return .refused
    }
  }

  /// A preset that is still in its place and has a name that was not there before was renamed.
  private func placeOfRenamed(_ place: Int, in edited: PresetList) -> Int? {
    guard edited.count == presets.count, let preset = edited[place: place], presets[preset.name] == nil else {
      return nil
    }
    return place
  }
}
