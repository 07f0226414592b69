import HardwareAbstraction
import MetronomeCore

/// The contract of every board, real or simulated: one suite, run on each.
public enum ConformanceSuite<Rig: ConformanceRig> {
  public struct Case {
    /// The requirement, as a sentence.
    public let name: String
    let check: (Rig, Rig.RiggedBoard) throws -> Void

    /// Opens the rig's board, checks the requirement, and releases the board.
    public func run(on rig: Rig) throws {
      let board = try rig.open()
      defer { rig.close(board) }
      try check(rig, board)
    }
  }

  /// - Parameters:
  ///   - withRemovableChip: whether the rig can remove the chip. If not, that case is left out.
  ///   - withSlowMIDI: whether messages can be sent faster than the port transfers them. If not, the case of a full output is left
  ///     out.
  public static func cases(withRemovableChip: Bool = true, withSlowMIDI: Bool = true) -> [Case] {
    clockCases + lineCases + refusalCases + (withRemovableChip ? chipCases : []) + buttonCases + inputCases
      + (withSlowMIDI ? fullMIDICases : []) + midiCases + audioCases + storeCases
  }

  /// Loops decide by the kind of an error, so each obstacle must give the same kind on every board.
  private static var refusalCases: [Case] {
    Obstacle.allCases.map { obstacle in
      let wanted = obstacle.refusal
      return Case(name: "\(obstacle) is refused as \(wanted.kind), and the open board keeps its hardware") {
        rig, board in
        try board.lines.set([.light])
        do {
          try rig.meet(obstacle)
        } catch let error as HardwareError {
          try require(
            error.operation == wanted.operation && error.kind == wanted.kind,
            "refused by \(error.operation) as \(error.kind): \(error.detail)")
          try require(rig.seen == [.light], "after the refusal active: \(rig.seen)")
          return
        }
        throw ConformanceFailure(description: "nothing was refused")
      }
    }
  }

  /// The loss of a chip is an error of the buttons only: setting the lines does not throw.
  private static var chipCases: [Case] {
    [
      Case(name: "a removed chip is reported as gone, and gets the last levels set when it is back") {
        rig, board in
        try board.lines.set([.light])
        defer { try? rig.plugChip(of: board) }
        rig.pullChip(of: board)
        try require("reading the buttons", fails: .readEdges, as: .gone) { _ = try board.buttons.next() }
        let edge = try board.buttons.next()
        try require(edge == nil, "a removed chip gave: \(String(describing: edge))")
        try board.lines.set([.buzzer])
        try rig.plugChip(of: board)
        try require(rig.seen == [.buzzer], "active when it is back: \(rig.seen)")
        rig.move(.play, .down)
        rig.wait(.milliseconds(2))
        let press = try board.buttons.next()
        try require(press?.button == .play && press?.direction == .down, "got: \(String(describing: press))")
        rig.move(.play, .up)
      }
    ]
  }

  private static var clockCases: [Case] {
    [
      Case(name: "the clock advances with time") { rig, board in
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
      Case(name: "every combination of outputs can be set") { rig, board in
        let lines = Array([.light, .pendulum, .buzzer, .green, .blue] as LineSet)
        let numbers = Array(0..<1 << lines.count)
        for number in numbers + numbers.reversed() {
          let levels = LineSet(lines.indices.filter { number & 1 << $0 != 0 }.map { lines[$0] })
          try board.lines.set(levels)
          try require(rig.seen == levels, "set \(levels.rawValue), seen \(rig.seen.rawValue)")
        }
      },
      Case(name: "a released board is dark, also after a second release") { rig, board in
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
        try require(edge == nil, "an edge without a move: \(String(describing: edge))")
      },
      Case(name: "every button gives both edges") { rig, board in
        for button in rig.buttons {
          for direction in [ButtonEdge.Direction.down, .up] {
            rig.move(button, direction)
            rig.wait(.milliseconds(2))
            let edge = try board.buttons.next()
            try require(
              edge?.button == button && edge?.direction == direction,
              "\(button) went \(direction), got: \(String(describing: edge))")
          }
        }
        let extra = try board.buttons.next()
        try require(extra == nil, "one edge too many: \(String(describing: extra))")
      },
      Case(name: "the level of a button's line can be read before its edges, which are kept") { rig, board in
        for direction in [ButtonEdge.Direction.down, .up] {
          rig.move(.play, direction)
          rig.wait(.milliseconds(2))
          let isDown = try board.buttons.isDown(.play)
          try require(isDown == (direction == .down), "not \(direction) after the move")
          let edge = try board.buttons.next()
          try require(edge?.button == .play && edge?.direction == direction, "got: \(String(describing: edge))")
        }
      },
      Case(name: "an edge is timestamped when it happens, not when it is read") { rig, board in
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
      Case(name: "edges of several buttons arrive in order of time") { rig, board in
        let moves: [(Button, ButtonEdge.Direction)] = [
          (.tap, .down), (.play, .down), (.denominator, .down), (.play, .up), (.tap, .up), (.slower, .down),
          (.denominator, .up), (.slower, .up),
        ]
        for (button, direction) in moves {
          rig.move(button, direction)
          rig.wait(.milliseconds(1))
        }
        var edges: [ButtonEdge] = []
        while let edge = try board.buttons.next() { edges.append(edge) }
        try require(edges.map(\.button) == moves.map(\.0), "in another order: \(edges.map(\.button))")
        try require(edges.map(\.direction) == moves.map(\.1), "other directions: \(edges.map(\.direction))")
        try require(zip(edges, edges.dropFirst()).allSatisfy { $0.instant <= $1.instant }, "timestamps out of order")
      },
    ]
  }
}
