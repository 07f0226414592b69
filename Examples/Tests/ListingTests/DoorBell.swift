import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import Testing

/// A door bell, which is no metronome: a button at the gate and one at the door, a light for each, and a light in the hall.
struct DoorBell {
  static let names = BoxNames(outputs: ["gate", "door", "hall"], buttons: ["ring_gate", "ring_door"])
  static let lights = names.outputs.map { OutputLine($0) }
  /// How long a light is on after a ring.
  static let length = Nanoseconds.seconds(5)

  private var ends: [OutputLine: Instant] = [:]

  /// Reads the buttons, and sets the lights. Returns when a light is due to go out; nil: none is on.
  mutating func step(
    _ buttons: some ButtonEdges, _ lines: some OutputLines, at now: Instant
  ) throws(HardwareError) -> Instant? {
    while let edge = try buttons.next() {
      guard edge.direction == .down else { continue }
      ends[DoorBell.lights[edge.button.index]] = edge.instant + DoorBell.length
      ends[DoorBell.lights[2]] = edge.instant + DoorBell.length
    }
    ends = ends.filter { $0.value > now }
    try lines.set(LineSet(ends.keys))
    return ends.values.min()
  }
}

@Test func aRingLightsTheHallForFiveSeconds() throws {
  var options = SimulatedBoard.Options()
  options.names = DoorBell.names
  let trace = RecordedTrace()
  let board = try SimulatedBoard(options, recorder: TraceRecorder(sinks: [trace]))
  let (gate, door) = (DoorBell.names.buttons[0], DoorBell.names.buttons[1])
  let rings: [(Int64, Button, ButtonEdge.Direction)] = [
    (1, gate, .down), (2, gate, .up), (4, door, .down), (5, door, .up),
  ]
  board.buttons.schedule(rings.map { ButtonEdge($1, $2, at: .zero + .seconds($0)) })
  var bell = DoorBell()
  var next: Instant? = .zero
  while let now = next {
    board.clock.advance(to: now)
    let end = try bell.step(board.buttons, board.lines, at: now)
    next = [end, board.buttons.nextInstant].compactMap(\.self).min()
  }
  board.lines.release()

  let lights = trace.events.compactMap { event -> String? in
    guard case .line(let line, let isOn) = event.what else { return nil }
    return "\(event.time.count / 1_000_000_000) \(DoorBell.names[line]) \(isOn ? "on" : "off")"
  }
  #expect(lights == ["1 gate on", "1 hall on", "4 door on", "6 gate off", "9 door off", "9 hall off"])
}
