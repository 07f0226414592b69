import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// The restored state is an earlier state of the metronome, and a recent one.
final class StateChecker: Checker {
  private struct Moment {
    var instant: Instant
    var memory: SavedState
  }

  /// The time between the starts of two saves.
  private static let interval = Nanoseconds.seconds(2)
  /// The longest time until a save is retried after the last failure of the disk.
  private static let longestDelay = Nanoseconds.seconds(61)

  /// The states to be saved, each with the instant at which it began. The last state is the current state.
  private var moments: [Moment] = []
  /// The longest delay of a wake-up of the saving loop, including a delay under way when the metronome ended.
  private var latest = Nanoseconds.zero
  private var troubled = Instant(nanoseconds: .min / 2)
  private var ended: Instant?
  private let hasDisk: Bool
  private var ending = Simulation.Ending.power

  override init(_ scene: Scene) {
    hasDisk = scene.simulation.engine.saver != nil
    super.init(scene)
    note()
  }

  override func see(_ event: TraceEvent) {
    if case .fault(let error) = event.what, error.operation == .saveState { troubled = scene.now }
    guard case .ended(let ending) = event.what else { return }
    self.ending = ending
    latest = max(latest, scene.simulation.wakeDelay(.state))
  }

  override func look(after loop: Simulation.Loop?, _ changes: Scene.Changes) {
    guard hasDisk, scene.isOn else { return }
    if loop == .state {
      latest = max(latest, scene.lateness)
      if case .refused = scene.simulation.engine.saver?.saving { troubled = scene.now }
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
      // The restored state stays on the disk until the first save, even if the configuration does not allow it.
      moments = findings.savedState.map { [Moment(instant: scene.now, memory: $0)] } ?? []
      latest = .zero
      note()
    }
    let isTroubled = end - troubled < StateChecker.longestDelay
    guard let memory = findings.savedState else {
      let isYoung = moments.first.map { end - $0.instant <= longest } ?? true
      if !isYoung, !isTroubled { scene.breach(.recentState, "no state was restored") }
      return
    }
    if ending == .order, !isTroubled, memory != moments.last?.memory {
      return scene.breach(.consistentState, "after a clean shutdown \(memory) was restored, not the last state")
    }
    guard let place = moments.lastIndex(where: { $0.memory == memory }) else {
      return scene.breach(.consistentState, "\(memory) was restored, but was never the state")
    }
    guard place + 1 < moments.count, !isTroubled else { return }
    let age = end - moments[place + 1].instant
    if age > longest { scene.breach(.recentState, "the restored state was replaced \(age.count) ns before the end") }
  }

  private var longest: Nanoseconds { StateChecker.interval + latest + latest }
}
