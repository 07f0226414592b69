import HardwareAbstraction
import MetronomeCore

/// Devices beside the box, played by a script, or by whoever holds the simulation.
///
/// As the kernel's they stamp an event with the instant at which it happens and hand it out then, never before; a key that
/// is where it was says nothing; and what a device did that nobody read before it was unplugged is lost.
public final class ScriptedInputs: ControlInputs {
  /// What happens yet, in order of time.
  private var actions: [InputAction] = []
  /// What has happened and was not read, in order of time.
  private var unread: [InputEvent] = []
  private var down: Set<Contact> = []
  private var unplugged: Set<Origin> = []
  private let origins: ClosedRange<Int>
  private let clock: VirtualClock
  private let recorder: TraceRecorder

  private struct Contact: Hashable {
    var button: Button
    var origin: Origin
  }

  /// - Parameter count: how many devices there are, at least 1. All are plugged in.
  init(count: Int, clock: VirtualClock, recorder: TraceRecorder) {
    origins = 1...count
    self.clock = clock
    self.recorder = recorder
  }

  /// Adds to what happens. Nothing may lie in the past; what happens on devices that are not there happens to nobody.
  public func schedule(_ actions: some Sequence<InputAction>) {
    for action in actions where origins.contains(action.origin.number) {
      precondition(action.instant >= clock.now, "a device used in the past")
      let later = self.actions.lastIndex { $0.instant <= action.instant }.map { $0 + 1 } ?? 0
      self.actions.insert(action, at: later)
    }
  }

  /// When there is something to read; nil: never again.
  var nextInstant: Instant? { unread.isEmpty ? actions.first?.instant : clock.now }

  public func next() -> InputEvent? {
    catchUp()
    guard !unread.isEmpty else { return nil }
    let event = unread.removeFirst()
    if case .edge(let edge) = event { recorder.button(edge, at: clock.now) }
    return event
  }

  public func isDown(_ button: Button, at origin: Origin) -> Bool {
    catchUp()
    return down.contains(Contact(button: button, origin: origin))
  }

  private func catchUp() {
    let count = actions.prefix { $0.instant <= clock.now }.count
    for action in actions.prefix(count) { carryOut(action) }
    actions.removeFirst(count)
  }

  private func carryOut(_ action: InputAction) {
    let isThere = !unplugged.contains(action.origin)
    switch action {
    case .edge(let edge):
      guard isThere, move(edge) else { return }
      unread.append(.edge(edge))
    case .turn(let turn):
      guard isThere, turn.detents != 0 else { return }
      unread.append(.turn(turn))
    case .unplug(let origin, let instant):
      guard unplugged.insert(origin).inserted else { return }
      down = down.filter { $0.origin != origin }
      interrupt(origin, at: instant)
    case .plug(let origin, _): unplugged.remove(origin)
    case .overflow(let origin, let instant): if isThere { interrupt(origin, at: instant) }
    }
  }

  /// - Returns: whether the contact was not there already.
  private func move(_ edge: ButtonEdge) -> Bool {
    let contact = Contact(button: edge.button, origin: edge.origin)
    switch edge.direction {
    case .down: return down.insert(contact).inserted
    case .up: return down.remove(contact) != nil
    }
  }

  private func interrupt(_ origin: Origin, at instant: Instant) {
    unread.removeAll { $0.origin == origin }
    unread.append(.interrupted(origin, at: instant))
  }
}

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
}
