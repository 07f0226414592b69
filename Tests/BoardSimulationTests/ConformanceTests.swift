import BoardConformance
import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import Testing

/// The suite that the real board passes on a real kernel, on the simulated one.
@Suite struct ConformanceTests {
  private final class Rig: ConformanceRig {
    private var board: SimulatedBoard?

    let buttons = Button.allCases

    func open() throws -> SimulatedBoard {
      var options = SimulatedBoard.Options()
      options.store = SimulatedDisk()
      options.inputs = Rig.inputs
      let board = try SimulatedBoard(options, recorder: TraceRecorder(sinks: []))
      self.board = board
      return board
    }

    func close(_ board: SimulatedBoard) { board.lines.release() }

    func wait(_ time: Nanoseconds) {
      if let board { board.clock.advance(to: board.clock.now + time) }
    }

    func move(_ button: Button, _ direction: ButtonEdge.Direction) {
      if let board { board.buttons.schedule([ButtonEdge(button, direction, at: board.clock.now)]) }
    }

    func move(_ button: Button, _ direction: ButtonEdge.Direction, at origin: Origin) {
      happen { .edge(ButtonEdge(button, direction, at: $0, from: origin)) }
    }

    func turn(_ dial: Dial, by detents: Int, at origin: Origin) {
      happen { .turn(DialTurn(dial, by: detents, at: $0, from: origin)) }
    }

    func unplug(_ origin: Origin) { happen { .unplug(origin, at: $0) } }

    func plug(_ origin: Origin) { happen { .plug(origin, at: $0) } }

    private func happen(_ action: (Instant) -> InputAction) {
      if let board { board.inputs?.schedule([action(board.clock.now)]) }
    }

    var seen: OutputSet { board?.lines.levels ?? .inactive }
  }

  @Test(arguments: ConformanceSuite<Rig>.cases.map(\.name))
  func theSimulatedBoardKeepsItsPromises(name: String) throws {
    let conformance = try #require(ConformanceSuite<Rig>.cases.first { $0.name == name })
    try conformance.run(on: Rig())
  }
}
