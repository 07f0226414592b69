import MetronomeCore
import Testing

/// Button presses that are written as text, and the gestures that a machine recognises in them.
///
/// `0 faster down, 300 faster up lost, 800 play@1 down, 900 interrupt@1`: milliseconds, the button with the number of its
/// origin, and the direction. A lost edge changes the line's level but is never read.
struct PressScript {
  /// Whether the machine can read the lines' levels.
  enum Levels { case known, unknown }

  struct Action {
    var instant: Instant
    var button: Button?
    var origin: Origin
    var isDown = false
    var isLost = false
  }

  var actions: [Action]

  init(_ text: String) {
    actions = text.split(separator: ",").map { part in
      let words = part.split(separator: " ").map(String.init)
      let place = words[1].split(separator: "@").map(String.init)
      let origin = Origin(number: place.count > 1 ? Int(place[1])! : 0)
      let instant = Instant.zero + PressScript.time(words[0])
      guard place[0] != "interrupt" else { return Action(instant: instant, button: nil, origin: origin) }
      return Action(
        instant: instant, button: PressScript.button(place[0]), origin: origin, isDown: words[2] == "down",
        isLost: words.last == "lost")
    }
  }

  /// One row per button: its name, and one character per `column` milliseconds, `#` down and `.` up.
  init(rows: String, column: Int64) {
    actions = []
    for row in rows.split(separator: "\n") {
      let words = row.split(separator: " ").map(String.init)
      var wasDown = false
      for (index, level) in (words[1] + ".").enumerated() where (level == "#") != wasDown {
        wasDown = level == "#"
        actions.append(
          Action(
            instant: .zero + .milliseconds(Int64(index) * column), button: PressScript.button(words[0]), origin: .box,
            isDown: wasDown))
      }
    }
    actions.sort { $0.instant < $1.instant }
  }

  private static func button(_ name: String) -> Button { Button.all.first { $0.description == name }! }

  /// Feeds the presses to a machine, and returns the resulting events as text.
  ///
  /// - Parameters:
  ///   - readings: the milliseconds at which all unread edges are read. With nil each edge is read at once, and the machine is
  ///     settled at each of its deadlines, until 3 s after the last edge.
  func gestures(
    _ machine: inout GestureMachine, levels: Levels = .known, readings: [Int64]? = nil
  ) -> String {
    var result: [String] = []
    var rest = actions[...]
    func read(at now: Instant) {
      while let next = rest.first, next.instant <= now {
        rest.removeFirst()
        guard let button = next.button else {
          machine.interrupt(next.origin, at: next.instant)
          continue
        }
        guard !next.isLost else { continue }
        let edge = ButtonEdge(button, next.isDown ? .down : .up, at: next.instant, from: next.origin)
        machine.process(edge) { result.append(PressScript.text($0)) }
      }
      machine.settle(at: now, level: { levels == .known ? isDown($0, $1, at: now) : nil }) {
        result.append(PressScript.text($0))
      }
    }
    if let readings {
      for reading in readings { read(at: .zero + .milliseconds(reading)) }
      return result.joined(separator: ", ")
    }
    let end = (actions.last?.instant ?? .zero) + .seconds(3)
    while let now = [rest.first?.instant, machine.deadline].compactMap(\.self).min(), now <= end { read(at: now) }
    return result.joined(separator: ", ")
  }

  /// Whether the line of a button is down.
  func isDown(_ button: Button, _ origin: Origin, at now: Instant) -> Bool {
    actions.last { $0.button == button && $0.origin == origin && $0.instant <= now }?.isDown ?? false
  }

  private static func time(_ text: String) -> Nanoseconds {
    let parts = text.split(separator: ".").map(String.init)
    let fraction = parts.count > 1 ? parts[1] + String(repeating: "0", count: 6 - parts[1].count) : "0"
    return .milliseconds(Int64(parts[0])!) + Nanoseconds(Int64(fraction)!)
  }

  /// An event as text: the instant, the command, the press if it was earlier, and the press that is undone.
  static func text(_ event: GestureEvent) -> String {
    var text = "\(time(event.instant)) \(word(event.command, steps: event.steps))"
    if event.press != event.instant { text += " of \(time(event.press))" }
    if let press = event.undoes { text += " not \(time(press.instant))" }
    return text
  }

  private static func time(_ instant: Instant) -> String {
    let (whole, part) = instant.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
    guard part != 0 else { return "\(whole)" }
    let digits = String(part)
    var fraction = Substring(String(repeating: "0", count: 6 - digits.count) + digits)
    while fraction.last == "0" { fraction.removeLast() }
    return "\(whole).\(fraction)"
  }

  private static func word(_ command: Command, steps: Int) -> String {
    switch command {
    case .stepTempo(let milliBPM): "\(milliBPM > 0 ? "+" : "-")\(abs(milliBPM) / 1_000 * steps)"
    case .togglePlaying: "play"
    case .toggleSilence: "silent"
    case .recallPreset(let place): "recall\(place)"
    case .storePreset(let place): "store\(place)"
    case .start, .stop, .setTempo, .resetTempo, .tap, .setNumerator, .nextNumerator, .previousNumerator,
      .setDenominator, .nextDenominator, .previousDenominator, .tellTempo, .tellSignature, .nextPreset,
      .previousPreset, .volumeUp, .volumeDown, .nextSubdivision, .previousSubdivision, .nextAccents,
      .nextSection, .previousSection, .restartSection, .nextSong, .previousSong, .nextGap,
      .toggleDrop, .toggleRamp, .toggleTimer, .setRamp, .setTimer, .setGap, .setDrop, .setSignature, .setUnit,
      .setRhythm, .setVolume, .setClickSet, .nextClickSet, .pair, .forgetPhones:
      "\(command)"
    }
  }
}

/// Compares the events of the given presses with the expected events.
///
/// - Parameter lossUntil: the milliseconds until which the machine must assume that edges may be lost.
func expect(
  _ presses: String, _ expected: String, levels: PressScript.Levels = .known, readings: [Int64]? = nil,
  table: GestureTable = .standard, lockOut: Nanoseconds = Debouncer.standardLockOut, lossUntil: Int64? = nil,
  _ location: SourceLocation = #_sourceLocation
) {
  var machine = GestureMachine(table, lockOut: lockOut, origins: 3)
  if let lossUntil { machine.mayHaveLost(until: .zero + .milliseconds(lossUntil)) }
  let events = PressScript(presses).gestures(&machine, levels: levels, readings: readings)
  #expect(events == expected, "\(presses)", sourceLocation: location)
}

/// Compares the events of presses that are given as rows of levels with the expected events.
func expect(rows: String, column: Int64, _ expected: String, _ location: SourceLocation = #_sourceLocation) {
  var machine = GestureMachine(.standard)
  let events = PressScript(rows: rows, column: column).gestures(&machine)
  #expect(events == expected, "\(rows)", sourceLocation: location)
}
