import MetronomeCore

extension PresetReply {
  /// `done` or `refused`.
  public var answer: ControlMessage {
    switch error {
    case nil:
      let (word, why) = saving.words
      return ControlMessage("done", ["saving": word, "why": why])
    case let error?: return ControlMessage("refused", ["why": error.text, "error": error.kind.rawValue])
    }
  }

  /// Reads the answer to a request, and the list of presets after it. The state has nothing but the presets.
  ///
  /// - Returns: nil if a message is none that this version understands.
  public init?(_ answer: ControlMessage, to request: PresetRequest, _ list: [ControlMessage]) {
    var (presets, recalled) = (PresetList(), Int?.none)
    for message in list where message.word == "preset" {
      guard let preset = try? Preset(message) else { return nil }
      do throws(PresetError) { try presets.save(preset) } catch { return nil }
      if message["recalled"] == "1" { recalled = presets.count }
    }
    var state = SavedState()
    (state.presets, state.recalled) = (presets, recalled)
    switch answer.word {
    case "done": self.init(nil, savedState: state, saving: Saving(answer) ?? .done)
    case "refused":
      guard let error = PresetError(answer, to: request) else { return nil }
      self.init(error, savedState: state)
    default: return nil
    }
  }
}

extension PresetError {
  fileprivate init?(_ answer: ControlMessage, to request: PresetRequest) {
    let (name, newName): (PresetName?, PresetName?) =
      switch request {
      case .list: (nil, nil)
      case .save(let name, _), .recall(let name), .delete(let name), .move(let name, _): (name, nil)
      case .rename(let name, let newName): (name, newName)
      }
    switch (answer["error"].flatMap(Kind.init(rawValue:)), name) {
    case (.noSuchPreset?, let name?): self = .noSuchPreset(name)
    case (.nameIsTaken?, _): if let newName { self = .nameIsTaken(newName) } else { return nil }
    case (.isFull?, _): self = .isFull
    case (.isElsewhere?, let name?): self = .isElsewhere(name)
    case (.isInRamp?, _): self = .isInRamp
    case (.isOutsideSession?, let name?): self = .isOutsideSession(name)
    default: return nil
    }
  }

  /// The value of the field `error`.
  public enum Kind: String, Sendable {
    case noSuchPreset = "no-such-preset"
    case nameIsTaken = "name-taken"
    case isFull = "full"
    case isElsewhere = "elsewhere"
    case isInRamp = "ramp"
    case isOutsideSession = "session"
  }

  public var kind: Kind {
    switch self {
    case .noSuchPreset: .noSuchPreset
    case .nameIsTaken: .nameIsTaken
    case .isFull: .isFull
    case .isElsewhere: .isElsewhere
    case .isInRamp: .isInRamp
    case .isOutsideSession: .isOutsideSession
    }
  }

  /// What is wrong and what would be right, for people.
  package var text: String {
    switch self {
    case .noSuchPreset(let name): "there is no preset \(quoted(name.description))"
    case .nameIsTaken(let name): "a preset \(quoted(name.description)) already exists"
    case .isFull: "the list is full (\(PresetList.capacity) presets); delete one first"
    case .isElsewhere(let name):
      "preset \(quoted(name.description)) does not belong to what is loaded; unload the song first, or load the score of the "
        + "preset"
    case .isInRamp: "in a ramp no preset can be recalled, or saved without a tempo; end the ramp first (ramp none)"
    case .isOutsideSession(let name):
      "the tempo of preset \(quoted(name.description)) is outside the 20 to 999 quarters per minute of a Link session"
    }
  }
}

extension PresetRequest {
  public var message: ControlMessage {
    switch self {
    case .list: ControlMessage("presets")
    case .save(let name, let change):
      ControlMessage("preset", ["action": "save", "name": name.description]).with(change)
    case .recall(let name): ControlMessage("preset", ["action": "recall", "name": name.description])
    case .delete(let name): ControlMessage("preset", ["action": "delete", "name": name.description])
    case .rename(let name, let newName):
      ControlMessage("preset", ["action": "rename", "name": name.description, "to": newName.description])
    case .move(let name, let place):
      ControlMessage("preset", ["action": "move", "name": name.description, "place": String(place)])
    }
  }

  private static func name(_ text: String, isNew: Bool) throws(ControlError) -> PresetName {
    if let name = isNew ? PresetName(text) : PresetName(stored: text) { return name }
    let fault = (isNew ? PresetName.fault(of: text) : PresetName.fault(ofStored: text)) ?? "it is empty"
    throw ControlError(
      "\(quoted(text)) is no preset name: \(fault); write one line of at most \(PresetName.longest) bytes")
  }

  /// Reads a message `presets` or `preset`.
  ///
  /// - Throws: ``ControlError`` with what is wrong.
  public init(_ message: ControlMessage) throws(ControlError) {
    guard message.word != "presets" else {
      self = .list
      return
    }
    let action = try message.required("action")
    let nameText = try message.required("name")
    let name = try PresetRequest.name(nameText, isNew: action == "save")
    switch action {
    case "save":
      self = .save(name, try MusicChange(message))
    case "recall": self = .recall(name)
    case "delete": self = .delete(name)
    case "rename":
      self = .rename(name, to: try PresetRequest.name(try message.required("to"), isNew: true))
    case "move":
      let range = Int64(PresetRequest.places.lowerBound)...Int64(PresetRequest.places.upperBound)
      guard let place = try message.number("place", range) else {
        throw ControlError("preset action=move needs place=…")
      }
      self = .move(name, place: Int(place))
    default:
      throw ControlError("unknown action \(quoted(action)); write save, recall, delete, rename or move")
    }
  }
}

extension ControlMessage {
  /// The value of a field that `read` understands; nil if there is no such field.
  func value<Value>(
    _ key: String, _ expected: String, _ read: (String) -> Value?
  ) throws(ControlError) -> Value? {
    guard let text = self[key] else { return nil }
    guard let value = read(text) else { throw ControlError("\(key) is \(quoted(text)); write \(expected)") }
    return value
  }
}

extension ControlMessage {
  /// This message with the fields of a music.
  package func with(_ music: MusicChange) -> ControlMessage {
    var message = self
    if let tempo = music.tempo { message.append("tempo", tempo.number) }
    if let signature = music.signature { message.append("signature", signature.description) }
    if let unit = music.unit { message.append("beat", unit.description) }
    if let rhythm = music.rhythm { message.append("rhythm", rhythm.text) }
    return message
  }
}

extension MusicChange {
  /// Reads the fields of a message. The pattern of a rhythm may fill any bar.
  fileprivate init(_ message: ControlMessage) throws(ControlError) {
    self.init(
      tempo: try message.value("tempo", "a tempo such as 92.5") { Tempo(decimal: $0) },
      signature: try message.value("signature", "a signature such as 7/8") { Signature(text: $0) },
      unit: try message.value("beat", "a note value such as 1/4 or 3/8") { BeatUnit(text: $0) },
      rhythm: try message.value("rhythm", "a rhythm such as sub=2") {
        $0.isEmpty ? Rhythm() : Rhythm(anyMetre: $0)
      })
  }
}

extension Preset {
  /// The message `preset` of a list. `place` is counted from 1.
  public func message(place number: Int, isRecalled: Bool) -> ControlMessage {
    var message = ControlMessage("preset", ["place": String(number), "name": name.description])
      .with(MusicChange(music))
    if isRecalled { message.append("recalled", "1") }
    if let place {
      message.append("score", place.score)
      message.append("song", String(place.song + 1))
      message.append("bar", String(place.bar + 1))
      message.append("sections-after", String(place.sectionsAfter))
      if let speed = place.speed { message.append("speed", String(speed)) }
    }
    return message
  }

  /// Reads a message `preset` of a list.
  ///
  /// - Throws: ``ControlError`` with what is wrong.
  public init(_ message: ControlMessage) throws(ControlError) {
    let name = try message.value("name", "a name") { PresetName(stored: $0) }
    let change = try MusicChange(message)
    let music = change.applied(to: Music())
    // All values must be given.
    guard let name, MusicChange(music) == change else {
      throw ControlError("a preset needs name, tempo, signature, beat and rhythm")
    }
    var place: SavedPlace?
    if let score = message["score"] {
      place = SavedPlace(
        score: score, song: Int(try message.number("song", 1...1_000_000) ?? 1) - 1,
        bar: (try message.number("bar", 1...Int64.max) ?? 1) - 1,
        sectionsAfter: Int(try message.number("sections-after", 0...1_000_000) ?? 0),
        speed: try message.number("speed", 1...1_000_000).map { Int($0) })
    }
    self.init(name, music, place: place)
  }
}

extension Saving {
  /// The value of the field `saving`, and the reason.
  fileprivate var words: (word: String, why: String?) {
    switch self {
    case .done: ("done", nil)
    case .pending: ("pending", nil)
    case .refused(.errno(let errno)): ("refused", "errno \(errno)")
    case .refused(.detail(let text)): ("refused", text)
    }
  }

  /// Reads the fields of an answer; nil: it has no field `saving`, or an unknown one.
  public init?(_ message: ControlMessage) {
    switch (message["saving"], message["why"]) {
    case ("done"?, _): self = .done
    case ("pending"?, _): self = .pending
    case ("refused"?, let why?):
      self = .refused(
        why.hasPrefix("errno ") ? Int32(why.dropFirst(6)).map { .errno($0) } ?? .detail(why) : .detail(why))
    default: return nil
    }
  }
}
