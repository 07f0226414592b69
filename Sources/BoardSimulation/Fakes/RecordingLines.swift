import HardwareAbstraction
import MetronomeCore

/// Output lines that record every change.
///
/// As real ones they stand inactive when they are had, keep their levels when a call fails, and are inactive after they
/// were released; to set them then is a programming error. While their chip is gone they are inactive too, and when it is
/// back they show what was set last.
public final class RecordingLines: OutputLines {
  public private(set) var levels = OutputLevels.inactive
  /// How often they were set, failed calls included.
  public private(set) var calls = 0
  private var isReleased = false
  private var isThere = true
  /// What was set last.
  private var wanted = OutputLevels.inactive
  private let outputs: OutputLevels
  private let clock: VirtualClock
  private let faults: FaultInjector
  private let recorder: TraceRecorder

  init(_ outputs: Set<Output>, clock: VirtualClock, faults: FaultInjector, recorder: TraceRecorder) {
    self.outputs = outputs.reduce(into: .inactive) { $0.insert(OutputLevels($1)) }
    self.clock = clock
    self.faults = faults
    self.recorder = recorder
  }

  public func set(_ levels: OutputLevels) throws(HardwareError) {
    precondition(!isReleased, "lines set after they were released")
    calls += 1
    wanted = levels.intersection(outputs)
    guard isThere else { return }
    try faults.strike(.setLines)
    change(to: wanted)
  }

  public func release() {
    change(to: .inactive)
    isReleased = true
  }

  func unplug() {
    isThere = false
    change(to: .inactive)
  }

  func plug() {
    isThere = true
    if !isReleased { change(to: wanted) }
  }

  private func change(to levels: OutputLevels) {
    let changed = levels.symmetricDifference(self.levels)
    self.levels = levels
    guard !changed.isEmpty else { return }
    for output in Output.allCases where changed.contains(OutputLevels(output)) {
      recorder.line(output, isActive: levels.contains(OutputLevels(output)), at: clock.now)
    }
  }
}
