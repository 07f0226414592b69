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

extension Metronome {
  /// What the metronome was before a press, in case the press turns out to be the beginning of a longer gesture.
  struct Before: Hashable {
    let press: Instant
    let settings: Settings
    let timeline: Timeline
    let awaitsBarLine: Bool
    let presets: PresetList
    let recalled: Int?
    let taps: TapTempo

    init(_ metronome: Metronome, press: Instant) {
      self.press = press
      settings = metronome.settings
      timeline = metronome.timeline
      awaitsBarLine = metronome.awaitsBarLine
      presets = metronome.presets
      recalled = metronome.recalled
      taps = metronome.taps
    }
  }

  /// Undoes what a press did at its edge, because the press turned out to be the beginning of another gesture.
  ///
  /// Settings and presets are what they were. What the press stopped plays on as if it had not been stopped, phase, beats
  /// and bars: the beats that fell meanwhile are left out. What it shifted, or made faster or slower, falls again where it did
  /// before. What it started stops, unless the gesture is for silent mode,
  /// which is of use only while it plays. Nothing is done if another command came after the press.
  ///
  /// - Parameters:
  ///   - press: the edge, as it was given to ``apply(_:pressed:effective:now:)``.
  ///   - next: what the gesture means, which is to be applied after this.
  ///   - effective: as in ``apply(_:pressed:effective:now:)``.
  ///   - now: the present, not after `effective`.
  /// - Returns: whether the gesture may go on: false where something else was done meanwhile that keeps the press from
  ///   being taken back, and the gesture is for silent mode: it would leave a metronome stopped and mute.
  @discardableResult
  public mutating func takeBack(press: Instant, for next: Command, effective: Instant, now: Instant) -> Bool {
    guard let before, before.press == press else { return next != .toggleSilence }
    let isStart = !before.timeline.isPlaying && timeline.isPlaying
    guard !isStart || next != .toggleSilence else { return true }
    self.before = nil
    settings = before.settings
    presets = before.presets
    recalled = before.recalled
    taps = before.taps
    if isStart {
      stop()
    } else if before.timeline.isPlaying, !timeline.isPlaying {
      timeline = before.timeline.resumed(as: newSession(), from: effective)
    } else if timeline != before.timeline {
      timeline = timeline.returned(to: before.timeline, from: effective, now: now) ?? timeline
    }
    awaitsBarLine = before.awaitsBarLine
    catchUp(effective: effective, now: now)
    return true
  }
}
