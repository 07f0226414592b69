extension Metronome {
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
}
