/// A request from another program about a metronome's presets.
public enum PresetRequest: Hashable, Sendable {
  case list
  /// A nil value means the current one. A pattern that does not fill the bar is left out. If all values are nil while a score
  /// with a name is loaded, the preset names the current place in it.
  case save(PresetName, Tempo?, Signature?, BeatUnit? = nil, Rhythm? = nil)
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
    case .save(let name, let tempo, let signature, let unit, let rhythm):
      let metre = Metre(signature ?? self.signature, unit: unit ?? self.unit)
      let bar = Bar(metre, rhythm ?? self.rhythm)
      let isCurrent = tempo == nil && signature == nil && unit == nil && rhythm == nil
      try changed.save(
        Preset(
          name, tempo: tempo ?? self.tempo, signature: metre.signature, unit: metre.unit, rhythm: bar.rhythm,
          place: isCurrent ? place : nil))
    case .recall(let wanted):
      guard let preset = presets[wanted] else { throw .noSuchPreset(wanted) }
      name = wanted
      if let saved = preset.place {
        guard saved.score == place?.score else { throw .isElsewhere(wanted) }
        place = saved
      } else {
        (tempo, signature) = (preset.tempo, preset.signature)
        (unit, rhythm) = (preset.unit, preset.rhythm)
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

  public static var notUnderstood: [UInt8] { message(["not understood"]) }
}

/// Requests and replies are lines of text, after a title with the number of the format version.
private let title = "metronome presets 1"

extension PresetRequest {
  public var bytes: [UInt8] {
    switch self {
    case .list: message(["list"])
    case .save(let name, let tempo, let signature, let unit, let rhythm):
      message(
        ["save", name.description, tempo?.number ?? "", signature?.description ?? ""]
          + (unit == nil && rhythm == nil ? [] : [unit?.description ?? "", rhythm.map { "\"\($0.text)\"" } ?? ""]))
    case .recall(let name): message(["recall", name.description])
    case .delete(let name): message(["delete", name.description])
    case .rename(let name, let newName): message(["rename", name.description, newName.description])
    case .move(let name, let place): message(["move", name.description, String(place)])
    }
  }

  /// nil if the bytes are not a request of this format version.
  public init?(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    guard lines.count >= 3, lines[0] == title, lines[lines.count - 1].isEmpty else { return nil }
    let words = Array(lines[1..<(lines.count - 1)])
    let name = words.count > 1 ? PresetName(stored: words[1]) : nil
    switch (words[0], words.count, name) {
    case ("list", 1, _): self = .list
    case ("save", 4, let name?):
      let (tempo, signature) = (Tempo(decimal: words[2]), Signature(text: words[3]))
      guard PresetName(words[1]) != nil, tempo != nil || words[2].isEmpty, signature != nil || words[3].isEmpty else {
        return nil
      }
      self = .save(name, tempo, signature)
    case ("save", 6, let name?):
      let plain = PresetRequest(message(Array(words[..<4])))
      guard case .save(_, let tempo, let signature, _, _)? = plain else { return nil }
      let (unit, rhythm) = (BeatUnit(text: words[4]), Rhythm(quoted: words[5]))
      guard unit != nil || rhythm != nil, unit != nil || words[4].isEmpty, rhythm != nil || words[5].isEmpty else {
        return nil
      }
      self = .save(name, tempo, signature, unit, rhythm)
    case ("recall", 2, let name?): self = .recall(name)
    case ("delete", 2, let name?): self = .delete(name)
    case ("rename", 3, let name?):
      guard let newName = PresetName(words[2]) else { return nil }
      self = .rename(name, to: newName)
    case ("move", 3, let name?):
      guard let place = Int(words[2]), PresetRequest.places.contains(place) else { return nil }
      self = .move(name, place: place)
    default: return nil
    }
  }
}

extension PresetReply {
  public var bytes: [UInt8] {
    let answer: [String]
    switch error {
    case nil: answer = ["done", ""]
    case .noSuchPreset(let name)?: answer = ["no such preset", name.description]
    case .nameIsTaken(let name)?: answer = ["name is taken", name.description]
    case .isFull?: answer = ["full", ""]
    case .isElsewhere(let name)?: answer = ["is elsewhere", name.description]
    }
    return message(answer + [saving.text]) + StateFile(savedState, save: 0).bytes
  }

  /// nil if the bytes are not a reply of this format version.
  public init?(_ bytes: [UInt8]) {
    let parts = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 4, omittingEmptySubsequences: false)
    guard parts.count == 5 else { return nil }
    let words = parts[..<4].map { String(decoding: $0, as: UTF8.self) }
    guard words[0] == title, let saving = Saving(words[3]), let file = try? StateFile(Array(parts[4])) else {
      return nil
    }
    let error: PresetError?
    switch (words[1], PresetName(stored: words[2])) {
    case ("done", nil): error = nil
    case ("no such preset", let name?): error = .noSuchPreset(name)
    case ("name is taken", let name?): error = .nameIsTaken(name)
    case ("full", nil): error = .isFull
    case ("is elsewhere", let name?): error = .isElsewhere(name)
    default: return nil
    }
    self.init(error, savedState: file.savedState, saving: saving)
  }
}

extension Saving {
  fileprivate var text: String {
    switch self {
    case .done: "saved"
    case .pending: "pending"
    case .refused(.errno(let errno)): "refused \(errno)"
    case .refused(.detail(let text)): "refused: \(text)"
    }
  }

  fileprivate init?(_ text: String) {
    switch text {
    case "saved": self = .done
    case "pending": self = .pending
    default:
      if text.hasPrefix("refused: "), text != "refused: " {
        self = .refused(.detail(String(text.dropFirst(9))))
      } else if text.hasPrefix("refused "), let errno = Int32(text.dropFirst(8)) {
        self = .refused(.errno(errno))
      } else {
        return nil
      }
    }
  }
}

private func message(_ lines: [String]) -> [UInt8] { Array(([title] + lines).map { $0 + "\n" }.joined().utf8) }
