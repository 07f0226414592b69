import MetronomeCore

/// What happens to a box, each at its time from the beginning: presses of buttons, turns of dials, devices and the chip
/// pulled out, another configuration put in place, mishaps of card, clock, disk and power.
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

  /// In order.
  private(set) var contacts: [Contact] = []
  /// What happens to devices besides, as from the instant 0. In order of time.
  private(set) var actions: [InputAction] = []
  /// What happens to the chip, as from the instant 0. In order of time.
  private(set) var chipActions: [ChipAction] = []

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

  /// In order of time.
  public private(set) var mishaps: [TimedMishap] = []

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
    contacts.insert(Contact(time: time, button: button, origin: origin, isDown: true)) { $0 <= $1 }
  }

  public mutating func up(_ button: Button, at time: Nanoseconds, from origin: Origin = .box) {
    contacts.insert(Contact(time: time, button: button, origin: origin, isDown: false)) { $0 <= $1 }
  }

  /// Adds a turn, all of its detents at once.
  public mutating func turn(_ dial: Dial, by detents: Int, at time: Nanoseconds, from origin: Origin) {
    add(.turn(DialTurn(dial, by: detents, at: .zero + time, from: origin)))
  }

  /// A device is pulled out.
  public mutating func unplug(_ origin: Origin, at time: Nanoseconds) {
    add(.unplug(origin, at: .zero + time))
  }

  /// It is plugged in again.
  public mutating func plug(_ origin: Origin, at time: Nanoseconds) {
    add(.plug(origin, at: .zero + time))
  }

  /// The chip that the box's lines are on is pulled out; at 0 it is yet to come.
  public mutating func unplugChip(at time: Nanoseconds) { add(.unplug(at: .zero + time)) }

  /// It is plugged in again.
  public mutating func plugChip(at time: Nanoseconds) { add(.plug(at: .zero + time)) }

  /// The configuration is read again, from a file.
  public mutating func reload(_ file: String, at time: Nanoseconds) {
    reloads.insert(Reload(file, at: time)) { $0.time <= $1.time }
  }

  /// Something befalls the box.
  public mutating func befall(_ mishap: Mishap, at time: Nanoseconds) {
    mishaps.insert(TimedMishap(mishap, at: time)) { $0.time <= $1.time }
  }

  private mutating func add(_ action: InputAction) { actions.insert(action) { $0.instant <= $1.instant } }

  private mutating func add(_ action: ChipAction) { chipActions.insert(action) { $0.instant <= $1.instant } }

  /// What happens to the chip, in order of time.
  public func chipActions(from start: Instant) -> [ChipAction] {
    chipActions.map { action in
      switch action {
      case .unplug(let instant): ChipAction.unplug(at: start + (instant - .zero))
      case .plug(let instant): ChipAction.plug(at: start + (instant - .zero))
      }
    }
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

extension Script.Contact {
  /// By time, and then in an order that means nothing.
  static func <= (one: Script.Contact, other: Script.Contact) -> Bool { one.order <= other.order }

  private var order: (Int64, Int, Int, Int) { (time.count, origin.number, button.index, isDown ? 1 : 0) }
}

extension Array {
  /// Puts an element behind those that may stand before it. From the back: scripts are mostly written in order.
  fileprivate mutating func insert(_ element: Element, _ mayStandBefore: (Element, Element) -> Bool) {
    let place = lastIndex { mayStandBefore($0, element) }.map { $0 + 1 } ?? 0
    insert(element, at: place)
  }
}

/// A line of a script that cannot be read.
public struct ScriptError: Error, Hashable, Sendable, CustomStringConvertible {
  public var file: String
  /// Counted from 1; nil when the whole file is meant.
  public var line: Int?
  public var problem: String

  public init(file: String, line: Int?, problem: String) {
    self.file = file
    self.line = line
    self.problem = problem
  }

  /// One line: `FILE:LINE: what is wrong`.
  public var description: String {
    let name = shownName(file)
    return line.map { "\(name):\($0): \(problem)" } ?? "\(name): \(problem)"
  }
}

extension Script {
  /// Reads a script: a line for each thing that happens, blank lines and what follows a `#` are skipped.
  ///
  ///     TIME press BUTTON [HELD]      TIME turn DIAL DETENTS
  ///     TIME down BUTTON              TIME unplug DEVICE
  ///     TIME up BUTTON                TIME plug DEVICE
  ///     TIME unplug chip              TIME plug chip
  ///     TIME reload FILE
  ///
  /// Times are as `1.5s`, `250ms`, `2m` or bare seconds. Devices are numbered from 1 in the order in which they are
  /// configured. `BUTTON@DEVICE` and `DIAL@DEVICE` are those of a device; a button without it is the box's, a dial that of
  /// device 1. Detents are above 0 clockwise, below 0 the other way. The chip is that of the box's lines; pulled out at 0 it
  /// is one that comes late. A file is a configuration that is put in place; its name has no blanks. The order of the lines
  /// does not matter.
  ///
  /// - Throws: `ScriptError` for the first line that is wrong, and for a file that is empty: one that was cut off looks
  ///   like that.
  public init(text bytes: [UInt8], file: String) throws(ScriptError) {
    self.init()
    let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    guard bytes.contains(where: { !$0.isBlank && $0 != UInt8(ascii: "\n") }) else {
      throw ScriptError(file: file, line: nil, problem: "the script is empty; write a line such as \"1s press play\"")
    }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      do {
        try ScriptLine(line)?.add(to: &self)
      } catch {
        throw ScriptError(file: file, line: index + 1, problem: error.text)
      }
    }
  }
}

extension UInt8 {
  fileprivate var isBlank: Bool {
    self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") || self == UInt8(ascii: "\r")
  }
}

/// How contacts bounce: for up to 5 ms after it closed or opened a contact opens and closes again a few times.
public struct Bounces: Sendable {
  private static let longest = Nanoseconds.milliseconds(5)
  private var random: SeededRandom

  public init(seed: UInt64) { random = SeededRandom(seed: seed) }

  /// Adds bounces to the edges of one button, which alternate. Each contact has come to rest before it moves again.
  mutating func applied(to edges: [ButtonEdge]) -> [ButtonEdge] {
    var result: [ButtonEdge] = []
    for (index, edge) in edges.enumerated() {
      let next = index + 1 < edges.count ? edges[index + 1].instant : edge.instant + Bounces.longest
      let room = min(Bounces.longest, next - edge.instant).count
      let pairs = Int.random(in: 0...4, using: &random)
      let times = (0..<2 * pairs).map { _ in Int64.random(in: 0...max(0, room - 1), using: &random) }.sorted()
      result.append(edge)
      for (place, time) in times.enumerated() {
        let opposite: ButtonEdge.Direction = edge.direction == .down ? .up : .down
        result.append(
          ButtonEdge(
            edge.button, place.isMultiple(of: 2) ? opposite : edge.direction, at: edge.instant + Nanoseconds(time)))
      }
    }
    return result
  }
}
