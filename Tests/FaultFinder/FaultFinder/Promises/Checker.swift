import BoardSimulation
import MetronomeCore

/// Checks some of the promises during a simulation.
class Checker {
  let scene: Scene

  init(_ scene: Scene) { self.scene = scene }

  /// Called for each event of the trace.
  func see(_ event: TraceEvent) {}

  /// Called after each step of a loop; nil: after any other event.
  func look(after loop: Simulation.Loop?, _ changes: Scene.Changes) {}

  /// Called when another configuration takes effect.
  func reconfigured() {}

  /// Called when the metronome starts again or ends.
  func switched(isOn: Bool) {}

  /// Called at the end of the simulation.
  func end() {}
}
