import MetronomeCore

/// One line of a script, in words.
struct ScriptLine {
  /// What is wrong with it.
  struct Problem: Error { var text: String }

  /// Something to do, as scripts have it.
  private enum Action: String, CaseIterable {
    case press, down, up, turn, unplug, plug, reload, card, late, clock, disk, power, restart
  }

  private static let mostDevices = 99
  private static let mostDetents = 1_000

  let time: Nanoseconds
  private let action: Action
  /// Those that follow.
  let words: ArraySlice<String>

  /// - Returns: nil for a line on which nothing stands.
  init?(_ line: ArraySlice<UInt8>) throws(Problem) {
    guard let text = String(validating: line, as: UTF8.self) else {
      throw Problem(text: "this is not UTF-8 text")
    }
    // By scalars: what goes with the character before it, as an accent does, must not hide that one.
    let scalars = text.unicodeScalars.prefix { $0 != "#" }
    let words = scalars.split { $0 == " " || $0 == "\t" || $0 == "\r" }.map { String($0) }
    guard let first = words.first else { return nil }
    time = try ScriptLine.time(first, called: "time")
    let actions = "press, down, up, turn, unplug, plug, reload, card, late, clock, disk, power or restart"
    guard words.count > 1 else { throw Problem(text: "what happens at \(first)? \(actions)") }
    guard let action = Action(rawValue: words[1]) else {
      throw Problem(text: "\(quoted(words[1])) is not something to do; \(actions) is")
    }
    self.action = action
    self.words = words[2...]
  }

  func add(to script: inout Script) throws(Problem) {
    switch action {
    case .press:
      let (button, origin) = try button()
      try end(after: 2)
      let held = words.count > 1 ? try ScriptLine.time(words.last!, called: "held") : Script.standardHold
      guard held > .zero else { throw Problem(text: "a press lasts longer than \(words.last!)") }
      script.press(button, at: time, for: held, from: origin)
    case .down:
      let (button, origin) = try button()
      try end(after: 1)
      script.down(button, at: time, from: origin)
    case .up:
      let (button, origin) = try button()
      try end(after: 1)
      script.up(button, at: time, from: origin)
    case .reload:
      guard let file = words.first else { throw Problem(text: "reload which file?") }
      try end(after: 1)
      script.reload(file, at: time)
    case .card: try addCard(to: &script)
    case .late: try addDelay(to: &script)
    case .clock: try addClock(to: &script)
    case .disk: try addDisk(to: &script)
    case .power: try addPower(to: &script)
    case .restart:
      try end(after: 0)
      script.befall(.restart, at: time)
    case .turn: try addTurn(to: &script)
    case .unplug:
      if try isChip() { script.unplugChip(at: time) } else { script.unplug(try device(), at: time) }
    case .plug:
      if try isChip() { script.plugChip(at: time) } else { script.plug(try device(), at: time) }
    }
  }

  private func addTurn(to script: inout Script) throws(Problem) {
    let names = Dial.allCases.map(\.rawValue).joined(separator: ", ")
    guard let word = words.first else { throw Problem(text: "turn which dial? \(names)") }
    let (name, origin) = try ScriptLine.place(word)
    guard let dial = Dial(rawValue: name) else {
      throw Problem(text: "there is no dial \(quoted(name)); there are \(names)")
    }
    guard words.count > 1 else { throw Problem(text: "turn \(dial.rawValue) how far? by 1 detent, or -1, or more") }
    try end(after: 2)
    let most = ScriptLine.mostDetents
    guard let detents = Int(words.last!), detents != 0, (-most...most).contains(detents) else {
      throw Problem(
        text: "\(quoted(words.last!)) is not a number of detents; write 1 to \(most), or less than 0")
    }
    script.turn(dial, by: detents, at: time, from: origin ?? Origin(number: 1))
  }

  private func button() throws(Problem) -> (Button, Origin) {
    let names = Button.allCases.map(\.rawValue).joined(separator: ", ")
    guard let word = words.first else { throw Problem(text: "\(action.rawValue) which button? \(names)") }
    let (name, origin) = try ScriptLine.place(word)
    guard let button = Button(rawValue: name) else {
      throw Problem(text: "there is no button \(quoted(name)); there are \(names)")
    }
    return (button, origin ?? .box)
  }

  private func device() throws(Problem) -> Origin {
    guard let word = words.first else {
      throw Problem(text: "\(action.rawValue) what? chip, or a device by its number, from 1 on")
    }
    try end(after: 1)
    return try ScriptLine.device(word)
  }

  /// Whether this happens to the chip.
  private func isChip() throws(Problem) -> Bool {
    guard words.first == "chip" else { return false }
    try end(after: 1)
    return true
  }

  func end(after count: Int) throws(Problem) {
    guard words.count > count else { return }
    throw Problem(text: "too much on the line, from \(quoted(words[words.startIndex + count])) on")
  }

  /// Reads `NAME` or `NAME@DEVICE`.
  private static func place(_ word: String) throws(Problem) -> (name: String, device: Origin?) {
    guard let sign = word.unicodeScalars.firstIndex(of: "@") else { return (word, nil) }
    let number = String(word.unicodeScalars[word.unicodeScalars.index(after: sign)...])
    return (String(word.unicodeScalars[..<sign]), try device(number))
  }

  private static func device(_ text: String) throws(Problem) -> Origin {
    guard let number = Int(text), (1...mostDevices).contains(number) else {
      throw Problem(text: "\(quoted(text)) is not a device; write its number, 1 to \(mostDevices)")
    }
    return Origin(number: number)
  }

  private static func time(_ text: String, called name: String) throws(Problem) -> Nanoseconds {
    guard let time = Nanoseconds(text: text) else {
      throw Problem(
        text: "\(quoted(text)) is not a \(name == "time" ? "time" : "time to hold"); write \(Nanoseconds.textForm)")
    }
    return time
  }
}
