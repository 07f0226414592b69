import HardwareAbstraction
import MetronomeCore

/// Output lines that record every change.
///
/// Like real lines they are inactive when requested, keep their levels when a call fails, and are inactive after their release;
/// setting them after that is a programming error. While their chip is unplugged they are inactive; after its return they have
/// the levels set last.
public final class RecordingLines: OutputLines {
  // Exclusivity checks are off: one thread, no re-entrancy.
  @exclusivity(unchecked) public private(set) var levels = LineSet.inactive
  /// How many times the lines were set, including failed calls.
  @exclusivity(unchecked) public private(set) var calls = 0
  @exclusivity(unchecked) private var isReleased = false
  @exclusivity(unchecked) private var isThere = true
  /// The levels set last.
  @exclusivity(unchecked) private var wanted = LineSet.inactive
  @exclusivity(unchecked) private var outputs: LineSet
  private let clock: VirtualClock
  private let faults: FaultInjector
  private let recorder: TraceRecorder

  init(_ outputs: LineSet, clock: VirtualClock, faults: FaultInjector, recorder: TraceRecorder) {
    self.outputs = outputs
    self.clock = clock
    self.faults = faults
    self.recorder = recorder
  }

  public func set(_ levels: LineSet) throws(HardwareError) {
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

  /// Requests the lines again after a release, inactive.
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

  /// Moves the outputs to other lines: the old lines switch off, the new ones take the levels set last.
  func rewire(_ outputs: LineSet, _ names: BoxNames) {
    change(to: .inactive)
    recorder.use(names)
    self.outputs = outputs
    if isThere, !isReleased { change(to: wanted.intersection(self.outputs)) }
  }

  private func change(to levels: LineSet) {
    let changed = levels.symmetricDifference(self.levels)
    self.levels = levels
    guard !changed.isEmpty else { return }
    for line in changed {
      recorder.record(.line(line, isActive: levels.contains(line)), at: clock.now)
    }
  }
}

/// An event of the chip that holds the simulated lines.
public enum ChipAction: Hashable, Sendable {
  /// The chip is unplugged: its outputs switch off, and its buttons have no effect.
  case unplug(at: Instant)
  /// It is plugged in again.
  case plug(at: Instant)

  public var instant: Instant {
    switch self {
    case .unplug(let instant), .plug(let instant): instant
    }
  }
}

/// The chip that holds the simulated lines. It is present from the start, and can be unplugged and plugged in again.
public final class SimulatedChip {
  /// Whether the chip is plugged in after the last action.
  public private(set) var isThere = true
  /// Actions that are still to come, in order of time.
  private var actions: [ChipAction] = []
  private let clock: VirtualClock

  init(clock: VirtualClock) { self.clock = clock }

  /// Adds actions. None may lie in the past.
  public func schedule(_ actions: some Sequence<ChipAction>) {
    for action in actions {
      precondition(action.instant >= clock.now, "a chip action must not lie in the past")
      self.actions.insertInOrder(action, by: \.instant)
    }
  }

  /// When the next action is due; nil: none is scheduled.
  var nextInstant: Instant? { actions.first?.instant }

  /// The next action that is due now. Each action is returned once.
  func nextAction() -> ChipAction? {
    guard let action = actions.first, action.instant <= clock.now else { return nil }
    actions.removeFirst()
    switch action {
    case .unplug: isThere = false
    case .plug: isThere = true
    }
    return action
  }
}
