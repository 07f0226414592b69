import BoardSimulation
import ControlSocket
import MetronomeCore

/// Checks some of the promises during a simulation.
class Checker {
  let scene: Scene

  init(_ scene: Scene) { self.scene = scene }

  /// Called for each event of the trace.
  func see(_ event: TraceEvent) {}

  /// Called after each step of a loop; nil: after any other event.
  func look(after loop: Simulation.Loop?, _ changes: Scene.Changes) {}

  /// Called before a message of another program is answered, in the same step.
  func answering(_ request: ControlMessage) {}

  /// Called after a message of another program was answered.
  func exchanged(_ request: ControlMessage, _ answers: [ControlMessage]) {}

  /// Called when the metronome wishes something of a Link session.
  func wished(_ wish: ControlMessage) {}

  /// Called when another configuration takes effect.
  func reconfigured() {}

  /// Called when the metronome starts again or ends.
  func switched(isOn: Bool) {}

  /// Called at the end of the simulation.
  func end() {}
}
