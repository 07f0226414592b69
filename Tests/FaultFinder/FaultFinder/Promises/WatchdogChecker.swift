import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// The service manager kills a box if, and only if, its beat loop hangs.
///
/// The simulated box has the same service manager as the real one (`Supervisor`). The beat loop is checked every quarter of the
/// watchdog's timeout.
final class WatchdogChecker: Checker {
  private static let timeout = Nanoseconds.seconds(5)
  private static let look = timeout / 4
  /// The shortest stall that may end in a kill: the beat loop was checked just before it, or is about to be.
  private static let shortest = timeout - look - look

  /// The last steps of the loops.
  private var lastBeatStep = Instant.zero
  private var lastControlStep = Instant.zero
  /// The longest delay of a check of the beat loop by the control loop.
  private var latest = Nanoseconds.zero
  /// When either loop last continued after a stall. The manager notices it only at the next check, which may be too late.
  private var lastStandstill = Instant.never

  override func see(_ event: TraceEvent) {
    guard case .ended(.kill) = event.what else { return }
    let standstill = scene.now - min(lastBeatStep, lastControlStep)
    if standstill < WatchdogChecker.shortest, scene.now - lastStandstill > WatchdogChecker.look + WatchdogChecker.look {
      scene.breach(
        .watchdog, "the box was killed, although all loops run: the last step was \(standstill.count) ns before")
    }
  }

  override func look(after loop: Simulation.Loop?, _ changes: Scene.Changes) {
    guard scene.isOn else { return }
    let standstill = scene.now - lastBeatStep
    if standstill > WatchdogChecker.timeout + WatchdogChecker.look + latest + .milliseconds(1) {
      scene.breach(.watchdog, "the beat loop has stalled for \(standstill.count) ns, but the box was not killed")
      lastBeatStep = scene.now
    }
    switch loop {
    case .beats: note(&lastBeatStep)
    case .control:
      latest = max(latest, scene.lateness)
      note(&lastControlStep)
    case .midi, .audio, .display, .cards, .audio2, .cards2, .state, nil: break
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
