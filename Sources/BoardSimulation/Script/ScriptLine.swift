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

extension ScriptLine {
  private static let mostTimes = 1_000_000
  /// A card's crystal is off by less; the clock is slewed by at most so much.
  private static let mostDriftPPB = 1_000_000
  private static let mostSlewPPB = 500_000
  private static let longestDelay = Nanoseconds.seconds(3_600)

  func addCard(to script: inout Script) throws(Problem) {
    let names = "stops, sleeps, fails, freezes, refuses, drifts, unplug or plug"
    let mishap: Mishap
    switch try word(1, else: "card does what? \(names)") {
    case "stops": mishap = .cardStops
    case "fails": mishap = .cardFails
    case "freezes": mishap = .cardFreezes
    case "unplug": mishap = .cardUnplugged
    case "plug": mishap = .cardPlugged
    case "sleeps": return try addSleep(to: &script)
    case "refuses": return script.befall(.cardRefuses(times: try times(called: "card refuses")), at: time)
    case "drifts":
      return script.befall(.cardDrifts(ppb: try ppb(called: "card drifts", atMost: Self.mostDriftPPB)), at: time)
    case let other: throw Problem(text: "\(quoted(other)) is nothing a card does; \(names) is")
    }
    try end(after: 1)
    script.befall(mishap, at: time)
  }

  private func addSleep(to script: inout Script) throws(Problem) {
    let isForGood = words.count > 1
    if isForGood, Array(words.dropFirst()) != ["for", "good"] {
      throw Problem(text: "a card sleeps, or sleeps for good; \(quoted(words[words.startIndex + 1])) is neither")
    }
    script.befall(.cardSleeps(forGood: isForGood), at: time)
  }

  func addDelay(to script: inout Script) throws(Problem) {
    let names = Simulation.Loop.allCases.map(\.rawValue).joined(separator: ", ")
    let name = try word(1, else: "late which loop? \(names)")
    guard let loop = Simulation.Loop(rawValue: name) else {
      throw Problem(text: "there is no loop \(quoted(name)); there are \(names)")
    }
    let text = try word(2, else: "late \(name) by how much? \(Nanoseconds.textForm)")
    try end(after: 2)
    guard let delay = Nanoseconds(text: text), delay > .zero, delay <= Self.longestDelay else {
      throw Problem(text: "\(quoted(text)) is not a delay; write \(Nanoseconds.textForm); more than 0 and up to 1h")
    }
    script.befall(.late(loop, by: delay), at: time)
  }

  func addClock(to script: inout Script) throws(Problem) {
    let name = try word(1, else: "clock does what? slews")
    guard name == "slews" else { throw Problem(text: "\(quoted(name)) is nothing a clock does; slews is") }
    script.befall(.clockSlews(ppb: try ppb(called: "clock slews", atMost: Self.mostSlewPPB)), at: time)
  }

  func addDisk(to script: inout Script) throws(Problem) {
    let names = "full, free or fails"
    switch try word(1, else: "disk does what? \(names)") {
    case "full":
      try end(after: 1)
      script.befall(.diskFull, at: time)
    case "free":
      try end(after: 1)
      script.befall(.diskFree, at: time)
    case "fails": script.befall(.diskFails(times: try times(called: "disk fails")), at: time)
    case let other: throw Problem(text: "\(quoted(other)) is nothing a disk does; \(names) is")
    }
  }

  func addPower(to script: inout Script) throws(Problem) {
    let name = try word(1, else: "power cut or power on?")
    try end(after: 1)
    switch name {
    case "cut": script.befall(.powerCut, at: time)
    case "on": script.befall(.powerOn, at: time)
    default: throw Problem(text: "\(quoted(name)) is nothing power does; cut or on is")
    }
  }

  /// A word after the action, counted from 1.
  private func word(_ number: Int, else question: String) throws(Problem) -> String {
    guard words.count >= number else { throw Problem(text: question) }
    return words[words.startIndex + number - 1]
  }

  private func times(called name: String) throws(Problem) -> Int {
    let text = try word(2, else: "\(name) how many times? as \(name) 5")
    try end(after: 2)
    guard let times = Int(text), (1...Self.mostTimes).contains(times) else {
      throw Problem(text: "\(quoted(text)) is not a number of times; write 1 to \(Self.mostTimes)")
    }
    return times
  }

  /// Parts per million with a sign, in thousandths.
  private func ppb(called name: String, atMost most: Int) throws(Problem) -> Int64 {
    let form = "-\(most / 1_000)ppm to +\(most / 1_000)ppm"
    let text = try word(2, else: "\(name) by how much? \(form)")
    try end(after: 2)
    let isNegative = text.hasPrefix("-")
    let number = text.hasSuffix("ppm") ? text.dropLast(3) : ""
    let magnitude = thousandths(ofDecimal: isNegative || text.hasPrefix("+") ? number.dropFirst() : number)
    guard let magnitude, magnitude <= most else {
      throw Problem(text: "\(quoted(text)) is not how much; write \(form)")
    }
    return Int64(isNegative ? -magnitude : magnitude)
  }
}

/// Something that befalls a box, beside what hands do to it.
public enum Mishap: Hashable, Sendable {
  /// The sound card stops, as if it had run dry.
  case cardStops
  /// It sleeps until it is woken, which works or, for good, does not.
  case cardSleeps(forGood: Bool)
  /// Every call fails until it is closed.
  case cardFails
  /// It stands still until it is closed or started anew.
  case cardFreezes
  /// It takes nothing, so many times in a row.
  case cardRefuses(times: Int)
  case cardUnplugged
  case cardPlugged
  /// From now on its crystal runs so much faster than it should, in parts per thousand million.
  case cardDrifts(ppb: Int64)
  /// The loop's first wake-up from now on is so late.
  case late(Simulation.Loop, by: Nanoseconds)
  /// From now on the network's time lets the clock run so much faster, in parts per thousand million.
  case clockSlews(ppb: Int64)
  /// Nothing can be saved until the disk is free.
  case diskFull
  case diskFree
  /// So many times in a row nothing can be written.
  case diskFails(times: Int)
  /// The plug is pulled.
  case powerCut
  /// It is put in again.
  case powerOn
  /// The metronome is ended in order and begun again.
  case restart

  /// Whether it is about a disk, which only a simulated one can meet with.
  public var needsSimulatedDisk: Bool {
    switch self {
    case .diskFull, .diskFree, .diskFails, .powerCut, .powerOn: true
    case .cardStops, .cardSleeps, .cardFails, .cardFreezes, .cardRefuses, .cardUnplugged, .cardPlugged, .cardDrifts,
      .late, .clockSlews, .restart:
      false
    }
  }
}

extension Script {
  /// Something that happens, and when.
  public struct TimedMishap: Hashable, Sendable {
    public var time: Nanoseconds
    public var what: Mishap

    public init(_ what: Mishap, at time: Nanoseconds) {
      self.time = time
      self.what = what
    }
  }
}
