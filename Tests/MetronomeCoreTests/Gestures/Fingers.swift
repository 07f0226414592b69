import MetronomeCore
import Testing

/// What fingers do, written as text, and what a gesture machine makes of it.
///
/// `0 faster down, 300 faster up lost, 800 play@1 down, 900 interrupt@1`: milliseconds, the button with the number of its
/// origin, and which way; an edge that is lost happens to the line and is never read.
struct Fingers {
  /// Whether the machine can be told where the lines are.
  enum Levels { case told, untold }

  struct Happening {
    var instant: Instant
    var button: Button?
    var origin: Origin
    var isDown = false
    var isLost = false
  }

  var happenings: [Happening]

  init(_ text: String) {
    happenings = text.split(separator: ",").map { part in
      let words = part.split(separator: " ").map(String.init)
      let place = words[1].split(separator: "@").map(String.init)
      let origin = Origin(number: place.count > 1 ? Int(place[1])! : 0)
      let instant = Instant.zero + Fingers.time(words[0])
      guard place[0] != "interrupt" else { return Happening(instant: instant, button: nil, origin: origin) }
      return Happening(
        instant: instant, button: Button(rawValue: place[0])!, origin: origin, isDown: words[2] == "down",
        isLost: words.last == "lost")
    }
  }

  /// A row a button: its name, and a character for so many milliseconds, `#` down and `.` up.
  init(rows: String, column: Int64) {
    happenings = []
    for row in rows.split(separator: "\n") {
      let words = row.split(separator: " ").map(String.init)
      var wasDown = false
      for (index, level) in (words[1] + ".").enumerated() where (level == "#") != wasDown {
        wasDown = level == "#"
        happenings.append(
          Happening(
            instant: .zero + .milliseconds(Int64(index) * column), button: Button(rawValue: words[0])!, origin: .box,
            isDown: wasDown))
      }
    }
    happenings.sort { $0.instant < $1.instant }
  }

  /// Feeds a machine and writes what came of it.
  ///
  /// - Parameters:
  ///   - readings: the milliseconds at which all is read that has happened and was not read; nil: at once, and whenever
  ///     the machine asks for it, for 3 s after the last happening.
  func gestures(
    _ machine: inout GestureMachine<Command>, levels: Levels = .told, readings: [Int64]? = nil
  ) -> String {
    var result: [String] = []
    var rest = happenings[...]
    func read(at now: Instant) {
      while let next = rest.first, next.instant <= now {
        rest.removeFirst()
        guard let button = next.button else {
          machine.interrupt(next.origin, at: next.instant)
          continue
        }
        guard !next.isLost else { continue }
        let edge = ButtonEdge(button, next.isDown ? .down : .up, at: next.instant, from: next.origin)
        machine.take(edge) { result.append(Fingers.text($0)) }
      }
      machine.settle(at: now, level: { levels == .told ? isDown($0, $1, at: now) : nil }) {
        result.append(Fingers.text($0))
      }
    }
    if let readings {
      for reading in readings { read(at: .zero + .milliseconds(reading)) }
      return result.joined(separator: ", ")
    }
    let end = (happenings.last?.instant ?? .zero) + .seconds(3)
    while let now = [rest.first?.instant, machine.deadline].compactMap(\.self).min(), now <= end { read(at: now) }
    return result.joined(separator: ", ")
  }

  /// Where a line is.
  func isDown(_ button: Button, _ origin: Origin, at now: Instant) -> Bool {
    happenings.last { $0.button == button && $0.origin == origin && $0.instant <= now }?.isDown ?? false
  }

  private static func time(_ text: String) -> Nanoseconds {
    let parts = text.split(separator: ".").map(String.init)
    let fraction = parts.count > 1 ? parts[1] + String(repeating: "0", count: 6 - parts[1].count) : "0"
    return .milliseconds(Int64(parts[0])!) + Nanoseconds(Int64(fraction)!)
  }

  /// The instant, what it means, the press if that was before, and what is taken back.
  static func text(_ event: GestureEvent<Command>) -> String {
    var text = "\(time(event.instant)) \(word(event.meaning, steps: event.steps))"
    if event.press != event.instant { text += " of \(time(event.press))" }
    if let press = event.takesBack { text += " not \(time(press.instant))" }
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
      .previousPreset:
      "\(command)"
    }
  }
}

/// Compares what comes of fingers with what is written.
///
/// - Parameter lossUntil: the milliseconds until which the machine must suppose that edges are lost.
func expect(
  _ fingers: String, _ expected: String, levels: Fingers.Levels = .told, readings: [Int64]? = nil,
  table: GestureTable<Command> = .standard, lockOut: Nanoseconds = Debouncer.standardLockOut, lossUntil: Int64? = nil,
  _ location: SourceLocation = #_sourceLocation
) {
  var machine = GestureMachine(table, lockOut: lockOut, origins: 3)
  if let lossUntil { machine.mayHaveLost(until: .zero + .milliseconds(lossUntil)) }
  let happened = Fingers(fingers).gestures(&machine, levels: levels, readings: readings)
  #expect(happened == expected, "\(fingers)", sourceLocation: location)
}

/// The same for rows of levels.
func expect(rows: String, column: Int64, _ expected: String, _ location: SourceLocation = #_sourceLocation) {
  var machine = GestureMachine<Command>(.standard)
  let happened = Fingers(rows: rows, column: column).gestures(&machine)
  #expect(happened == expected, "\(rows)", sourceLocation: location)
}
