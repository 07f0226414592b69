import HardwareAbstraction
import MetronomeCore

/// What every board promises, real or simulated: one suite, run on each.
public enum ConformanceSuite<Rig: ConformanceRig> {
  public struct Case {
    /// Says what is promised.
    public let name: String
    let check: (Rig, Rig.RiggedBoard) throws -> Void

    /// Opens the rig's board, checks the promise, and gives the board back.
    public func run(on rig: Rig) throws {
      let board = try rig.open()
      defer { rig.close(board) }
      try check(rig, board)
    }
  }

  public static var cases: [Case] { clockCases + lineCases + buttonCases + inputCases + audioCases + storeCases }

  private static var clockCases: [Case] {
    [
      Case(name: "the clock goes on with time") { rig, board in
        let before = board.clock.now
        rig.wait(.milliseconds(20))
        let passed = board.clock.now - before
        try require(passed >= .milliseconds(20), "20 ms passed, the clock went \(passed.count) ns")
      }
    ]
  }

  private static var lineCases: [Case] {
    [
      Case(name: "outputs are inactive when the board is opened") { rig, _ in
        try require(rig.seen == .inactive, "active: \(rig.seen)")
      },
      Case(name: "every combination of outputs is seen") { rig, board in
        for raw in (0...7).map(UInt8.init) + (0...7).reversed().map(UInt8.init) {
          try board.lines.set(OutputSet(rawValue: raw))
          try require(rig.seen.rawValue == raw, "set \(raw), seen \(rig.seen.rawValue)")
        }
      },
      Case(name: "a released board is dark, however often it is released") { rig, board in
        try board.lines.set([.light, .pendulum, .buzzer])
        board.lines.release()
        try require(rig.seen == .inactive, "active after release: \(rig.seen)")
        board.lines.release()
        try require(rig.seen == .inactive, "active after a second release: \(rig.seen)")
      },
    ]
  }

  private static var buttonCases: [Case] {
    [
      Case(name: "there are no edges before a button moves") { rig, board in
        rig.wait(.milliseconds(5))
        let edge = try board.buttons.next()
        try require(edge == nil, "an edge out of nothing: \(String(describing: edge))")
      },
      Case(name: "every button tells both edges") { rig, board in
        for button in rig.buttons {
          for direction in [ButtonEdge.Direction.down, .up] {
            rig.move(button, direction)
            rig.wait(.milliseconds(2))
            let edge = try board.buttons.next()
            try require(
              edge?.button == button && edge?.direction == direction,
              "\(button) went \(direction), told: \(String(describing: edge))")
          }
        }
        let extra = try board.buttons.next()
        try require(extra == nil, "one edge too many: \(String(describing: extra))")
      },
      Case(name: "an edge is stamped when it happens, not when it is read") { rig, board in
        let before = board.clock.now
        rig.move(.play, .down)
        rig.wait(.milliseconds(1))
        let after = board.clock.now
        rig.wait(.milliseconds(50))
        guard let edge = try board.buttons.next() else { throw ConformanceFailure(description: "no edge") }
        try require(
          before <= edge.instant && edge.instant <= after,
          "happened from \(before.nanoseconds) to \(after.nanoseconds), stamped \(edge.instant.nanoseconds)")
        rig.move(.play, .up)
      },
      Case(name: "edges of several buttons come in order of time") { rig, board in
        let moves: [(Button, ButtonEdge.Direction)] = [
          (.tap, .down), (.play, .down), (.denominator, .down), (.play, .up), (.tap, .up), (.slower, .down),
          (.denominator, .up), (.slower, .up),
        ]
        for (button, direction) in moves {
          rig.move(button, direction)
          rig.wait(.milliseconds(1))
        }
        var told: [ButtonEdge] = []
        while let edge = try board.buttons.next() { told.append(edge) }
        try require(told.map(\.button) == moves.map(\.0), "told in another order: \(told.map(\.button))")
        try require(told.map(\.direction) == moves.map(\.1), "told otherwise: \(told.map(\.direction))")
        try require(zip(told, told.dropFirst()).allSatisfy { $0.instant <= $1.instant }, "stamps out of order")
      },
    ]
  }
}
