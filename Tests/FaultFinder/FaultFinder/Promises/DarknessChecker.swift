import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// All outputs are off while the metronome is stopped, and after its end.
final class DarknessChecker: Checker {
  private var levels = LineSet.inactive
  /// The chip failed to set the lines; their levels are unknown until a call succeeds.
  private var hasFailed = false
  /// Whether the chip is present.
  private var isThere: Bool { scene.simulation.board.chip.isThere }

  override func see(_ event: TraceEvent) {
    switch event.what {
    case .line(let output, let isActive):
      if isActive { levels.insert(output) } else { levels.remove(output) }
    case .fault(let error): if error.operation == .setLines { hasFailed = true }
    case .state, .beat, .click, .hit, .button, .skipped, .missed, .underrun, .audio, .display, .ended, .began, .midi,
      .lostClocks:
      break
    }
  }

  override func look(after loop: Simulation.Loop?, _ changes: Scene.Changes) {
    guard loop == .beats else { return }
    let isAnswering = scene.signal?.isLit(at: scene.now) == true
    if !scene.timeline.isPlaying, levels != .inactive, !isAnswering, !hasFailed {
      scene.breach(.darkWhenStopped, "\(levels.names) on while the metronome is stopped")
    }
    hasFailed = false
  }

  override func switched(isOn: Bool) { if !isOn { expectDarkness() } }

  override func end() { expectDarkness() }

  private func expectDarkness() {
    if levels != .inactive { scene.breach(.darkAfterTheEnd, "\(levels.names) on after the end") }
  }
}

extension LineSet {
  var names: String { map { BoxNames.standard[$0] }.joined(separator: ", ") }
}
