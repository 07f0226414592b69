import HardwareAbstraction
import MetronomeCore

/// One line of a script, split into words.
struct ScriptLine {
  struct Problem: Error {
    var text: String

    init(_ text: String) { self.text = text }
  }

  /// The word after the time.
  private enum Action: String, CaseIterable {
    case press, down, up, turn, unplug, plug, reload, card, card2, late, clock, disk, display, power, restart, midi,
      link
    case command = "do"
  }

  private static let actions = alternatives(Action.allCases.map(\.rawValue))
  private static let maxDevices = 99
  private static let maxTimes = 1_000_000
  /// Upper limits: more than the error of a real crystal, and the most by which the kernel slews a clock.
  private static let maxDriftPPM = 1_000
  private static let maxSlewPPM = 500
  private static let longestDelay = Nanoseconds.seconds(3_600)

  private let time: Nanoseconds
  private let action: Action
  /// The words after the action.
  private let words: ArraySlice<String>

  /// - Returns: nil for an empty line.
  init?(_ line: ArraySlice<UInt8>) throws(Problem) {
    guard let text = String(validating: line, as: UTF8.self) else { throw Problem("the line is not UTF-8 text") }
    // Split by scalars: a combining accent must not hide the character before it.
    let scalars = text.unicodeScalars.prefix { $0 != "#" }
    let words = scalars.split { $0 == " " || $0 == "\t" || $0 == "\r" }.map { String($0) }
    guard let first = words.first else { return nil }
    time = try ScriptLine.time(first, called: "time")
    guard words.count > 1 else { throw Problem("missing action after \(quoted(first)); write \(Self.actions)") }
    guard let action = Action(rawValue: words[1]) else {
      throw Problem("unknown action \(quoted(words[1])); write \(Self.actions)")
    }
    self.action = action
    self.words = words[2...]
  }

  func add(to script: inout Script) throws(Problem) {
    switch action {
    case .press:
      let (button, origin) = try button(script.names)
      try end(after: 2)
      let held = words.count > 1 ? try ScriptLine.time(words.last!, called: "hold time") : Script.standardHold
      guard held > .zero else { throw Problem("invalid hold time \(quoted(words.last!)); write more than 0") }
      script.press(button, at: time, for: held, from: origin)
    case .down, .up:
      let (button, origin) = try button(script.names)
      try end(after: 1)
      script.add(.contact(button, origin, isDown: action == .down), at: time)
    case .turn: try addTurn(to: &script)
    case .unplug:
      if let device = try device() { script.unplug(device, at: time) } else { script.unplugChip(at: time) }
    case .plug:
      if let device = try device() { script.plug(device, at: time) } else { script.plugChip(at: time) }
    case .reload:
      let file = try word(1, else: "missing file after \"reload\"")
      try end(after: 1)
      script.reload(file, at: time)
    case .card, .clock, .disk, .display, .power: script.schedule(try mishap(of: action.rawValue), at: time)
    case .card2: script.schedule(.onSecondCard(try mishap(of: Action.card.rawValue)), at: time)
    case .midi where words.first == "out": script.schedule(try Mishap(midiWords: Array(words)), at: time)
    case .midi: script.schedule(try ScriptedClock(words: Array(words)), at: time)
    case .link: script.schedule(try ScriptedControl(session: Array(words)), at: time)
    case .command: script.schedule(try ScriptedControl(command: Array(words)), at: time)
    case .late: script.schedule(try delay(), at: time)
    case .restart:
      try end(after: 0)
      script.schedule(.restart, at: time)
    }
  }

  private func button(_ known: BoxNames) throws(Problem) -> (Button, Origin) {
    let names = known.buttonNames.joined(separator: ", ")
    let (name, origin) = try ScriptLine.place(
      try word(1, else: "missing button after \(quoted(action.rawValue)); the buttons are \(names)"))
    guard let button = known.button(named: name) else {
      throw Problem("unknown button \(quoted(name)); the buttons are \(names)")
    }
    return (button, origin ?? .box)
  }

  private func addTurn(to script: inout Script) throws(Problem) {
    let names = Dial.allCases.map(\.rawValue).joined(separator: ", ")
    let (name, origin) = try ScriptLine.place(try word(1, else: "missing dial after \"turn\"; the dials are \(names)"))
    guard let dial = Dial(rawValue: name) else { throw Problem("unknown dial \(quoted(name)); the dials are \(names)") }
    let most = DialMachine.maxDetents
    let form = "write -\(most) to \(most), but not 0"
    let text = try word(2, else: "missing number of detents after \(quoted("turn \(name)")); \(form)")
    try end(after: 2)
    guard let detents = Int(text), detents != 0, (-most...most).contains(detents) else {
      throw Problem("invalid number of detents \(quoted(text)); \(form)")
    }
    script.turn(dial, by: detents, at: time, from: origin ?? Origin(number: 1))
  }

  /// - Returns: nil for the chip.
  private func device() throws(Problem) -> Origin? {
    let name = try word(
      1,
      else: "missing device after \(quoted(action.rawValue)); write chip, or a device number from 1 to "
        + "\(Self.maxDevices)")
    try end(after: 1)
    return name == "chip" ? nil : try ScriptLine.device(name)
  }

  /// Reads `NAME` or `NAME@DEVICE`.
  private static func place(_ word: String) throws(Problem) -> (name: String, device: Origin?) {
    guard let sign = word.unicodeScalars.firstIndex(of: "@") else { return (word, nil) }
    let number = String(word.unicodeScalars[word.unicodeScalars.index(after: sign)...])
    return (String(word.unicodeScalars[..<sign]), try device(number))
  }

  private static func device(_ text: String) throws(Problem) -> Origin {
    guard let number = Int(text), (1...maxDevices).contains(number) else {
      throw Problem("invalid device \(quoted(text)); write a device number from 1 to \(maxDevices)")
    }
    return Origin(number: number)
  }

  /// A fault of `card`, `clock`, `disk`, `display` or `power`, in the words of ``Mishap/text``.
  private func mishap(of subject: String) throws(Problem) -> Mishap {
    let mishaps = Mishap.ofSubjects.filter { $0.words[0] == subject }
    let names = alternatives(mishaps.map { $0.words[1] })
    let name = try word(1, else: "missing word after \(quoted(subject)); write \(names)")
    if action == .power { try end(after: 1) }
    guard let mishap = mishaps.first(where: { $0.words[1] == name }) else {
      throw Problem("unknown word \(quoted(name)) after \(quoted(subject)); write \(names)")
    }
    switch mishap {
    case .cardSleeps:
      let rest = Array(words.dropFirst())
      guard rest.isEmpty || rest == ["for", "good"] else {
        throw Problem(
          "unexpected \(quoted(rest[0])) after \"card sleeps\"; write \"card sleeps\" or \"card sleeps for good\"")
      }
      return .cardSleeps(forGood: !rest.isEmpty)
    case .cardRefuses: return .cardRefuses(times: try times(called: "card refuses"))
    case .cardDrifts: return .cardDrifts(ppb: try ppb(called: "card drifts", atMostPPM: Self.maxDriftPPM))
    case .clockSlews: return .clockSlews(ppb: try ppb(called: "clock slews", atMostPPM: Self.maxSlewPPM))
    case .diskFails: return .diskFails(times: try times(called: "disk fails"))
    case .cardStops, .cardFails, .cardFreezes, .cardUnplugged, .cardPlugged, .onSecondCard, .late, .diskFull, .diskFree,
      .displayUnplugged, .displayPlugged, .midiUnplugged, .midiPlugged, .midiFull, .powerCut, .powerOn, .restart:
      try end(after: 1)
      return mishap
    }
  }

  private func delay() throws(Problem) -> Mishap {
    let names = Simulation.Loop.allCases.map(\.name).joined(separator: ", ")
    let name = try word(1, else: "missing loop after \"late\"; the loops are \(names)")
    guard let loop = Simulation.Loop(name: name) else {
      throw Problem("unknown loop \(quoted(name)); the loops are \(names)")
    }
    let text = try word(2, else: "missing delay after \(quoted("late \(name)")); write \(Nanoseconds.textForm)")
    try end(after: 2)
    guard let delay = Nanoseconds(text: text), delay > .zero, delay <= Self.longestDelay else {
      throw Problem("invalid delay \(quoted(text)); write more than 0 and up to 1h: \(Nanoseconds.textForm)")
    }
    return .late(loop, by: delay)
  }

  private func times(called name: String) throws(Problem) -> Int {
    let text = try word(2, else: "missing number after \(quoted(name)); write 1 to \(Self.maxTimes)")
    try end(after: 2)
    guard let times = Int(text), (1...Self.maxTimes).contains(times) else {
      throw Problem("invalid number \(quoted(text)) after \(quoted(name)); write 1 to \(Self.maxTimes)")
    }
    return times
  }

  /// Parts per million with a sign, returned in thousandths.
  private func ppb(called name: String, atMostPPM most: Int) throws(Problem) -> Int64 {
    let form = "-\(most)ppm to +\(most)ppm"
    let text = try word(2, else: "missing value after \(quoted(name)); write \(form)")
    try end(after: 2)
    let isNegative = text.hasPrefix("-")
    let number = text.hasSuffix("ppm") ? text.dropLast(3) : ""
    let magnitude = thousandths(ofDecimal: isNegative || text.hasPrefix("+") ? number.dropFirst() : number)
    guard let magnitude, magnitude <= most * 1_000 else {
      throw Problem("invalid value \(quoted(text)) after \(quoted(name)); write \(form)")
    }
    return Int64(isNegative ? -magnitude : magnitude)
  }

  /// A word after the action, counted from 1.
  private func word(_ number: Int, else question: String) throws(Problem) -> String {
    guard words.count >= number else { throw Problem(question) }
    return words[words.startIndex + number - 1]
  }

  private func end(after count: Int) throws(Problem) {
    guard words.count > count else { return }
    throw Problem("unexpected \(quoted(words[words.startIndex + count])) at the end of the line")
  }

  private static func time(_ text: String, called name: String) throws(Problem) -> Nanoseconds {
    guard let time = Nanoseconds(text: text) else {
      throw Problem("invalid \(name) \(quoted(text)); write \(Nanoseconds.textForm)")
    }
    return time
  }
}

/// `a, b or c`
private func alternatives(_ names: [String]) -> String {
  names.dropLast().joined(separator: ", ") + (names.count > 1 ? " or " : "") + (names.last ?? "")
}

extension Script {
  /// The script as ``init(text:file:names:)`` reads it back: one event per line, in order of time. A contact that closes and opens
  /// again with no other event of its own in between is a press.
  public var text: String {
    var text = ""
    var isWritten = [Bool](repeating: false, count: events.count)
    for (index, event) in events.enumerated() where !isWritten[index] {
      var words = event.action.text(names)
      if case .contact(let button, let origin, isDown: true) = event.action,
        let next = events[(index + 1)...].firstIndex(where: { $0.action.isContact(of: button, at: origin) }),
        events[next].action == .contact(button, origin, isDown: false), events[next].time > event.time
      {
        isWritten[next] = true
        let held = events[next].time - event.time
        words = "press \(place(button, origin, names))\(held == Script.standardHold ? "" : " \(held.text)")"
      }
      text += "\(event.time.text) \(words)\n"
    }
    return text
  }
}

/// A button and its device as a script writes them; a button of the box has no device number.
private func place(_ button: Button, _ origin: Origin, _ names: BoxNames) -> String {
  names[button] + (origin == .box ? "" : "@\(origin.number)")
}

extension Script.Action {
  /// The action as a script writes it after the time.
  fileprivate func text(_ names: BoxNames) -> String {
    switch self {
    case .contact(let button, let origin, let isDown):
      "\(isDown ? "down" : "up") \(place(button, origin, names))"
    case .turn(let dial, let detents, let origin): "turn \(dial.rawValue)@\(origin.number) \(detents)"
    case .unplug(let origin): "unplug \(origin.number)"
    case .plug(let origin): "plug \(origin.number)"
    case .unplugChip: "unplug chip"
    case .plugChip: "plug chip"
    case .reload(let file): "reload \(file)"
    case .clock(let clock): clock.text
    case .mishap(let mishap): mishap.text
    case .control(let control): control.text
    }
  }

  fileprivate func isContact(of button: Button, at origin: Origin) -> Bool {
    if case .contact(button, origin, _) = self { true } else { false }
  }
}
