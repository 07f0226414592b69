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

/// Buttons pressed by a script, or by whoever holds the simulation.
///
/// As the kernel's they stamp an edge with the instant at which it happens and hand it out then, never before. That their
/// chip is gone they tell once, and are silent until it is back.
public final class ScriptedButtons: ButtonEdges {
  /// What happens yet, in order of time. The first `read` of them have been handed out.
  private var edges: [ButtonEdge] = []
  private var read = 0
  /// Which buttons are down, of the edges that have been handed out.
  private var down: Set<Button> = []
  private var isThere = true
  /// That the chip is gone is yet to be told.
  private var hasLoss = false
  private var buttons: Set<Button>
  private let clock: VirtualClock
  private let faults: FaultInjector
  private let recorder: TraceRecorder

  init(_ buttons: Set<Button>, clock: VirtualClock, faults: FaultInjector, recorder: TraceRecorder) {
    self.buttons = buttons
    self.clock = clock
    self.faults = faults
    self.recorder = recorder
  }

  /// Adds edges to what happens. None may lie in the past; those of buttons that are not there then happen to nobody.
  public func schedule(_ edges: some Sequence<ButtonEdge>) {
    self.edges.removeFirst(read)
    read = 0
    for edge in edges {
      precondition(edge.instant >= clock.now, "a button pressed in the past")
      let later = self.edges.lastIndex { $0.instant <= edge.instant }.map { $0 + 1 } ?? 0
      self.edges.insert(edge, at: later)
    }
  }

  /// When there is something to read; nil: never again, or not before the chip is back.
  var nextInstant: Instant? {
    if hasLoss { return clock.now }
    return isThere ? nextEdge?.instant : nil
  }

  private var nextEdge: ButtonEdge? {
    edges[read...].first { buttons.contains($0.button) }
  }

  public func next() throws(HardwareError) -> ButtonEdge? {
    try faults.strike(.readEdges)
    if hasLoss {
      hasLoss = false
      throw HardwareError(.readEdges, .gone, errno: 19)
    }
    guard isThere, let edge = nextEdge, edge.instant <= clock.now else { return nil }
    while edges[read].button != edge.button { takeFirst() }
    takeFirst()
    recorder.button(edge, at: clock.now)
    return edge
  }

  public func isDown(_ button: Button) throws(HardwareError) -> Bool {
    try faults.strike(.readEdges)
    guard isThere, buttons.contains(button) else { return false }
    let unread = edges[read...].prefix { $0.instant <= clock.now }.last { $0.button == button }
    return unread.map { $0.direction == .down } ?? down.contains(button)
  }

  func unplug() {
    guard isThere else { return }
    isThere = false
    hasLoss = true
  }

  /// What fingers did meanwhile nobody has seen; those that hold a button still hold it.
  func plug() {
    isThere = true
    skip()
  }

  /// The buttons hang on other lines from now on, of which nothing was seen: fingers that hold one still hold it.
  func rewire(_ buttons: Set<Button>) {
    if isThere { skip() }
    self.buttons = buttons
  }

  /// What has happened by now is only written down: nobody listens.
  func pass() {
    hasLoss = false
    guard isThere else { return }
    while read < edges.count, edges[read].instant <= clock.now {
      if buttons.contains(edges[read].button) { recorder.button(edges[read], at: clock.now) }
      takeFirst()
    }
  }

  /// What has happened by now nobody reads any more.
  private func skip() {
    while read < edges.count, edges[read].instant <= clock.now { takeFirst() }
  }

  private func takeFirst() {
    let edge = edges[read]
    read += 1
    if edge.direction == .down { down.insert(edge.button) } else { down.remove(edge.button) }
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
