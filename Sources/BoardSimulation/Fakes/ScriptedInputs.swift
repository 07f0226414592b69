import HardwareAbstraction
import MetronomeCore

/// Devices beside the box, played by a script, or by whoever holds the simulation.
///
/// As the kernel's they stamp an event with the instant at which it happens and hand it out then, never before; a key that
/// is where it was says nothing; and what a device did is lost if nobody read it before it was unplugged, or did too much
/// more.
public final class ScriptedInputs: ControlInputs {
  /// How many events of a device wait to be read at the most: as many as the kernel keeps of a keyboard's.
  private static let capacity = 32

  /// What happens yet, in order of time.
  private var actions: [InputAction] = []
  /// What has happened and was not read, in order of time.
  private var unread: [InputEvent] = []
  private var down: Set<Contact> = []
  private var unplugged: Set<Origin> = []
  /// What each device has.
  private var requests: [InputRequest]
  private let clock: VirtualClock
  private let recorder: TraceRecorder

  private struct Contact: Hashable {
    var button: Button
    var origin: Origin
  }

  /// - Parameter requests: a device for each, with the buttons and dials that are asked for. All are plugged in.
  init(_ requests: [InputRequest], clock: VirtualClock, recorder: TraceRecorder) {
    self.requests = requests
    self.clock = clock
    self.recorder = recorder
  }

  public var count: Int { requests.count }

  /// Adds to what happens. Nothing may lie in the past; what happens to devices, buttons and dials that are not there then
  /// happens to nobody.
  public func schedule(_ actions: some Sequence<InputAction>) {
    for action in actions {
      precondition(action.instant >= clock.now, "a device used in the past")
      let later = self.actions.lastIndex { $0.instant <= action.instant }.map { $0 + 1 } ?? 0
      self.actions.insert(action, at: later)
    }
  }

  /// When there is something to read; nil: never again.
  var nextInstant: Instant? { unread.isEmpty ? actions.first(where: isPossible)?.instant : clock.now }

  /// There are other devices from now on, all of them plugged in, with no key held. What was not read is lost.
  func rewire(_ requests: [InputRequest]) {
    catchUp()
    self.requests = requests
    unread = []
    down = []
    unplugged = []
  }

  /// What has happened by now is only written down: nobody listens.
  func pass() { while next() != nil {} }

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

  private func isPossible(_ action: InputAction) -> Bool {
    let index = action.origin.number - 1
    guard requests.indices.contains(index) else { return false }
    switch action {
    case .edge(let edge): return requests[index].keys.values.contains(edge.button)
    case .turn(let turn): return requests[index].relative.values.contains(turn.dial)
    case .unplug, .plug, .overflow: return true
    }
  }

  private func catchUp() {
    let count = actions.prefix { $0.instant <= clock.now }.count
    for action in actions.prefix(count) where isPossible(action) { carryOut(action) }
    actions.removeFirst(count)
  }

  private func carryOut(_ action: InputAction) {
    let isThere = !unplugged.contains(action.origin)
    switch action {
    case .edge(let edge):
      guard isThere, move(edge) else { return }
      tell(.edge(edge))
    case .turn(let turn):
      guard isThere, turn.detents != 0 else { return }
      tell(.turn(turn))
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

  private func tell(_ event: InputEvent) {
    let waiting = unread.count { $0.origin == event.origin }
    if waiting == ScriptedInputs.capacity { interrupt(event.origin, at: event.instant) }
    unread.append(event)
  }

  private func interrupt(_ origin: Origin, at instant: Instant) {
    unread.removeAll { $0.origin == origin }
    unread.append(.interrupted(origin, at: instant))
  }
}
