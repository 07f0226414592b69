import HardwareAbstraction
import MetronomeCore

/// External input devices, played by a script or by the code that drives the simulation.
///
/// Like the kernel's devices they stamp an event with its instant and return it then, never before. A key that does not change
/// sends nothing. Unread events are lost when the device is unplugged, or when there are too many: of a MIDI port the newest ones,
/// without a report.
public final class ScriptedInputs: ControlInputs {
  /// Unread events per device: the kernel's limit for a keyboard.
  private static let capacity = 32
  /// Unread messages per MIDI port: a board asks the kernel for this many.
  private static let portCapacity = 512

  /// Actions that are still to come, in order of time.
  private var actions: [InputAction] = []
  /// Unread events, in order of time.
  private var unread: [InputEvent] = []
  private var down: Set<Contact> = []
  private var unplugged: Set<Origin> = []
  /// The incomplete messages of MIDI ports.
  private var parsers: [MIDIDevice: MIDIParser] = [:]
  /// The keys and axes of each device.
  private var requests: [InputRequest]
  private let clock: VirtualClock
  private let recorder: TraceRecorder

  private struct Contact: Hashable {
    var button: Button
    var origin: Origin
  }

  /// All devices are plugged in.
  init(_ requests: [InputRequest], clock: VirtualClock, recorder: TraceRecorder) {
    self.requests = requests
    self.clock = clock
    self.recorder = recorder
  }

  public var count: Int { requests.count }

  /// Adds actions. None may lie in the past. An action has no effect if its device, button or dial is absent at the instant of
  /// the action.
  public func schedule(_ actions: some Sequence<InputAction>) {
    for action in actions {
      precondition(action.instant >= clock.now, "an input action must not lie in the past")
      self.actions.insertInOrder(action, by: \.instant)
    }
  }

  /// Bytes arrive at a MIDI port, now: messages of a clock, and of the controllers that are requested at this port.
  public func receive(_ bytes: some Sequence<UInt8>, at port: MIDIDevice) {
    catchUp()
    for byte in bytes {
      guard let event = parsers[port, default: MIDIParser()].receive(byte) else { continue }
      if case .clock(let kind) = event {
        carryOut(.clock(ClockMessage(kind, at: clock.now)))
        continue
      }
      for (index, request) in requests.enumerated() where request.device == .midi(port) {
        receive(event, request, Origin(number: index + 1))
      }
    }
  }

  private func receive(_ event: MIDIEvent, _ request: InputRequest, _ origin: Origin) {
    for move in request.moves(of: event) {
      switch move {
      case .key(let key, let isDown):
        guard let button = request.keys[key] else { continue }
        carryOut(.edge(ButtonEdge(button, isDown ? .down : .up, at: clock.now, from: origin)))
      case .axis(let axis, let detents):
        guard let dial = request.relative[axis] else { continue }
        carryOut(.turn(DialTurn(dial, by: detents, at: clock.now, from: origin)))
      case .program(let number):
        if !unplugged.contains(origin) { append(.program(number, origin, at: clock.now)) }
      }
    }
  }

  /// When the next event can be read; nil: none is scheduled.
  var nextInstant: Instant? { unread.isEmpty ? actions.first(where: isPossible)?.instant : clock.now }

  /// Replaces the devices. All are plugged in, with no key held, and unread events are lost.
  func rewire(_ requests: [InputRequest]) {
    catchUp()
    self.requests = requests
    unread = []
    down = []
    unplugged = []
  }

  /// Consumes the events up to now for the trace only: no metronome is running.
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
    if action.origin == .midiClock { return true }
    let index = action.origin.number - 1
    guard requests.indices.contains(index) else { return false }
    switch action {
    case .edge(let edge): return requests[index].keys.values.contains(edge.button)
    case .turn(let turn): return requests[index].relative.values.contains(turn.dial)
    case .unplug, .plug, .overflow, .clock: return true
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
      if isThere, move(edge) { append(.edge(edge)) }
    case .clock(let message):
      if isThere { append(.clock(message)) }
    case .turn(let turn):
      if isThere, turn.detents != 0 { append(.turn(turn)) }
    case .unplug(let origin, let instant):
      guard unplugged.insert(origin).inserted else { return }
      if let port = port(of: origin) { parsers[port] = nil }
      guard origin != .midiClock else { return }
      down = down.filter { $0.origin != origin }
      interrupt(origin, at: instant)
    case .plug(let origin, _): unplugged.remove(origin)
    case .overflow(let origin, let instant): if isThere { interrupt(origin, at: instant) }
    }
  }

  /// Changes a contact. Returns false if it already was in that state.
  private func move(_ edge: ButtonEdge) -> Bool {
    let contact = Contact(button: edge.button, origin: edge.origin)
    return edge.direction == .down ? down.insert(contact).inserted : down.remove(contact) != nil
  }

  private func append(_ event: InputEvent) {
    let count = unread.count { $0.origin == event.origin }
    if event.origin == .midiClock || port(of: event.origin) != nil {
      if count < ScriptedInputs.portCapacity { unread.append(event) }
      return
    }
    if count == ScriptedInputs.capacity { interrupt(event.origin, at: event.instant) }
    unread.append(event)
  }

  /// The MIDI port of a device; nil: it is no MIDI device.
  private func port(of origin: Origin) -> MIDIDevice? {
    guard requests.indices.contains(origin.number - 1) else { return nil }
    if case .midi(let port) = requests[origin.number - 1].device { return port }
    return nil
  }

  private func interrupt(_ origin: Origin, at instant: Instant) {
    unread.removeAll { $0.origin == origin }
    unread.append(.interrupted(origin, at: instant))
  }
}

/// An event of an external input device of the simulated box.
public enum InputAction: Hashable, Sendable {
  /// A key goes down or up.
  case edge(ButtonEdge)
  case turn(DialTurn)
  /// The device is unplugged. Its keys are released, and unread events are lost.
  case unplug(Origin, at: Instant)
  /// It is plugged in again, with no key held.
  case plug(Origin, at: Instant)
  /// The device sent more events than the kernel buffers: unread events are lost.
  case overflow(Origin, at: Instant)
  /// A message of the MIDI clock arrives.
  case clock(ClockMessage)

  public var instant: Instant {
    switch self {
    case .edge(let edge): edge.instant
    case .turn(let turn): turn.instant
    case .unplug(_, let instant), .plug(_, let instant), .overflow(_, let instant): instant
    case .clock(let message): message.instant
    }
  }

  public var origin: Origin {
    switch self {
    case .edge(let edge): edge.origin
    case .turn(let turn): turn.origin
    case .unplug(let origin, _), .plug(let origin, _), .overflow(let origin, _): origin
    case .clock: .midiClock
    }
  }
}
