import MetronomeCore

/// Something that happens to a device beside the simulated box.
public enum InputAction: Hashable, Sendable {
  /// A key goes down or up.
  case edge(ButtonEdge)
  case turn(DialTurn)
  /// It is pulled out. Its keys are let go, and what was not read is lost.
  case unplug(Origin, at: Instant)
  /// It is plugged in again, with no key held.
  case plug(Origin, at: Instant)
  /// It did more than the kernel keeps: what was not read is lost.
  case overflow(Origin, at: Instant)

  public var instant: Instant {
    switch self {
    case .edge(let edge): edge.instant
    case .turn(let turn): turn.instant
    case .unplug(_, let instant), .plug(_, let instant), .overflow(_, let instant): instant
    }
  }

  public var origin: Origin {
    switch self {
    case .edge(let edge): edge.origin
    case .turn(let turn): turn.origin
    case .unplug(let origin, _), .plug(let origin, _), .overflow(let origin, _): origin
    }
  }

  /// The same, so much later.
  func moved(by time: Nanoseconds) -> InputAction {
    switch self {
    case .edge(var edge):
      edge.instant = edge.instant + time
      return .edge(edge)
    case .turn(var turn):
      turn.instant = turn.instant + time
      return .turn(turn)
    case .unplug(let origin, let instant): return .unplug(origin, at: instant + time)
    case .plug(let origin, let instant): return .plug(origin, at: instant + time)
    case .overflow(let origin, let instant): return .overflow(origin, at: instant + time)
    }
  }
}
