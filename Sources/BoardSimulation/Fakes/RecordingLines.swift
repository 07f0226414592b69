import HardwareAbstraction
import MetronomeCore

/// Output lines that record every change.
///
/// As real ones they stand inactive when they are had, keep their levels when a call fails, and are inactive after they
/// were released; to set them then is a programming error. While their chip is gone they are inactive too, and when it is
/// back they show what was set last.
public final class RecordingLines: OutputLines {
  public private(set) var levels = OutputSet.inactive
  /// How often they were set, failed calls included.
  public private(set) var calls = 0
  private var isReleased = false
  private var isThere = true
  /// What was set last.
  private var wanted = OutputSet.inactive
  private var outputs: OutputSet
  private let clock: VirtualClock
  private let faults: FaultInjector
  private let recorder: TraceRecorder

  init(_ outputs: Set<Output>, clock: VirtualClock, faults: FaultInjector, recorder: TraceRecorder) {
    self.outputs = OutputSet(outputs)
    self.clock = clock
    self.faults = faults
    self.recorder = recorder
  }

  public func set(_ levels: OutputSet) throws(HardwareError) {
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
    self.outputs = OutputSet(outputs)
    if isThere, !isReleased { change(to: wanted.intersection(self.outputs)) }
  }

  private func change(to levels: OutputSet) {
    let changed = levels.symmetricDifference(self.levels)
    self.levels = levels
    guard !changed.isEmpty else { return }
    for output in Output.lines where changed.contains(output) {
      recorder.line(output, isActive: levels.contains(output), at: clock.now)
    }
  }
}

/// Something that happens to the chip that the simulated lines are on.
public enum ChipAction: Hashable, Sendable {
  /// It is pulled out: its outputs go off, and what its buttons do happens to nobody.
  case unplug(at: Instant)
  /// It is plugged in again.
  case plug(at: Instant)

  public var instant: Instant {
    switch self {
    case .unplug(let instant), .plug(let instant): instant
    }
  }
}

/// The chip that the simulated lines are on. It is there from the beginning, and may go and come.
public final class SimulatedChip {
  /// Whether it was there when it was looked at last.
  public private(set) var isThere = true
  /// What happens yet, in order of time.
  private var actions: [ChipAction] = []
  private let clock: VirtualClock

  init(clock: VirtualClock) { self.clock = clock }

  /// Adds to what happens. Nothing may lie in the past.
  public func schedule(_ actions: some Sequence<ChipAction>) {
    for action in actions {
      precondition(action.instant >= clock.now, "a chip pulled out or plugged in in the past")
      let later = self.actions.lastIndex { $0.instant <= action.instant }.map { $0 + 1 } ?? 0
      self.actions.insert(action, at: later)
    }
  }

  /// When something happens to it next; nil: never again.
  var nextInstant: Instant? { actions.first?.instant }

  /// What has happened by now. Each is told once.
  func takeAction() -> ChipAction? {
    guard let action = actions.first, action.instant <= clock.now else { return nil }
    actions.removeFirst()
    switch action {
    case .unplug: isThere = false
    case .plug: isThere = true
    }
    return action
  }
}
