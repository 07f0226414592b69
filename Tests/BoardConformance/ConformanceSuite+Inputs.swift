import HardwareAbstraction
import MetronomeCore

extension ConformanceSuite {
  private typealias Inputs = Rig.RiggedBoard.Inputs

  private static var pedal: Origin { Origin(number: 1) }
  private static var encoder: Origin { Origin(number: 2) }
  /// Within which a board finds a device that is plugged in.
  private static var patience: Nanoseconds { .milliseconds(100) }

  static var inputCases: [Case] {
    [
      inputCase("devices that nobody touches say nothing") { rig, inputs in
        rig.wait(.milliseconds(5))
        try require(read(inputs), says: [])
      },
      inputCase("a device's keys tell both edges, and from where") { rig, inputs in
        for (button, origin) in [(Button.play, pedal), (.tap, pedal), (.play, encoder)] {
          for direction in [ButtonEdge.Direction.down, .up] {
            rig.move(button, direction, at: origin)
            rig.wait(.milliseconds(2))
            try require(read(inputs), says: [text(button, direction, origin)])
          }
        }
      },
      inputCase("a dial tells how far it was turned, and which way") { rig, inputs in
        for (dial, detents) in [(Dial.tempo, 1), (.tempo, -3), (.preset, 2)] {
          rig.turn(dial, by: detents, at: encoder)
          rig.wait(.milliseconds(2))
          try require(read(inputs), says: ["\(dial) by \(detents) at \(encoder.number)"])
        }
      },
      Case(name: "an event of a device is stamped when it happens, not when it is read") { rig, board in
        let inputs = try inputs(board)
        let before = board.clock.now
        rig.move(.play, .down, at: pedal)
        rig.wait(.milliseconds(1))
        let after = board.clock.now
        rig.wait(.milliseconds(50))
        guard let event = inputs.next() else { throw ConformanceFailure(description: "no event") }
        // The kernel tells whole microseconds, rounded down.
        try require(
          before - .microseconds(1) < event.instant && event.instant <= after,
          "happened from \(before.nanoseconds) to \(after.nanoseconds), stamped \(event.instant.nanoseconds)")
        rig.move(.play, .up, at: pedal)
      },
      inputCase("events of several devices come in order of time") { rig, inputs in
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
      inputCase("where a button is can be told before its edges are read, and they are read after that") {
        rig, inputs in
        for direction in [ButtonEdge.Direction.down, .up] {
          rig.move(.play, direction, at: encoder)
          rig.wait(.milliseconds(2))
          try require(inputs.isDown(.play, at: encoder) == (direction == .down), "not told that it went \(direction)")
          try require(!inputs.isDown(.play, at: pedal), "the pedal is down with the encoder")
          try require(read(inputs), says: [text(.play, direction, encoder)])
        }
      },
      inputCase("a device that is pulled out lets go, and is heard again when it is back") { rig, inputs in
        for _ in 0..<3 {
          rig.move(.play, .down, at: pedal)
          rig.wait(.milliseconds(2))
          try require(read(inputs), says: [text(.play, .down, pedal)])
          rig.unplug(pedal)
          rig.wait(patience)
          let last = read(inputs)
          try require(last.last == "interrupted at 1", "said of being pulled out: \(last)")
          try require(!inputs.isDown(.play, at: pedal), "held by a pedal that is gone")
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
      inputCase("what was not read in time is lost, but not where the buttons are") { rig, inputs in
        for _ in 0..<200 {
          rig.move(.play, .down, at: pedal)
          rig.move(.play, .up, at: pedal)
        }
        rig.move(.tap, .down, at: pedal)
        rig.wait(.milliseconds(20))
        let told = read(inputs)
        try require(told.contains("interrupted at 1"), "nothing said of a loss, but \(told.count) events")
        try require(inputs.isDown(.tap, at: pedal), "the button that is held is not down")
        try require(!inputs.isDown(.play, at: pedal), "the button that was let go is down")
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
    var told: [String] = []
    while let event = inputs.next() {
      switch event {
      case .edge(let edge): told.append(text(edge.button, edge.direction, edge.origin))
      case .turn(let turn): told.append("\(turn.dial) by \(turn.detents) at \(turn.origin.number)")
      case .interrupted(let origin, _): told.append("interrupted at \(origin.number)")
      }
    }
    return told
  }

  private static func text(_ button: Button, _ direction: ButtonEdge.Direction, _ origin: Origin) -> String {
    "\(button) \(direction) at \(origin.number)"
  }

  private static func require(_ told: [String], says expected: [String]) throws {
    try BoardConformance.require(told == expected, "told \(told), not \(expected)")
  }

  private static func require(_ condition: Bool, _ what: @autoclosure () -> String) throws {
    try BoardConformance.require(condition, what())
  }
}
