import BoardConformance
import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import Testing

/// Runs the conformance suite of the real board on the simulated board.
@Suite struct ConformanceTests {
  private final class Rig: ConformanceRig {
    /// Faults of the sound card, long after everything else in a case.
    private static let stop = Instant.zero + .seconds(100)
    private static let absence = Instant.zero + .seconds(200)..<Instant.zero + .seconds(300)

    private var board: SimulatedBoard?
    private var isCardOut = false
    private var received: [UInt8] = []

    let buttons = Button.standard

    func open() throws -> SimulatedBoard {
      var options = SimulatedBoard.Options()
      options.stateFolder = SimulatedDisk()
      options.inputs = Rig.inputs
      options.midi = Rig.midi
      options.faults.schedule(.stops, at: Rig.stop)
      options.faults.unplugCard(during: Rig.absence)
      let board = try SimulatedBoard(options, recorder: TraceRecorder(sinks: []))
      self.board = board
      received = []
      board.midi?.cable = { [unowned self] message, _ in
        received += (0..<message.count).map { message[$0] }
      }
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

    func sendMIDI(_ bytes: [UInt8]) { board?.inputs?.receive(bytes, at: Rig.midiIn) }

    func receiveMIDI() -> [UInt8] {
      defer { received = [] }
      return received
    }

    func pullMIDI(of board: SimulatedBoard) {
      board.midi?.unplug(0)
      for origin in [Rig.midiPedal, .midiClock] { unplug(origin) }
    }

    func plugMIDI(of board: SimulatedBoard) {
      guard let midi = board.midi, midi.count > 0 else { return }
      midi.plug(0)
      for origin in [Rig.midiPedal, .midiClock] { plug(origin) }
    }

    func configureMIDI(_ isConfigured: Bool, of board: SimulatedBoard) {
      board.midi?.rewire(isConfigured ? Rig.midi : [])
      if let midi = board.midi { midi.use(midi.list) }
    }

    func pullChip(of board: SimulatedBoard) {
      board.chip.schedule([.unplug(at: board.clock.now)])
      board.applyChipActions()
    }

    func plugChip(of board: SimulatedBoard) {
      board.chip.schedule([.plug(at: board.clock.now)])
      board.applyChipActions()
    }

    func stopCard() { board?.clock.advance(to: Rig.stop) }

    func pullCard() {
      board?.clock.advance(to: Rig.absence.lowerBound)
      isCardOut = true
    }

    func plugCard() {
      if isCardOut { board?.clock.advance(to: Rig.absence.upperBound) }
      isCardOut = false
    }

    /// Opens a simulated board whose first call of the obstacle's operation fails with the obstacle's error.
    func meet(_ obstacle: Obstacle) throws {
      var options = SimulatedBoard.Options()
      options.faults.fail(obstacle.refusal.operation, obstacle.refusal.kind, errno: 0, on: .call(1))
      let other = try SimulatedBoard(options, recorder: TraceRecorder(sinks: []))
      _ = try other.audio?.open()
    }

    private func happen(_ action: (Instant) -> InputAction) {
      if let board { board.inputs?.schedule([action(board.clock.now)]) }
    }

    var seen: LineSet { board?.lines.levels ?? .inactive }
  }

  @Test(arguments: ConformanceSuite<Rig>.cases().map(\.name))
  func simulatedBoardConforms(name: String) throws {
    let conformance = try #require(ConformanceSuite<Rig>.cases().first { $0.name == name })
    try conformance.run(on: Rig())
  }
}
