/// Turns the raw edges of all buttons into commands.
///
/// Every button of every ``Origin`` has its own contact, debounced by a ``Debouncer``.
/// - A **short** press acts at its edge if its command is urgent or the button has no other gesture. Otherwise it acts on
///   release, if the button was released less than 500 ms after the press and was not part of a chord. A button that repeats
///   may also be released at exactly 500 ms, since it does not repeat then.
/// - A **long** press acts after 500 ms; a release at exactly that instant is too late for a short press. If the short press
///   has acted at its edge, its action is undone.
/// - A button **repeats** while it is held, 500, 800, 1040, 1232, 1385, 1507 … ms after the press: with ever shorter intervals,
///   and from 2 s on in up to 5 steps. It does not repeat at the instant of its release.
/// - Two buttons form a **chord** if the table has a command for the pair, and the second goes down less than 500 ms after the
///   first, while the first may still be a short press. The chord acts at the second edge; if the first press has acted at its
///   edge, its action is undone. Both buttons do nothing more until they are released. A third button acts independently.
/// - A chord that must be **held** acts 500 ms after its second edge, if both buttons are down until then.
///
/// Deadlines and edges are processed in order of time, so late reading changes nothing, except that repetitions more than 2 s
/// overdue are skipped.
///
/// The level of a held button is read every 100 ms, and at every deadline. An open level means that the release was lost: the
/// press does nothing more, unless the release is read after all and makes it a short press. See ``Debouncer``.
///
/// The size of the state depends only on the number of origins. Processing an edge does not allocate. Not thread-safe.
public struct GestureMachine: Sendable {
  /// How long a button must be held for more than a short press.
  public static let hold = Nanoseconds.milliseconds(500)
  /// The longest time from a press to a gesture that undoes it: a chord that must be held.
  static let longestGesture = hold * 2
  private static let longestCatchUp = Nanoseconds.seconds(2)

  /// Reads whether a button is down now; nil if unknown.
  public typealias Level = (Button, Origin) -> Bool?
  private typealias Act = (GestureEvent) -> Void

  /// The time of the last press of any button, with or without a command.
  public private(set) var lastTouch: Instant?
  private var presses: UInt64 = 0
  private var table: GestureTable
  private var shapes: [GestureShape]
  private var lockOut: Nanoseconds
  /// All buttons of the first origin, then of the next.
  private var contacts: [GestureContact]
  private var deadlines: Deadlines
  private var levelReadings: Deadlines

  /// Traps unless the lock-out is more than 0 and less than ``hold``. `origins` includes the box.
  public init(_ table: GestureTable, lockOut: Nanoseconds = Debouncer.standardLockOut, origins: Int = 1) {
    self.table = table
    shapes = table.shapes
    self.lockOut = GestureMachine.checked(lockOut)
    contacts = GestureMachine.contacts(shapes, lockOut: lockOut, origins: origins)
    deadlines = Deadlines(count: contacts.count)
    levelReadings = Deadlines(count: contacts.count)
  }

  /// When ``settle(at:level:_:)`` must be called, if no edge comes before.
  public var deadline: Instant? {
    let first = min(deadlines.earliest, levelReadings.earliest)
    return first == Deadlines.never ? nil : first
  }

  /// Whether a button counts as down.
  public func isDown(_ button: Button, _ origin: Origin = .box) -> Bool {
    contacts[slot(button, origin)].debouncer.isDown
  }

  /// Processes an edge, after all deadlines before it, and calls `act` with the resulting events in order of time. Edges of one
  /// button must come in order of time; an unknown origin traps.
  public mutating func process(_ edge: ButtonEdge, _ act: (GestureEvent) -> Void) {
    let slot = slot(edge.button, edge.origin)
    while deadlines.earliest < edge.instant { expireEarliest(at: edge.instant, level: { _, _ in nil }, act) }
    expireDue(with: slot, at: edge.instant, act)
    if edge.direction == .up, case .missed(let press) = contacts[slot].stage {
      contacts[slot].stage = .up
      actOnRelease(slot, press.instant, until: edge.instant, at: edge.instant, act)
    }
    if let change = contacts[slot].process(edge.direction, at: edge.instant) {
      follow(change, slot, at: edge.instant, act)
    }
    refresh(slot)
  }

  /// Processes the deadlines that have passed, and calls `act` with the resulting events in order of time. Must be called after
  /// all edges have been read.
  public mutating func settle(at now: Instant, level: Level, _ act: (GestureEvent) -> Void) {
    while levelReadings.earliest <= now, let slot = levelReadings.earliestSlot {
      let isDown = level(contacts[slot].shape.button, origin(of: slot))
      if isDown == false { contacts[slot].handleOpenLevel(at: now) }
      contacts[slot].levelRead(at: now, isKnown: isDown != nil)
      refresh(slot)
    }
    while deadlines.earliest <= now { expireEarliest(at: now, level: level, act) }
  }

  /// Records that edges of an origin may have been lost before an instant. Must be called before the next edges are processed.
  public mutating func mayHaveLost(_ origin: Origin = .box, until instant: Instant) {
    for button in Button.all { contacts[slot(button, origin)].debouncer.mayHaveLost(until: instant) }
  }

  /// Resets a device that has disappeared or lost edges: its buttons count as up, and presses in progress are cancelled.
  public mutating func interrupt(_ origin: Origin, at instant: Instant) {
    for button in Button.all {
      let slot = slot(button, origin)
      contacts[slot].interrupt(at: instant)
      refresh(slot)
    }
  }

  /// Changes the commands of gestures. Presses in progress are cancelled: a button that is down must be released first. A
  /// lock-out that has begun keeps its length.
  public mutating func rebind(to table: GestureTable, lockOut: Nanoseconds) {
    self.table = table
    shapes = table.shapes
    self.lockOut = GestureMachine.checked(lockOut)
    for slot in contacts.indices {
      contacts[slot].rebind(to: shapes[slot % shapes.count], lockOut: lockOut)
      refresh(slot)
    }
  }

  /// Replaces the external devices; the box's own buttons keep their state. `origins` includes the box.
  public mutating func renew(origins: Int) {
    let box = contacts.prefix(shapes.count)
    contacts = GestureMachine.contacts(shapes, lockOut: lockOut, origins: origins)
    contacts.replaceSubrange(box.indices, with: box)
    deadlines = Deadlines(count: contacts.count)
    levelReadings = Deadlines(count: contacts.count)
    for slot in contacts.indices { refresh(slot) }
  }

  private static func contacts(_ shapes: [GestureShape], lockOut: Nanoseconds, origins: Int) -> [GestureContact] {
    precondition(origins > 0, "at least one origin is required")
    let contacts = shapes.map { GestureContact(shape: $0, lockOut: lockOut) }
    return [[GestureContact]](repeating: contacts, count: origins).flatMap { $0 }
  }

  private static func checked(_ lockOut: Nanoseconds) -> Nanoseconds {
    precondition(lockOut > .zero && lockOut < hold, "the lock-out must be longer than 0 and shorter than a hold")
    return lockOut
  }

  private func slot(_ button: Button, _ origin: Origin) -> Int {
    let slot = origin.number * Button.room + button.index
    precondition(origin.number >= 0 && slot < contacts.count, "unknown origin")
    return slot
  }

  private func origin(of slot: Int) -> Origin { Origin(number: slot / Button.room) }
}

extension GestureMachine {
  /// Processes the earliest deadline. `now` is the current time, or the time of the edge to be processed next.
  private mutating func expireEarliest(at now: Instant, level: Level, _ act: Act) {
    if let slot = deadlines.earliestSlot { expire(slot, at: now, endsNow: false, level: level, act) }
  }

  /// Processes the deadlines that fall on the instant of an edge, before the edge itself. Repetitions of other buttons wait
  /// until all edges of that instant are processed. If the edge's own contact is held, the edge releases it.
  private mutating func expireDue(with slot: Int, at instant: Instant, _ act: Act) {
    for other in contacts.indices where deadlines[other] == instant && (other == slot || !contacts[other].repeatsNext) {
      expire(other, at: instant, endsNow: other == slot, level: { _, _ in nil }, act)
    }
  }

  private mutating func expire(_ slot: Int, at now: Instant, endsNow: Bool, level: Level, _ act: Act) {
    let deadline = deadlines[slot]
    defer { refresh(slot) }
    if contacts[slot].debouncer.deadline == deadline {
      let isDown = level(contacts[slot].shape.button, origin(of: slot))
      let change = contacts[slot].debouncer.settle(at: now, isDownNow: isDown)
      if let change { follow(change, slot, at: deadline, act) }
      if isDown != nil { contacts[slot].levelRead(at: now) }
      return
    }
    if contacts[slot].nextReading != now + GestureContact.readingInterval,
      let isDown = level(contacts[slot].shape.button, origin(of: slot))
    {
      contacts[slot].levelRead(at: now)
      guard isDown else { return contacts[slot].handleOpenLevel(at: now) }
    }
    expireHold(slot, at: deadline, now: now, endsNow: endsNow, act)
  }

  /// Handles a contact held until a deadline. A contact released at that instant is a long press, but does not repeat.
  private mutating func expireHold(_ slot: Int, at deadline: Instant, now: Instant, endsNow: Bool, _ act: Act) {
    let shape = contacts[slot].shape
    var repetition: Repetition
    switch contacts[slot].stage {
    case .down(let press) where shape.hold == .long:
      contacts[slot].stage = .spent
      let undone = shape.short == .atEdge ? press : nil
      return report(.long(shape.button), at: deadline, press: press.instant, undoes: undone, act)
    case .down(let press): repetition = Repetition(press: press.instant)
    case .repeating(let current): repetition = current
    case .chord(let chord): return finish(chord, slot, at: deadline, act)
    case .up, .spent, .missed: return
    }
    if endsNow {
      contacts[slot].stage = .spent
      return actOnRelease(slot, repetition.press, until: deadline, at: deadline, act)
    }
    let oldest = now - GestureMachine.longestCatchUp
    if deadline < oldest {
      repetition.skip(to: oldest)
    } else {
      let steps = repetition.steps
      repetition.advance()
      report(.repeated(shape.button), at: deadline, press: repetition.press, steps: steps, act)
    }
    contacts[slot].stage = .repeating(repetition)
  }

  /// Reports a chord that a contact has held long enough, if its partner has, too.
  private mutating func finish(_ chord: HeldChord, _ slot: Int, at deadline: Instant, _ act: Act) {
    contacts[slot].stage = .spent
    guard let partner = contacts.indices.first(where: { contacts[$0].stage == .chord(chord) }) else { return }
    contacts[partner].stage = .spent
    refresh(partner)
    report(.chord(chord.pair), at: deadline, press: chord.since, undoes: chord.undoes, act)
  }

  private mutating func refresh(_ slot: Int) {
    deadlines.set(slot, to: contacts[slot].deadline)
    levelReadings.set(slot, to: contacts[slot].nextReading)
  }
}

extension GestureMachine {
  private mutating func follow(_ change: Debouncer.Change, _ slot: Int, at instant: Instant, _ act: Act) {
    switch change {
    case .press: press(slot, at: instant, act)
    case .release:
      contacts[slot].released(at: instant)
      if case .down(let press) = contacts[slot].stage {
        // `lastChange` is when the contact opened or, if its release was lost, when the open level was read.
        actOnRelease(slot, press.instant, until: contacts[slot].debouncer.lastChange, at: instant, act)
      }
      contacts[slot].stage = .up
    case .resumption:
      contacts[slot].stage = .spent
      contacts[slot].levelRead(at: instant)
    }
  }

  private mutating func press(_ slot: Int, at instant: Instant, _ act: Act) {
    lastTouch = max(instant, lastTouch ?? instant)
    contacts[slot].levelRead(at: instant)
    let shape = contacts[slot].shape
    if let other = partner(of: slot, at: instant), let first = contacts[other].press(openAt: instant) {
      let partner = contacts[other].shape
      guard let pair = ButtonPair(shape.button, partner.button) else { return }
      let chord = HeldChord(pair: pair, since: instant, undoes: partner.short == .atEdge ? first : nil)
      let isHeld = table.mustBeHeld(.chord(pair))
      let stage: GestureContact.Stage = isHeld ? .chord(chord) : .spent
      contacts[slot].stage = stage
      contacts[other].stage = stage
      refresh(other)
      if !isHeld { report(.chord(pair), at: instant, press: instant, undoes: chord.undoes, act) }
    } else {
      presses += 1
      let press = Press(shape.button, at: instant, number: presses)
      contacts[slot].stage = .down(press)
      guard shape.short == .atEdge else { return }
      report(.short(shape.button), at: instant, press: instant, provisional: shape.isProvisional ? press : nil, act)
    }
  }

  /// The contact with which a press forms a chord. Of several contacts, the contact that was pressed last.
  private func partner(of slot: Int, at instant: Instant) -> Int? {
    let partners = contacts[slot].shape.partners
    var last: (slot: Int, press: Instant)?
    for other in contacts.indices where partners & 1 << UInt16(contacts[other].shape.button.index) != 0 {
      guard let press = contacts[other].press(openAt: instant)?.instant else { continue }
      if last.map({ press > $0.press }) ?? true { last = (other, press) }
    }
    return last?.slot
  }

  /// Reports a short press that acts on release, if the contact opened early enough.
  private func actOnRelease(_ slot: Int, _ press: Instant, until opened: Instant, at instant: Instant, _ act: Act) {
    let contact = contacts[slot]
    guard contact.shape.short == .onRelease, contact.isShort(press, until: opened) else { return }
    report(.short(contact.shape.button), at: instant, press: press, act)
  }

  private func report(
    _ gesture: Gesture, at instant: Instant, press: Instant, steps: Int = 1, provisional: Press? = nil,
    undoes: Press? = nil, _ act: Act
  ) {
    guard let command = table[gesture] else { return }
    act(GestureEvent(command, at: instant, press: press, steps: steps, provisional: provisional, undoes: undoes))
  }
}
