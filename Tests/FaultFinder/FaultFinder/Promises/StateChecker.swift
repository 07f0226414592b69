import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// What is restored was in force, and of late.
final class StateChecker: Checker {
  private struct Moment {
    var instant: Instant
    var memory: SavedState
  }

  /// From the beginning of a save to that of the next.
  private static let interval = Nanoseconds.seconds(2)
  /// After the last refusal of the disk it is tried again at the latest.
  private static let longestRest = Nanoseconds.seconds(61)

  /// What was to be remembered, and from when on; the last is in force.
  private var moments: [Moment] = []
  /// How late the loop that saves woke up at the most, or was when the metronome ended.
  private var latest = Nanoseconds.zero
  private var troubled = Instant(nanoseconds: .min / 2)
  private var ended: Instant?
  private let hasDisk: Bool
  private var ending = Simulation.Ending.power

  override init(_ scene: Scene) {
    hasDisk = scene.simulation.engine.keeper != nil
    super.init(scene)
    note()
  }

  override func see(_ event: TraceEvent) {
    if case .fault(let error) = event.what, error.operation == .saveState { troubled = scene.now }
    guard case .ended(let ending) = event.what else { return }
    self.ending = ending
    latest = max(latest, scene.simulation.heldUp(.state))
  }

  override func look(after loop: Simulation.Loop?, _ changes: Scene.Changes) {
    guard hasDisk, scene.isOn else { return }
    if loop == .state {
      latest = max(latest, scene.lateness)
      if case .refused = scene.simulation.engine.keeper?.saving { troubled = scene.now }
    }
    if loop == .control || loop == nil { note() }
  }

  override func switched(isOn: Bool) {
    guard hasDisk else { return }
    if isOn { compare(scene.simulation.engine.findings, ended ?? scene.now) }
    ended = isOn ? nil : scene.now
  }

  private func note() {
    let memory = scene.simulation.engine.control.savedState
    guard memory != moments.last?.memory else { return }
    moments.append(Moment(instant: scene.now, memory: memory))
    if moments.count > 4_096 { moments.removeFirst(2_048) }
  }

  private func compare(_ findings: StateFindings, _ end: Instant) {
    defer {
      // What was found stays on the disk until the first save, though it may not be what the configuration allows.
      moments = findings.savedState.map { [Moment(instant: scene.now, memory: $0)] } ?? []
      latest = .zero
      note()
    }
    let isTroubled = end - troubled < StateChecker.longestRest
    guard let memory = findings.savedState else {
      let isYoung = moments.first.map { end - $0.instant <= longest } ?? true
      if !isYoung, !isTroubled { scene.breach(.stateOfLate, "nothing is remembered") }
      return
    }
    if ending == .order, !isTroubled, memory != moments.last?.memory {
      return scene.breach(.stateThatWas, "after an orderly end \(memory) is remembered, not what was in force")
    }
    guard let place = moments.lastIndex(where: { $0.memory == memory }) else {
      return scene.breach(.stateThatWas, "\(memory) was never in force")
    }
    guard place + 1 < moments.count, !isTroubled else { return }
    let age = end - moments[place + 1].instant
    if age > longest { scene.breach(.stateOfLate, "what is remembered was in force \(age.count) ns before the end") }
  }

  private var longest: Nanoseconds { StateChecker.interval + latest + latest }
}
