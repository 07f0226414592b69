/// Which gestures there are in the edges of all buttons: all of ``GestureMachine`` but what they mean.
struct GestureTracker: Sendable {
  static let hold = Nanoseconds.milliseconds(500)
  static let lookInterval = Nanoseconds.milliseconds(100)
  static let longestCatchUp = Nanoseconds.seconds(2)

  struct Found: Hashable, Sendable, BitwiseCopyable {
    var gesture: Gesture
    var instant: Instant
    var press: Instant
    var steps = 1
    var provisional: Press?
    var takesBack: Press?
  }

  private(set) var lastTouch: Instant?
  /// How many presses there were.
  private var presses: UInt64 = 0

  /// All buttons of the first origin, then of the next.
  private var contacts: [GestureContact]
  private var shapes: [GestureShape]
  private var lockOut: Nanoseconds
  /// The contacts' own, kept together because they are looked through often. The last instant of all stands for none.
  private var deadlines: [Instant]
  private var looks: [Instant]
  /// The least of each.
  private var earliest = GestureTracker.never
  private var earliestLook = GestureTracker.never

  private static let never = Instant(nanoseconds: .max)

  init(_ shapes: [GestureShape], lockOut: Nanoseconds, origins: Int) {
    self.shapes = shapes
    self.lockOut = GestureTracker.checked(lockOut)
    contacts = GestureTracker.contacts(shapes, lockOut: lockOut, origins: origins)
    deadlines = [Instant](repeating: GestureTracker.never, count: contacts.count)
    // A copy of the other would be made one when the first edge comes, and allocated then.
    looks = [Instant](repeating: GestureTracker.never, count: contacts.count)
  }

  var deadline: Instant? {
    let first = min(earliest, earliestLook)
    return first == GestureTracker.never ? nil : first
  }

  func isDown(_ button: Button, _ origin: Origin) -> Bool { contacts[slot(button, origin)].debouncer.isDown }

  mutating func take(_ edge: ButtonEdge, _ act: (Found) -> Void) {
    let slot = slot(edge.button, edge.origin)
    while earliest < edge.instant { workOffEarliest(at: edge.instant, level: { _, _ in nil }, act) }
    workOffDue(with: slot, at: edge.instant, act)
    if edge.direction == .up { releaseMissed(slot, at: edge.instant, act) }
    if let change = contacts[slot].debouncer.take(edge.direction, at: edge.instant) {
      follow(change, slot, at: edge.instant, act)
    }
    refresh(slot)
  }

  mutating func settle(at now: Instant, level: (Button, Origin) -> Bool?, _ act: (Found) -> Void) {
    while earliestLook <= now, let slot = looks.firstIndex(of: earliestLook) {
      let isDown = level(contacts[slot].shape.button, origin(of: slot))
      if isDown == false, contacts[slot].debouncer.isDoubtful {
        contacts[slot].debouncer.confirmRelease(at: now)
      } else if isDown == false, contacts[slot].debouncer.deadline == nil {
        // What is locked out is seen when that ends.
        contacts[slot].release(seenAt: now)
      }
      contacts[slot].seen(at: now, isTold: isDown != nil)
      refresh(slot)
    }
    while earliest <= now { workOffEarliest(at: now, level: level, act) }
  }

  mutating func mayHaveLost(_ origin: Origin, until instant: Instant) {
    for button in Button.allCases { contacts[slot(button, origin)].debouncer.mayHaveLost(until: instant) }
  }

  mutating func interrupt(_ origin: Origin, at instant: Instant) {
    for button in Button.allCases {
      let slot = slot(button, origin)
      contacts[slot].interrupt(at: instant)
      refresh(slot)
    }
  }

  /// Takes other gestures for the old ones: nothing comes of what is under way.
  mutating func rebind(to shapes: [GestureShape], lockOut: Nanoseconds) {
    self.shapes = shapes
    self.lockOut = GestureTracker.checked(lockOut)
    for slot in contacts.indices {
      contacts[slot].rebind(to: shapes[slot % shapes.count], lockOut: lockOut)
      refresh(slot)
    }
  }

  /// Has contacts for so many origins, of which all but the box's are new.
  mutating func renew(origins: Int) {
    let box = contacts.prefix(shapes.count)
    contacts = GestureTracker.contacts(shapes, lockOut: lockOut, origins: origins)
    contacts.replaceSubrange(box.indices, with: box)
    deadlines = [Instant](repeating: GestureTracker.never, count: contacts.count)
    looks = [Instant](repeating: GestureTracker.never, count: contacts.count)
    (earliest, earliestLook) = (GestureTracker.never, GestureTracker.never)
    for slot in contacts.indices { refresh(slot) }
  }

  /// Of each shape one for each origin, of which nothing is known.
  private static func contacts(_ shapes: [GestureShape], lockOut: Nanoseconds, origins: Int) -> [GestureContact] {
    precondition(origins > 0, "buttons of no origin")
    let contacts = shapes.map { GestureContact(shape: $0, lockOut: lockOut) }
    return [[GestureContact]](repeating: contacts, count: origins).flatMap { $0 }
  }

  private static func checked(_ lockOut: Nanoseconds) -> Nanoseconds {
    precondition(lockOut > .zero && lockOut < hold, "a lock-out that is longer than a press")
    return lockOut
  }

  private func slot(_ button: Button, _ origin: Origin) -> Int {
    let slot = origin.number * Button.allCases.count + button.index
    precondition(origin.number >= 0 && slot < contacts.count, "a button of an origin that is not there")
    return slot
  }

  private func origin(of slot: Int) -> Origin { Origin(number: slot / Button.allCases.count) }

  // MARK: Deadlines

  /// Does what the earliest deadline is for.
  ///
  /// - Parameters:
  ///   - now: the present, or the edge that is to be taken next.
  ///   - level: whether a contact is down at this moment.
  private mutating func workOffEarliest(
    at now: Instant, level: (Button, Origin) -> Bool?, _ act: (Found) -> Void
  ) {
    guard let slot = deadlines.firstIndex(of: earliest) else { return }
    workOff(slot, at: now, endsNow: false, level: level, act)
  }

  /// Does what is due at the very instant of an edge, before the edge is taken. But a button does not repeat at the instant
  /// of its release: it waits for the other edges of that instant.
  ///
  /// - Parameter slot: the edge's contact. If something is due for it, it is held, so that the edge releases it.
  private mutating func workOffDue(with slot: Int, at instant: Instant, _ act: (Found) -> Void) {
    for other in contacts.indices where deadlines[other] == instant && (other == slot || !contacts[other].repeatsNext) {
      workOff(other, at: instant, endsNow: other == slot, level: { _, _ in nil }, act)
    }
  }

  /// Does what a contact's deadline is for.
  private mutating func workOff(
    _ slot: Int, at now: Instant, endsNow: Bool, level: (Button, Origin) -> Bool?, _ act: (Found) -> Void
  ) {
    let deadline = deadlines[slot]
    defer { refresh(slot) }
    if contacts[slot].debouncer.deadline == deadline {
      let isDown = level(contacts[slot].shape.button, origin(of: slot))
      let change = contacts[slot].debouncer.settle(at: now, isDownNow: isDown)
      if let change { follow(change, slot, at: deadline, act) }
      if isDown != nil { contacts[slot].seen(at: now) }
      return
    }
    let isSeen = contacts[slot].look == now + GestureTracker.lookInterval
    if !isSeen, let isDown = level(contacts[slot].shape.button, origin(of: slot)) {
      contacts[slot].seen(at: now)
      if !isDown {
        contacts[slot].release(seenAt: now)
        return
      }
    }
    workOffHold(slot, at: deadline, now: now, endsNow: endsNow, act)
  }

  /// A contact has been held until a deadline.
  ///
  /// - Parameter endsNow: whether it is released at the same instant: too early to repeat, not to be long.
  private mutating func workOffHold(
    _ slot: Int, at deadline: Instant, now: Instant, endsNow: Bool, _ act: (Found) -> Void
  ) {
    let shape = contacts[slot].shape
    var repetition: Repetition
    switch contacts[slot].stage {
    case .down(let press) where shape.hold == .long:
      contacts[slot].stage = .spent
      let takesBack = shape.short == .atEdge ? press : nil
      act(Found(gesture: .long(shape.button), instant: deadline, press: press.instant, takesBack: takesBack))
      return
    case .down(let press): repetition = Repetition(press: press.instant)
    case .repeating(let current): repetition = current
    case .up, .spent, .missed: return
    }
    let oldest = now - GestureTracker.longestCatchUp
    if endsNow {
      contacts[slot].stage = .spent
      if contacts[slot].isShort(repetition.press, until: deadline) {
        actOnRelease(slot, press: repetition.press, at: deadline, act)
      }
      return
    } else if deadline < oldest {
      repetition.skip(to: oldest)
    } else {
      let found = Found(
        gesture: .repeated(shape.button), instant: deadline, press: repetition.press, steps: repetition.steps)
      repetition.advance()
      act(found)
    }
    contacts[slot].stage = .repeating(repetition)
  }

  /// Brings the deadlines up to date with a contact that has changed.
  private mutating func refresh(_ slot: Int) {
    let contact = contacts[slot]
    GestureTracker.replace(&deadlines, &earliest, slot, contact.deadline ?? GestureTracker.never)
    GestureTracker.replace(&looks, &earliestLook, slot, contact.look ?? GestureTracker.never)
  }

  private static func replace(_ instants: inout [Instant], _ earliest: inout Instant, _ slot: Int, _ new: Instant) {
    let wasEarliest = instants[slot] == earliest
    instants[slot] = new
    earliest = wasEarliest ? instants.reduce(never) { min($0, $1) } : min(earliest, new)
  }

  // MARK: Presses and releases

  private mutating func follow(_ change: Debouncer.Change, _ slot: Int, at instant: Instant, _ act: (Found) -> Void) {
    switch change {
    case .press: press(slot, at: instant, act)
    case .release: release(slot, at: instant, act)
    case .resumption:
      contacts[slot].stage = .spent
      contacts[slot].seen(at: instant)
    }
  }

  private mutating func press(_ slot: Int, at instant: Instant, _ act: (Found) -> Void) {
    lastTouch = max(instant, lastTouch ?? instant)
    contacts[slot].seen(at: instant)
    let shape = contacts[slot].shape
    if let other = partner(of: slot, at: instant), let first = contacts[other].press(openAt: instant) {
      contacts[slot].stage = .spent
      contacts[other].stage = .spent
      refresh(other)
      let partner = contacts[other].shape
      guard let pair = ButtonPair(shape.button, partner.button) else { return }
      let takesBack = partner.short == .atEdge ? first : nil
      act(Found(gesture: .chord(pair), instant: instant, press: instant, takesBack: takesBack))
    } else {
      presses += 1
      let press = Press(shape.button, at: instant, number: presses)
      contacts[slot].stage = .down(press)
      guard shape.short == .atEdge else { return }
      let provisional = shape.isProvisional ? press : nil
      act(Found(gesture: .short(shape.button), instant: instant, press: instant, provisional: provisional))
    }
  }

  /// The contact that a press makes a chord with: of several the one pressed last, of these the first.
  private func partner(of slot: Int, at instant: Instant) -> Int? {
    let partners = contacts[slot].shape.partners
    var (last, lastPress) = (Int?.none, Instant.zero)
    for other in contacts.indices where partners & 1 << UInt16(contacts[other].shape.button.index) != 0 {
      guard let press = contacts[other].press(openAt: instant)?.instant, last == nil || press > lastPress else {
        continue
      }
      (last, lastPress) = (other, press)
    }
    return last
  }

  private mutating func release(_ slot: Int, at instant: Instant, _ act: (Found) -> Void) {
    defer { contacts[slot].stage = .up }
    contacts[slot].released(at: instant)
    guard case .down(let press) = contacts[slot].stage else { return }
    // Of a release in the lock-out, when it opened; of one that was lost, and is found late, when it was found.
    let opened = contacts[slot].debouncer.lastChange
    if contacts[slot].isShort(press.instant, until: opened) {
      actOnRelease(slot, press: press.instant, at: instant, act)
    }
  }

  /// Takes the release of a contact that was seen to be up before its edge was read: it is one more edge to the debouncer.
  private mutating func releaseMissed(_ slot: Int, at instant: Instant, _ act: (Found) -> Void) {
    guard case .missed(let press) = contacts[slot].stage else { return }
    contacts[slot].stage = .up
    if contacts[slot].isShort(press.instant, until: instant) {
      actOnRelease(slot, press: press.instant, at: instant, act)
    }
  }

  private func actOnRelease(_ slot: Int, press: Instant, at instant: Instant, _ act: (Found) -> Void) {
    let shape = contacts[slot].shape
    guard shape.short == .onRelease else { return }
    act(Found(gesture: .short(shape.button), instant: instant, press: press))
  }
}

/// When a button that is held repeats, and in what steps: see ``GestureMachine`` for the schedule.
struct Repetition: Hashable, Sendable, BitwiseCopyable {
  /// In milliseconds.
  private static let shortestInterval: Int64 = 40
  private static let growth = Nanoseconds.seconds(2)
  private static let mostSteps = 5

  let press: Instant
  /// When it repeats next.
  private(set) var next: Instant
  /// In how many steps.
  private(set) var steps = 1
  /// From then to the time after, in milliseconds.
  private var interval: Int64 = 300

  init(press: Instant) {
    self.press = press
    next = press + GestureTracker.hold
  }

  /// Goes on to the time after.
  mutating func advance() {
    next = next + .milliseconds(interval)
    interval = max(Repetition.shortestInterval, interval * 4 / 5)
    steps = next - press < Repetition.growth ? 1 : min(steps + 1, Repetition.mostSteps)
  }

  /// Leaves out all that lies before an instant. Takes no longer for more of it.
  mutating func skip(to instant: Instant) {
    // By the time of the most steps the interval is the shortest: the rest is a division.
    while next < instant, steps < Repetition.mostSteps { advance() }
    let shortest = Nanoseconds.milliseconds(Repetition.shortestInterval)
    let behind = (instant - next).count
    next = next + shortest * max(0, (behind + shortest.count - 1) / shortest.count)
  }
}
