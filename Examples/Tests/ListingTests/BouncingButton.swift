import BoardSimulation
import MetronomeCore
import Testing

@Test func aBouncingPressStartsOnce() throws {
  var options = SimulatedBoard.Options()
  options.audio = nil
  let trace = RecordedTrace()
  let simulation = try Simulation(board: options, sinks: [trace])
  // Milliseconds: the contact closes, bounces once, and opens.
  let contact: [(Int64, ButtonEdge.Direction)] = [(1_000, .down), (1_001, .up), (1_002, .down), (1_080, .up)]
  simulation.board.buttons.schedule(contact.map { ButtonEdge(.play, $1, at: .zero + .milliseconds($0)) })
  simulation.run(until: .zero + .seconds(2))
  simulation.finish()

  // The first beat falls 1 ms after the first edge.
  let lit = trace.events.filter { $0.what == .line(.light, isActive: true) }
  #expect(lit.map(\.time) == [.milliseconds(1_001), .milliseconds(1_501)])
}
