/// What a metronome is asked to do with its presets from elsewhere.
public enum PresetRequest: Hashable, Sendable {
  case list
  /// nil: as the metronome is set at present.
  case save(PresetName, Tempo?, Signature?)
  case recall(PresetName)
  case delete(PresetName)
  case rename(PresetName, to: PresetName)
  /// One of ``places``; beyond the end means at the end.
  case move(PresetName, place: Int)

  /// Where something can be asked to go: numbers of up to nine digits, whatever the length of the list.
  public static let places = 1...999_999_999
}

extension SavedState {
  /// Carries out a request as it changes what is remembered. A recall sets tempo and signature.
  ///
  /// The preset recalled last stays the one recalled last, wherever it goes; when it is deleted, the one before it is.
  public mutating func carryOut(_ request: PresetRequest) throws(PresetError) {
    var changed = presets
    var name = recalled.flatMap { presets[place: $0] }?.name
    switch request {
    case .list: return
    case .save(let name, let tempo, let signature):
      try changed.save(Preset(name, tempo: tempo ?? self.tempo, signature: signature ?? self.signature))
    case .recall(let wanted):
      guard let preset = presets[wanted] else { throw .noSuchPreset(wanted) }
      (tempo, signature, name) = (preset.tempo, preset.signature, wanted)
    case .delete(let unwanted):
      try changed.delete(unwanted)
      if name == unwanted { name = recalled.flatMap { presets[place: $0 - 1] }?.name }
    case .rename(let old, let new):
      try changed.rename(old, to: new)
      if name == old { name = new }
    case .move(let name, let place): try changed.move(name, to: place)
    }
    presets = changed
    recalled = name.flatMap { changed.place(of: $0) }
  }
}

/// What a metronome answers to a ``PresetRequest``.
public struct PresetReply: Hashable, Sendable {
  /// Why nothing was done; nil: it was done.
  public var error: PresetError?
  /// What is remembered now.
  public var savedState: SavedState
  /// Whether that is on the disk.
  public var saving: Saving

  public init(_ error: PresetError? = nil, savedState: SavedState, saving: Saving = .done) {
    self.error = error
    self.savedState = savedState
    self.saving = saving
  }

  /// What is sent in place of a reply to what is no request: a program of another version understands as little of it.
  public static var toNonsense: [UInt8] { message(["not understood"]) }
}

/// Requests and replies go between two programs as lines of text, after a title with the number of the form.
private let title = "metronome presets 1"

extension PresetRequest {
  public var bytes: [UInt8] {
    switch self {
    case .list: message(["list"])
    case .save(let name, let tempo, let signature):
      message(["save", name.description, tempo?.number ?? "", signature?.description ?? ""])
    case .recall(let name): message(["recall", name.description])
    case .delete(let name): message(["delete", name.description])
    case .rename(let name, let newName): message(["rename", name.description, newName.description])
    case .move(let name, let place): message(["move", name.description, String(place)])
    }
  }

  /// nil for what is no request, or one of another form.
  public init?(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    guard lines.count >= 3, lines[0] == title, lines[lines.count - 1].isEmpty else { return nil }
    let words = Array(lines[1..<(lines.count - 1)])
    let name = words.count > 1 ? PresetName(words[1]) : nil
    switch (words[0], words.count, name) {
    case ("list", 1, _): self = .list
    case ("save", 4, let name?):
      let (tempo, signature) = (Tempo(decimal: words[2]), Signature(text: words[3]))
      guard tempo != nil || words[2].isEmpty, signature != nil || words[3].isEmpty else { return nil }
      self = .save(name, tempo, signature)
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
    }
    return message(answer + [saving.text]) + StateFile(savedState, save: 0).bytes
  }

  /// nil for what is no reply, or one of another form.
  public init?(_ bytes: [UInt8]) {
    let parts = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 4, omittingEmptySubsequences: false)
    guard parts.count == 5 else { return nil }
    let words = parts[..<4].map { String(decoding: $0, as: UTF8.self) }
    guard words[0] == title, let saving = Saving(words[3]), let file = try? StateFile(Array(parts[4])) else {
      return nil
    }
    switch (words[1], PresetName(words[2])) {
    case ("done", nil): self.init(savedState: file.savedState, saving: saving)
    case ("no such preset", let name?): self.init(.noSuchPreset(name), savedState: file.savedState, saving: saving)
    case ("name is taken", let name?): self.init(.nameIsTaken(name), savedState: file.savedState, saving: saving)
    case ("full", nil): self.init(.isFull, savedState: file.savedState, saving: saving)
    default: return nil
    }
  }
}

extension Saving {
  fileprivate var text: String {
    switch self {
    case .done: "saved"
    case .pending: "pending"
    case .refused(let errno): "refused \(errno)"
    }
  }

  fileprivate init?(_ text: String) {
    switch text {
    case "saved": self = .done
    case "pending": self = .pending
    default:
      guard text.hasPrefix("refused "), let errno = Int32(text.dropFirst(8)) else { return nil }
      self = .refused(errno: errno)
    }
  }
}

private func message(_ lines: [String]) -> [UInt8] { Array(([title] + lines).map { $0 + "\n" }.joined().utf8) }
