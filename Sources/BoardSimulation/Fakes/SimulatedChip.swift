import MetronomeCore

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
