import BoardSimulation
import MetronomeCore

/// Watches over some of the promises while a life goes on.
class Checker {
  let scene: Scene

  init(_ scene: Scene) { self.scene = scene }

  /// Something was to be seen or heard.
  func see(_ event: TraceEvent) {}

  /// A loop has made a step; nil: something else has happened.
  func look(after loop: Simulation.Loop?, _ changes: Scene.Changes) {}

  /// Another configuration holds.
  func reconfigured() {}

  /// The metronome has begun again, or ended.
  func switched(isOn: Bool) {}

  /// Nothing comes any more.
  func end() {}
}
