import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// A box whose beat loop hangs is killed by the service manager, and one whose loops go on is not.
///
/// The simulated box has the service manager of the real one (`Supervisor`). A quarter of the manager's patience passes from
/// one look at the beat loop to the next.
final class WatchdogChecker: Checker {
  private static let patience = Nanoseconds.seconds(5)
  private static let look = patience / 4
  /// The shortest standstill that may be its death: it was looked at just before, or is about to be.
  private static let shortest = patience - look - look

  /// When a loop has made a step last.
  private var lastBeatStep = Instant.zero
  private var lastControlStep = Instant.zero
  /// How late the control loop looked at the beat loop at the most.
  private var latest = Nanoseconds.zero
  /// When either went on last that had stood still. The manager is told at the next look only, which may be too late.
  private var lastStandstill = Instant.never

  override func see(_ event: TraceEvent) {
    guard case .ended(.kill) = event.what else { return }
    let standstill = scene.now - min(lastBeatStep, lastControlStep)
    if standstill < WatchdogChecker.shortest, scene.now - lastStandstill > WatchdogChecker.look + WatchdogChecker.look {
      scene.breach(.watchdog, "it is killed, and all its loops go on: the last step was \(standstill.count) ns before")
    }
  }

  override func look(after loop: Simulation.Loop?, _ changes: Scene.Changes) {
    guard scene.isOn else { return }
    let standstill = scene.now - lastBeatStep
    if standstill > WatchdogChecker.patience + WatchdogChecker.look + latest + .milliseconds(1) {
      scene.breach(.watchdog, "the beat loop stands still for \(standstill.count) ns, and nobody kills it")
      lastBeatStep = scene.now
    }
    switch loop {
    case .beats: note(&lastBeatStep)
    case .control:
      latest = max(latest, scene.lateness)
      note(&lastControlStep)
    case .audio, .cards, .state, nil: break
    }
  }

  private func note(_ step: inout Instant) {
    if scene.now - step >= WatchdogChecker.shortest { lastStandstill = scene.now }
    step = scene.now
  }

  override func switched(isOn: Bool) {
    lastBeatStep = scene.now
    lastControlStep = scene.now
  }
}
