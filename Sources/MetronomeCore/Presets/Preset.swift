/// A named tempo, signature and rhythm, or a named place in a score.
public struct Preset: HasMusic, Hashable, Sendable {
  public var name: PresetName
  public var music: Music
  /// The place in a score to which a recall goes, without regard to tempo and bar; nil: a recall sets tempo and bar.
  public var place: SavedPlace?

  public init(_ name: PresetName, _ music: Music, place: SavedPlace? = nil) {
    self.name = name
    self.music = music
    self.place = place
  }
}

/// The name of a preset: one line of visible text.
public struct PresetName: Hashable, Sendable, CustomStringConvertible {
  /// The longest name in bytes of UTF-8.
  public static let longest = 64

  public let description: String

  /// A name for a new or renamed preset.
  ///
  /// nil for a name that is empty or blank, longer than ``longest``, begins or ends with a blank character such as a space,
  /// begins with a combining character, or contains a line break, an invisible character, or the replacement character U+FFFD.
  /// ``fault(of:)`` says which.
  public init?(_ text: String) {
    guard PresetName.fault(of: text) == nil else { return nil }
    description = text
  }

  /// The name of an existing preset. Earlier versions also stored names with blank characters other than U+0020 at the ends.
  public init?(stored text: String) {
    guard PresetName.fault(ofStored: text) == nil else { return nil }
    description = text
  }

  /// Why a text cannot be the name of a new or renamed preset, such as `it contains U+200D, which is invisible`; nil: it can.
  public static func fault(of text: String) -> String? {
    if let fault = fault(ofStored: text) { return fault }
    // A variation selector at the end would hide a space before it.
    let ends = [text.unicodeScalars.first, text.unicodeScalars.last { !isInvisibleMark($0) }]
    return ends.contains { $0.map(isSpace) ?? true } ? "it begins or ends with a blank character" : nil
  }

  /// Why a text cannot be the name of an existing preset; nil: it can.
  public static func fault(ofStored text: String) -> String? {
    let scalars = text.unicodeScalars
    if text.isEmpty { return "it is empty" }
    if text.utf8.count > longest { return "it has \(text.utf8.count) bytes, and at most \(longest) are possible" }
    if let scalar = scalars.first(where: { !isVisible($0) }) {
      return "it contains \(codePoint(scalar)), which is invisible"
    }
    if scalars.contains("\u{FFFD}") { return "it contains U+FFFD, which stands for a character that was lost" }
    if scalars.allSatisfy({ isSpace($0) || isInvisibleMark($0) }) { return "it is blank" }
    if scalars.first == " " || scalars.last == " " { return "it begins or ends with a space" }
    return (" " + text).first == " " ? nil : "it begins with a combining character"
  }
}

/// Formats untrusted text for a message: quoted, on one line, and cut if it is long.
package func quoted(_ text: some StringProtocol) -> String {
  var shown = ""
  for scalar in text.unicodeScalars {
    guard shown.unicodeScalars.count < 40 else { return "\"\(shown)…\"" }
    shown += shownInMessage(scalar)
  }
  return "\"\(shown)\""
}

/// Formats a file name for a message: uncut, on one line, and without characters that move a terminal's cursor.
package func shownName(_ name: String) -> String { name.unicodeScalars.map(shownInMessage).joined() }

/// Formats a character for a message: itself, or its code point if it is invisible.
package func shownInMessage(_ scalar: Unicode.Scalar) -> String {
  isVisible(scalar) ? String(Character(scalar)) : codePoint(scalar)
}

private func isVisible(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.properties.generalCategory {
  case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
  default: true
  }
}

/// Whether a character is blank: a space, or a letter or symbol without ink (Hangul fillers, empty Braille).
private func isSpace(_ scalar: Unicode.Scalar) -> Bool {
  let properties = scalar.properties
  return properties.isWhitespace || properties.generalCategory == .spaceSeparator || scalar == "\u{2800}"
    || properties.isDefaultIgnorableCodePoint && !isInvisibleMark(scalar)
}

/// Whether a character only modifies the one before it and has no ink, such as a variation selector.
private func isInvisibleMark(_ scalar: Unicode.Scalar) -> Bool {
  scalar.properties.isDefaultIgnorableCodePoint && scalar.properties.generalCategory == .nonspacingMark
}

/// A character's code point in Unicode notation, `U+0007`.
package func codePoint(_ scalar: Unicode.Scalar) -> String {
  let digits = String(scalar.value, radix: 16, uppercase: true)
  return "U+" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
}

/// Why a list of presets was not changed.
public enum PresetError: Error, Hashable, Sendable {
  case noSuchPreset(PresetName)
  case nameIsTaken(PresetName)
  /// There are ``PresetList/capacity`` presets already.
  case isFull
  /// The preset cannot be recalled now: its place is not in the loaded score, or it has no place and a score is loaded.
  case isElsewhere(PresetName)
  /// A ramp is on: a preset cannot be recalled, or saved without a tempo.
  case isInRamp
  /// The metronome follows a Link session, which cannot have the preset's tempo.
  case isOutsideSession(PresetName)
}

/// The presets in order, as in a set list. Names are unique.
public struct PresetList: Hashable, Sendable {
  public static let capacity = 128

  public private(set) var presets: [Preset] = []

  public init() {}

  public var count: Int { presets.count }

  public subscript(name: PresetName) -> Preset? { presets.first { $0.name == name } }

  /// The preset at a place, counted from 1; nil outside the list.
  public subscript(place place: Int) -> Preset? { place >= 1 && place <= count ? presets[place - 1] : nil }

  /// The place of a preset, counted from 1.
  public func place(of name: PresetName) -> Int? { presets.firstIndex { $0.name == name }.map { $0 + 1 } }

  /// Replaces the preset with the same name, or appends a new one. Throws ``PresetError/isFull`` if the list is full.
  public mutating func save(_ preset: Preset) throws(PresetError) {
    if let index = presets.firstIndex(where: { $0.name == preset.name }) {
      presets[index] = preset
    } else {
      guard count < PresetList.capacity else { throw .isFull }
      presets.append(preset)
    }
  }

  /// Saves a music and perhaps a place in a score as a preset of the list, counted from 1. That preset keeps its name.
  ///
  /// A shorter list is filled with copies, each named by its place: `3`, or if that name is taken `3 (2)`, `3 (3)` ….
  /// - Throws: ``PresetError/isFull`` for a place beyond the capacity.
  public mutating func store(_ music: Music, _ saved: SavedPlace? = nil, at place: Int) throws(PresetError) {
    guard (1...PresetList.capacity).contains(place) else { throw .isFull }
    while count < place { presets.append(Preset(freeName(for: count + 1), music, place: saved)) }
    presets[place - 1] = Preset(presets[place - 1].name, music, place: saved)
  }

  public mutating func rename(_ name: PresetName, to newName: PresetName) throws(PresetError) {
    let index = try index(of: name)
    guard newName == name || self[newName] == nil else { throw .nameIsTaken(newName) }
    presets[index].name = newName
  }

  public mutating func delete(_ name: PresetName) throws(PresetError) { presets.remove(at: try index(of: name)) }

  /// Moves a preset to a place, counted from 1; places outside the list mean its beginning or end.
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

extension Metronome {
  /// Whether a preset can be recalled now: with a score, only a place in it; without one, only tempo and bar.
  func canRecall(_ preset: Preset) -> Bool {
    guard let player = leader.player else { return preset.place == nil }
    return preset.place.map { player.contains($0) } ?? false
  }

  /// The place after the last recalled one; wraps to the first. Skips presets that cannot be recalled now; nil: all skipped.
  var nextPlace: Int? { nearest(count: presets.count) { (recalled ?? 0) + $0 } }

  /// The place before the last recalled one, likewise; wraps to the last.
  var previousPlace: Int? { nearest(count: presets.count) { (recalled ?? 1) - $0 + presets.count } }

  /// The nearest place that can be recalled, within 1 to `count` steps.
  private func nearest(count: Int, _ place: (Int) -> Int) -> Int? {
    guard count > 0 else { return nil }
    for step in 1...count {
      let place = (place(step) - 1) % count + 1
      if presets[place: place].map(canRecall) == true { return place }
    }
    return nil
  }

  /// The place that a command recalls; nil: the command recalls none, or no preset there can be recalled.
  func placeToRecall(_ command: Command) -> Int? {
    let place: Int?
    switch command {
    case .nextPreset: place = nextPlace
    case .previousPreset: place = previousPlace
    case .recallPreset(let named): place = named
    default: place = nil
    }
    return place.flatMap { presets[place: $0].map(canRecall) == true ? $0 : nil }
  }

  /// Whether a Link session that the metronome follows cannot have the tempo of a preset.
  private func isOutsideSession(_ preset: Preset) -> Bool {
    var recalled = settings
    recalled.use(preset.music)
    return isInSession && !Metronome.sessionTempi.contains(recalled.milliQuartersPerMinute)
  }

  /// Plays the preset at a place, whose settings are in force already: immediately if stopped, otherwise from the next bar line on.
  mutating func recall(_ place: Int?, by command: Command, effective: Instant, now: Instant) -> Reply? {
    guard let place else { return .refused(refusalOfRecall(command)) }
    (recalled, recalls) = (place, recalls + 1)
    awaitsBarLine = timeline.isPlaying
    catchUp(effective: effective, now: now)
    return nil
  }

  /// Stores the setting at a place of the list, with `saved` as the place in the loaded score.
  mutating func store(at place: Int, _ saved: SavedPlace? = nil) -> Reply {
    var music = Music(settings.tempo, settings.bar)
    music.rhythm.set = settings.set
    do throws(PresetError) {
      try presets.store(music, saved, at: place)
      recalled = place
      return .stored
    } catch {
      return .refused(.listIsFull)
    }
  }

  /// Carries out a request. For a recall, changes nothing, but returns the command that the caller must apply; otherwise nil.
  public mutating func carryOut(_ request: PresetRequest) throws(PresetError) -> Command? {
    if case .recall(let name) = request {
      guard let preset = presets[name], let place = presets.place(of: name) else { throw .noSuchPreset(name) }
      guard leader.ramp == nil else { throw .isInRamp }
      guard canRecall(preset) else { throw .isElsewhere(name) }
      guard !isOutsideSession(preset) else { throw .isOutsideSession(name) }
      return .recallPreset(place)
    }
    // The tempo of a ramp belongs to no setting.
    if case .save(_, let change) = request, change.tempo == nil, leader.ramp != nil { throw .isInRamp }
    var saved = savedState
    try saved.carryOut(request)
    (presets, recalled) = (saved.presets, saved.recalled)
    history?.value.before.presets = presets
    history?.value.before.recalled = recalled
    return nil
  }
}

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
      var preset = Preset(name, Music(music.tempo, music.bar), place: change.isEmpty ? place : nil)
      preset.rhythm.set = preset.rhythm.set ?? set
      try changed.save(preset)
    case .recall(let wanted):
      guard let preset = presets[wanted] else { throw .noSuchPreset(wanted) }
      name = wanted
      if let saved = preset.place {
        guard saved.score == place?.score else { throw .isElsewhere(wanted) }
        place = saved
      } else {
        music = preset.music
        music.rhythm.set = nil
      }
      set = preset.rhythm.set ?? set
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
