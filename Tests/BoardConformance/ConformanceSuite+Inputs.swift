import HardwareAbstraction
import MetronomeCore

extension ConformanceSuite {
  private typealias Inputs = Rig.RiggedBoard.Inputs

  private static var pedal: Origin { Origin(number: 1) }
  private static var encoder: Origin { Origin(number: 2) }
  /// The time within which a board must find a device that is plugged in.
  private static var patience: Nanoseconds { .milliseconds(100) }

  static var inputCases: [Case] {
    [
      inputCase("untouched devices give no events") { rig, inputs in
        rig.wait(.milliseconds(5))
        try require(read(inputs), says: [])
      },
      inputCase("a device's keys give both edges, with their origin") { rig, inputs in
        for (button, origin) in [(Button.play, pedal), (.tap, pedal), (.play, encoder)] {
          for direction in [ButtonEdge.Direction.down, .up] {
            rig.move(button, direction, at: origin)
            rig.wait(.milliseconds(2))
            try require(read(inputs), says: [text(button, direction, origin)])
          }
        }
      },
      inputCase("a dial reports the detents and the direction of a turn") { rig, inputs in
        for (dial, detents) in [(Dial.tempo, 1), (.tempo, -3), (.preset, 2)] {
          rig.turn(dial, by: detents, at: encoder)
          rig.wait(.milliseconds(2))
          try require(read(inputs), says: ["\(dial) by \(detents) at \(encoder.number)"])
        }
      },
      Case(name: "a device's event is timestamped when it happens, not when it is read") { rig, board in
        let inputs = try inputs(board)
        let before = board.clock.now
        rig.move(.play, .down, at: pedal)
        rig.wait(.milliseconds(1))
        let after = board.clock.now
        rig.wait(.milliseconds(50))
        guard let event = inputs.next() else { throw ConformanceFailure(description: "no event") }
        // The kernel's timestamps are whole microseconds, rounded down.
        try require(
          before - .microseconds(1) < event.instant && event.instant <= after,
          "happened from \(before.nanoseconds) to \(after.nanoseconds), stamped \(event.instant.nanoseconds)")
        rig.move(.play, .up, at: pedal)
      },
      inputCase("events of several devices arrive in order of time") { rig, inputs in
        let moves: [(Button, ButtonEdge.Direction, Origin)] = [
          (.play, .down, encoder), (.tap, .down, pedal), (.play, .up, encoder), (.play, .down, pedal),
          (.play, .down, encoder), (.play, .up, pedal), (.tap, .up, pedal), (.play, .up, encoder),
        ]
        for (button, direction, origin) in moves {
          rig.move(button, direction, at: origin)
          rig.wait(.milliseconds(1))
        }
        try require(read(inputs), says: moves.map { text($0.0, $0.1, $0.2) })
      },
      inputCase("a button's level can be read before its edges, which are kept") {
        rig, inputs in
        for direction in [ButtonEdge.Direction.down, .up] {
          rig.move(.play, direction, at: encoder)
          rig.wait(.milliseconds(2))
          try require(inputs.isDown(.play, at: encoder) == (direction == .down), "not \(direction) after the move")
          try require(!inputs.isDown(.play, at: pedal), "the pedal is down with the encoder")
          try require(read(inputs), says: [text(.play, direction, encoder)])
        }
      },
      inputCase("an unplugged device releases its buttons, and works again when it is back") { rig, inputs in
        for _ in 0..<3 {
          rig.move(.play, .down, at: pedal)
          rig.wait(.milliseconds(2))
          try require(read(inputs), says: [text(.play, .down, pedal)])
          rig.unplug(pedal)
          rig.wait(patience)
          let last = read(inputs)
          try require(last.last == "interrupted at 1", "after unplugging: \(last)")
          try require(!inputs.isDown(.play, at: pedal), "held by an unplugged pedal")
          rig.move(.play, .down, at: encoder)
          rig.wait(.milliseconds(2))
          rig.move(.play, .up, at: encoder)
          rig.wait(.milliseconds(2))
          try require(read(inputs), says: [text(.play, .down, encoder), text(.play, .up, encoder)])
          rig.plug(pedal)
          rig.wait(patience)
          try require(read(inputs), says: [])
          rig.move(.tap, .down, at: pedal)
          rig.wait(.milliseconds(2))
          rig.move(.tap, .up, at: pedal)
          rig.wait(.milliseconds(2))
          try require(read(inputs), says: [text(.tap, .down, pedal), text(.tap, .up, pedal)])
        }
      },
      inputCase("an overflow loses events, but not the button levels") { rig, inputs in
        for _ in 0..<200 {
          rig.move(.play, .down, at: pedal)
          rig.move(.play, .up, at: pedal)
        }
        rig.move(.tap, .down, at: pedal)
        rig.wait(.milliseconds(20))
        let events = read(inputs)
        try require(events.contains("interrupted at 1"), "no loss reported, but \(events.count) events")
        try require(inputs.isDown(.tap, at: pedal), "the held button is not down")
        try require(!inputs.isDown(.play, at: pedal), "the released button is down")
        rig.move(.tap, .up, at: pedal)
        rig.wait(.milliseconds(2))
        try require(read(inputs), says: [text(.tap, .up, pedal)])
      },
    ]
  }

  private static func inputCase(_ name: String, check: @escaping (Rig, Inputs) throws -> Void) -> Case {
    Case(name: name) { rig, board in try check(rig, try inputs(board)) }
  }

  private static func inputs(_ board: Rig.RiggedBoard) throws -> Inputs {
    guard let inputs = board.inputs else { throw ConformanceFailure(description: "the board has no inputs") }
    return inputs
  }

  private static func read(_ inputs: Inputs) -> [String] {
    var events: [String] = []
    while let event = inputs.next() {
      switch event {
      case .edge(let edge): events.append(text(edge.button, edge.direction, edge.origin))
      case .turn(let turn): events.append("\(turn.dial) by \(turn.detents) at \(turn.origin.number)")
      case .interrupted(let origin, _): events.append("interrupted at \(origin.number)")
      case .program(let number, _, _): events.append("program \(number)")
      case .clock(let message): events.append("clock: \(message.kind)")
      }
    }
    return events
  }

  private static func text(_ button: Button, _ direction: ButtonEdge.Direction, _ origin: Origin) -> String {
    "\(button) \(direction) at \(origin.number)"
  }

  private static func require(_ events: [String], says expected: [String]) throws {
    try BoardConformance.require(events == expected, "got \(events), not \(expected)")
  }

  private static func require(_ condition: Bool, _ what: @autoclosure () -> String) throws {
    try BoardConformance.require(condition, what())
  }
}
