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
  private var outputs: OutputLevels
  private let clock: VirtualClock
  private let faults: FaultInjector
  private let recorder: TraceRecorder

  init(_ outputs: Set<Output>, clock: VirtualClock, faults: FaultInjector, recorder: TraceRecorder) {
    self.outputs = RecordingLines.all(of: outputs)
    self.clock = clock
    self.faults = faults
    self.recorder = recorder
  }

  public func set(_ levels: OutputLevels) throws(HardwareError) {
    precondition(!isReleased, "lines set after they were released")
    calls += 1
    wanted = levels
    guard isThere else { return }
    try faults.strike(.setLines)
    change(to: levels.intersection(outputs))
  }

  public func release() {
    change(to: .inactive)
    isReleased = true
  }

  /// They are had anew, inactive, after they were released.
  func acquire() {
    isReleased = false
    wanted = .inactive
  }

  func unplug() {
    isThere = false
    change(to: .inactive)
  }

  func plug() {
    isThere = true
    if !isReleased { change(to: wanted.intersection(outputs)) }
  }

  /// The outputs hang on other lines from now on: the old ones go off, the new ones show what was set last.
  func rewire(_ outputs: Set<Output>) {
    change(to: .inactive)
    self.outputs = RecordingLines.all(of: outputs)
    if isThere, !isReleased { change(to: wanted.intersection(self.outputs)) }
  }

  private static func all(of outputs: Set<Output>) -> OutputLevels {
    outputs.reduce(into: .inactive) { $0.insert(OutputLevels($1)) }
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
