import MetronomeCore

/// What hands do, each at its time from the beginning: presses of buttons, turns of dials, devices and the chip pulled out,
/// another configuration put in place.
public struct Script: Hashable, Sendable {
  /// How long a press lasts that does not say.
  public static let standardHold = Nanoseconds.milliseconds(80)

  /// A button's contact closes or opens at a time.
  struct Contact: Hashable, Sendable {
    var time: Nanoseconds
    var button: Button
    var origin: Origin
    var isDown: Bool
  }

  /// As written, in no order.
  private(set) var contacts: [Contact] = []
  /// What happens to devices besides, as from the instant 0. As written, in no order.
  private var actions: [InputAction] = []

  /// What happens to the chip, as from the instant 0. As written, in no order.
  private var chipActions: [ChipAction] = []

  /// From when on another configuration is to count.
  public struct Reload: Hashable, Sendable {
    public var time: Nanoseconds
    /// The file, as it is written.
    public var file: String

    public init(_ file: String, at time: Nanoseconds) {
      self.time = time
      self.file = file
    }
  }

  /// In order of time.
  public private(set) var reloads: [Reload] = []

  /// The buttons of the box that are pressed.
  public var buttons: Set<Button> { Set(contacts.filter { $0.origin == .box }.map(\.button)) }

  /// The devices that something happens to.
  public var devices: Set<Origin> { Set(contacts.map(\.origin) + actions.map(\.origin)).subtracting([.box]) }

  /// Nothing is pressed.
  public init() {}

  /// Adds a press. Presses of one button that overlap are one long one; those that only touch are two.
  public mutating func press(
    _ button: Button, at time: Nanoseconds, for held: Nanoseconds = Script.standardHold, from origin: Origin = .box
  ) {
    down(button, at: time, from: origin)
    up(button, at: time + held, from: origin)
  }

  public mutating func down(_ button: Button, at time: Nanoseconds, from origin: Origin = .box) {
    contacts.append(Contact(time: time, button: button, origin: origin, isDown: true))
  }

  public mutating func up(_ button: Button, at time: Nanoseconds, from origin: Origin = .box) {
    contacts.append(Contact(time: time, button: button, origin: origin, isDown: false))
  }

  /// Adds a turn, all of its detents at once.
  public mutating func turn(_ dial: Dial, by detents: Int, at time: Nanoseconds, from origin: Origin) {
    actions.append(.turn(DialTurn(dial, by: detents, at: .zero + time, from: origin)))
  }

  /// A device is pulled out.
  public mutating func unplug(_ origin: Origin, at time: Nanoseconds) {
    actions.append(.unplug(origin, at: .zero + time))
  }

  /// It is plugged in again.
  public mutating func plug(_ origin: Origin, at time: Nanoseconds) {
    actions.append(.plug(origin, at: .zero + time))
  }

  /// The chip that the box's lines are on is pulled out; at 0 it is yet to come.
  public mutating func unplugChip(at time: Nanoseconds) { chipActions.append(.unplug(at: .zero + time)) }

  /// It is plugged in again.
  public mutating func plugChip(at time: Nanoseconds) { chipActions.append(.plug(at: .zero + time)) }

  /// The configuration is read again, from a file.
  public mutating func reload(_ file: String, at time: Nanoseconds) {
    let later = reloads.lastIndex { $0.time <= time }.map { $0 + 1 } ?? 0
    reloads.insert(Reload(file, at: time), at: later)
  }

  /// What happens to the chip, in order of time.
  public func chipActions(from start: Instant) -> [ChipAction] {
    let moved = chipActions.map { action in
      switch action {
      case .unplug(let instant): ChipAction.unplug(at: start + (instant - .zero))
      case .plug(let instant): ChipAction.plug(at: start + (instant - .zero))
      }
    }
    return moved.enumerated().sorted { ($0.element.instant, $0.offset) < ($1.element.instant, $1.offset) }.map(
      \.element)
  }

  /// The edges that the box's lines see, in order of time.
  ///
  /// - Parameters:
  ///   - start: the beginning.
  ///   - bounces: lets the contacts bounce as real ones do, differently for each seed; nil: they do not.
  public func edges(from start: Instant, bounces: Bounces? = nil) -> [ButtonEdge] {
    var edges: [ButtonEdge] = []
    var bounces = bounces
    for button in Button.allCases {
      let clean = changes(of: button, at: .box, from: start)
      edges += bounces?.applied(to: clean) ?? clean
    }
    return edges.enumerated().sorted { ($0.element.instant, $0.offset) < ($1.element.instant, $1.offset) }
      .map(\.element)
  }

  /// What happens to the devices beside the box, in order of time. Their contacts do not bounce: a device has a controller
  /// that sees to it.
  public func inputs(from start: Instant) -> [InputAction] {
    var all = actions.map { $0.moved(by: start - .zero) }
    for origin in devices.sorted(by: { $0.number < $1.number }) {
      for button in Button.allCases { all += changes(of: button, at: origin, from: start).map(InputAction.edge) }
    }
    return all.enumerated().sorted { ($0.element.instant, $0.offset) < ($1.element.instant, $1.offset) }.map(\.element)
  }

  /// One button's changes of level: a second finger on a pressed button changes nothing, nor does the first one's leaving.
  ///
  /// In which order the contacts were written does not matter. Of those of one instant the fingers that are there leave
  /// before others come, and what comes and goes at once was never there.
  private func changes(of button: Button, at origin: Origin, from start: Instant) -> [ButtonEdge] {
    let own = contacts.filter { $0.button == button && $0.origin == origin }
    let instants = Dictionary(grouping: own, by: \.time)
    var fingers = 0
    var edges: [ButtonEdge] = []
    for (time, contacts) in instants.sorted(by: { $0.key < $1.key }) {
      let coming = contacts.count(where: \.isDown)
      let going = contacts.count - coming
      let leaving = min(fingers, going)
      let staying = max(0, coming - (going - leaving))
      if fingers > 0, leaving == fingers { edges.append(ButtonEdge(button, .up, at: start + time, from: origin)) }
      fingers -= leaving
      if fingers == 0, staying > 0 { edges.append(ButtonEdge(button, .down, at: start + time, from: origin)) }
      fingers += staying
    }
    return edges
  }
}
