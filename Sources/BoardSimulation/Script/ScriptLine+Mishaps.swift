import MetronomeCore

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
