/// What a metronome answers to a ``PresetRequest``.
public struct PresetReply: Hashable, Sendable {
  /// Why nothing was done; nil: it was done.
  public var error: PresetError?
  /// What is remembered now.
  public var memory: Memory

  public init(_ error: PresetError? = nil, memory: Memory) {
    self.error = error
    self.memory = memory
  }
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
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count >= 3, lines[0] == title, lines[lines.count - 1].isEmpty else { return nil }
    let words = lines[1..<(lines.count - 1)].map(String.init)
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
      guard let place = Int(words[2]) else { return nil }
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
    return message(answer) + MemoryFile(memory, save: 0).bytes
  }

  /// nil for what is no reply, or one of another form.
  public init?(_ bytes: [UInt8]) {
    let parts = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    let words = parts[..<3].map { String(decoding: $0, as: UTF8.self) }
    guard words[0] == title, let file = try? MemoryFile(Array(parts[3])) else { return nil }
    switch (words[1], PresetName(words[2])) {
    case ("done", nil): self.init(memory: file.memory)
    case ("no such preset", let name?): self.init(.noSuchPreset(name), memory: file.memory)
    case ("name is taken", let name?): self.init(.nameIsTaken(name), memory: file.memory)
    case ("full", nil): self.init(.isFull, memory: file.memory)
    default: return nil
    }
  }
}

private func message(_ lines: [String]) -> [UInt8] { Array(([title] + lines).map { $0 + "\n" }.joined().utf8) }
