import HardwareAbstraction
import MetronomeCore

/// Timed events of a box, each at a time since the start: button presses, dial turns, unplugging of devices and the chip,
/// reloads, commands of other programs, a Link session, faults of card, clock, disk, display and power.
public struct Script: Hashable, Sendable {
  /// The length of a press without a stated length.
  public static let standardHold = Nanoseconds.milliseconds(80)

  enum Action: Hashable, Sendable {
    /// A button's contact closes or opens.
    case contact(Button, Origin, isDown: Bool)
    case turn(Dial, detents: Int, Origin)
    case unplug(Origin)
    case plug(Origin)
    case unplugChip
    case plugChip
    case reload(String)
    case clock(ScriptedClock)
    case mishap(Mishap)
    case control(ScriptedControl)
  }

  struct Event: Hashable, Sendable {
    var time: Nanoseconds
    var action: Action

    /// By time. At the same instant contacts in a fixed order, then devices, the chip, reloads, mishaps and other programs, each in the
    /// order added.
    fileprivate var order: (Int64, Int, Int, Int, Int) {
      switch action {
      case .contact(let button, let origin, let isDown): (time.count, 0, origin.number, button.index, isDown ? 1 : 0)
      case .turn, .unplug, .plug, .clock: (time.count, 1, 0, 0, 0)
      case .unplugChip, .plugChip: (time.count, 2, 0, 0, 0)
      case .reload: (time.count, 3, 0, 0, 0)
      case .mishap: (time.count, 4, 0, 0, 0)
      case .control: (time.count, 5, 0, 0, 0)
      }
    }
  }

  /// The names of the buttons in ``text``.
  public private(set) var names = BoxNames.standard
  /// Sorted by time.
  private(set) var events: [Event] = []

  /// When a new configuration takes effect.
  public struct Reload: Hashable, Sendable {
    public var time: Nanoseconds
    /// The file name as written in the script.
    public var file: String
  }

  /// A mishap and its time.
  public struct TimedMishap: Hashable, Sendable {
    public var time: Nanoseconds
    public var what: Mishap

    public init(_ what: Mishap, at time: Nanoseconds) {
      self.time = time
      self.what = what
    }
  }

  /// The number of events.
  package var count: Int { events.count }

  /// When the first thing happens; nil: nothing does.
  package var beginning: Nanoseconds? { events.first?.time }

  /// In order of time.
  public var reloads: [Reload] {
    events.compactMap { if case .reload(let file) = $0.action { Reload(time: $0.time, file: file) } else { nil } }
  }

  /// Sorted by time.
  public var mishaps: [TimedMishap] {
    events.compactMap { if case .mishap(let mishap) = $0.action { TimedMishap(mishap, at: $0.time) } else { nil } }
  }

  /// What the MIDI source does, in order of time.
  package var clocks: [(time: Nanoseconds, what: ScriptedClock)] {
    events.compactMap { if case .clock(let clock) = $0.action { ($0.time, clock) } else { nil } }
  }

  /// What other programs do, in order of time.
  package var controls: [(time: Nanoseconds, what: ScriptedControl)] {
    events.compactMap { if case .control(let control) = $0.action { ($0.time, control) } else { nil } }
  }

  /// The buttons of the box that are pressed.
  public var buttons: Set<Button> {
    Set(events.compactMap { if case .contact(let button, .box, _) = $0.action { button } else { nil } })
  }

  /// The devices that are used, unplugged or plugged in.
  public var devices: Set<Origin> {
    let origins = events.compactMap { event -> Origin? in
      switch event.action {
      case .contact(_, let origin, _), .turn(_, _, let origin), .unplug(let origin), .plug(let origin): origin
      case .unplugChip, .plugChip, .reload, .clock, .mishap, .control: nil
      }
    }
    return Set(origins).subtracting([.box])
  }

  public init() {}

  /// Adds a press. Overlapping presses of one button merge into one; presses that only touch stay two.
  public mutating func press(
    _ button: Button, at time: Nanoseconds, for held: Nanoseconds = Script.standardHold, from origin: Origin = .box
  ) {
    down(button, at: time, from: origin)
    up(button, at: time + held, from: origin)
  }

  public mutating func down(_ button: Button, at time: Nanoseconds, from origin: Origin = .box) {
    add(.contact(button, origin, isDown: true), at: time)
  }

  public mutating func up(_ button: Button, at time: Nanoseconds, from origin: Origin = .box) {
    add(.contact(button, origin, isDown: false), at: time)
  }

  /// Adds a turn with all of its detents at once.
  public mutating func turn(_ dial: Dial, by detents: Int, at time: Nanoseconds, from origin: Origin) {
    add(.turn(dial, detents: detents, origin), at: time)
  }

  public mutating func unplug(_ origin: Origin, at time: Nanoseconds) { add(.unplug(origin), at: time) }
  public mutating func plug(_ origin: Origin, at time: Nanoseconds) { add(.plug(origin), at: time) }

  /// Unplugs the GPIO chip; at 0 the chip is absent from the start.
  public mutating func unplugChip(at time: Nanoseconds) { add(.unplugChip, at: time) }

  public mutating func plugChip(at time: Nanoseconds) { add(.plugChip, at: time) }

  /// Reloads the configuration from a file.
  public mutating func reload(_ file: String, at time: Nanoseconds) { add(.reload(file), at: time) }

  /// Adds what the MIDI clock does from a time on.
  public mutating func schedule(_ clock: ScriptedClock, at time: Nanoseconds) { add(.clock(clock), at: time) }

  public mutating func schedule(_ mishap: Mishap, at time: Nanoseconds) { add(.mishap(mishap), at: time) }

  /// Adds what another program does.
  public mutating func schedule(_ control: ScriptedControl, at time: Nanoseconds) { add(.control(control), at: time) }

  mutating func add(_ action: Action, at time: Nanoseconds) {
    let event = Event(time: time, action: action)
    // From the end: scripts are mostly written in order.
    events.insert(event, at: events.lastIndex { $0.order <= event.order }.map { $0 + 1 } ?? 0)
  }

  /// Sorted by time.
  public func chipActions(from start: Instant) -> [ChipAction] {
    events.compactMap { event -> ChipAction? in
      switch event.action {
      case .unplugChip: .unplug(at: start + event.time)
      case .plugChip: .plug(at: start + event.time)
      case .contact, .turn, .unplug, .plug, .reload, .clock, .mishap, .control: nil
      }
    }
  }

  /// The edges on the box's lines, in order of time; with `bounces` nil no contact bounces.
  public func edges(from start: Instant, bounces: Bounces? = nil) -> [ButtonEdge] {
    var bounces = bounces
    let all = Button.all.flatMap { button in
      let clean = changes(of: button, at: .box, from: start)
      return bounces?.applied(to: clean) ?? clean
    }
    return all.enumerated().sorted { ($0.element.instant, $0.offset) < ($1.element.instant, $1.offset) }.map(\.element)
  }

  /// The events of the external input devices, in order of time. The devices' own controllers debounce their contacts.
  public func inputs(from start: Instant) -> [InputAction] {
    var all = events.compactMap { event -> InputAction? in
      let instant = start + event.time
      return switch event.action {
      case .turn(let dial, let detents, let origin): .turn(DialTurn(dial, by: detents, at: instant, from: origin))
      case .unplug(let origin): .unplug(origin, at: instant)
      case .plug(let origin): .plug(origin, at: instant)
      case .contact, .unplugChip, .plugChip, .reload, .clock, .mishap, .control: nil
      }
    }
    for event in events { if case .clock(let clock) = event.action { all += clock.actions(at: start + event.time) } }
    for origin in devices.sorted(by: { $0.number < $1.number }) {
      for button in Button.all { all += changes(of: button, at: origin, from: start).map(InputAction.edge) }
    }
    return all.enumerated().sorted { ($0.element.instant, $0.offset) < ($1.element.instant, $1.offset) }.map(\.element)
  }

  /// One button's level changes. Presses may overlap; the level changes with the first press and the last release.
  ///
  /// At the same instant releases come before presses, and a press of zero length is dropped. A device is plugged in with no key held.
  private func changes(of button: Button, at origin: Origin, from start: Instant) -> [ButtonEdge] {
    var moves: [Nanoseconds: (coming: Int, going: Int)] = [:]
    var unplugged = events.filter { $0.action == .unplug(origin) }.map(\.time)[...]
    for event in events {
      guard case .contact(button, origin, let isDown) = event.action else { continue }
      moves[event.time, default: (0, 0)].coming += isDown ? 1 : 0
      moves[event.time, default: (0, 0)].going += isDown ? 0 : 1
    }
    var fingers = 0
    var edges: [ButtonEdge] = []
    for (time, (coming, going)) in moves.sorted(by: { $0.key < $1.key }) {
      while let first = unplugged.first, first <= time {
        unplugged.removeFirst()
        fingers = 0
      }
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

/// A line of a script that cannot be read.
public struct ScriptError: Error, Hashable, Sendable, CustomStringConvertible {
  public var file: String
  /// Counted from 1; nil if the error concerns the whole file.
  public var line: Int?
  public var problem: String

  public init(file: String, line: Int?, problem: String) {
    self.file = file
    self.line = line
    self.problem = problem
  }

  /// One line: `FILE:LINE: problem`.
  public var description: String { "\(shownName(file)):\(line.map { "\($0):" } ?? "") \(problem)" }
}

extension Script {
  /// Reads a script: one event per line; blank lines and text after a `#` are skipped.
  ///
  ///     TIME press BUTTON [HELD]      TIME turn DIAL DETENTS
  ///     TIME down BUTTON              TIME unplug DEVICE
  ///     TIME up BUTTON                TIME plug DEVICE
  ///     TIME unplug chip              TIME plug chip
  ///     TIME reload FILE              TIME do COMMAND
  ///
  /// Times are written like `1.5s`, `250ms`, `2m`, or in bare seconds; lines may come in any order. Devices are numbered from 1
  /// as configured. `BUTTON@DEVICE` and `DIAL@DEVICE` belong to a device; a button alone belongs to the box, a dial alone to
  /// device 1. Positive detents turn clockwise. `chip` is the GPIO chip of the box's lines; unplugged at 0 it is absent from
  /// the start. `reload` loads a configuration file, whose name must not contain blanks. `do` is a command from another program.
  /// ``ScriptedClock`` has the lines of a MIDI clock, ``ScriptedControl`` those of a Link session, ``Mishap`` the faults.
  ///
  /// `names` has the names of the buttons.
  ///
  /// - Throws: `ScriptError` for the first invalid line, and for an empty file, which may have been cut off.
  public init(text bytes: [UInt8], file: String, names: BoxNames = .standard) throws(ScriptError) {
    self.init()
    self.names = names
    guard bytes.contains(where: { !" \t\r\n".utf8.contains($0) }) else {
      throw ScriptError(file: file, line: nil, problem: "the script is empty; write a line such as \"1s press play\"")
    }
    for (index, line) in Script.lines(of: bytes).enumerated() {
      do {
        try ScriptLine(line)?.add(to: &self)
      } catch {
        throw ScriptError(file: file, line: index + 1, problem: error.text)
      }
    }
  }

  /// A script's text without the lines that cannot be read with the standard names: it has all reloads.
  package init(readableLinesOf bytes: [UInt8]) {
    self.init()
    for line in Script.lines(of: bytes) { try? ScriptLine(line)?.add(to: &self) }
  }

  /// The numbers, from 1, of the lines of a script's text that `isMeant` picks, each as a script of its own.
  package static func lineNumbers(in bytes: [UInt8], names: BoxNames, where isMeant: (Script) -> Bool) -> [Int] {
    lines(of: bytes).enumerated().compactMap { index, line in
      var script = Script()
      script.names = names
      try? ScriptLine(line)?.add(to: &script)
      return !script.events.isEmpty && isMeant(script) ? index + 1 : nil
    }
  }

  private static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    return bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
  }
}

/// Makes contacts bounce: for up to 5 ms after a change a contact opens and closes several times.
public struct Bounces: Sendable {
  private static let longest = Nanoseconds.milliseconds(5)
  private var random: SeededRandom

  public init(seed: UInt64) { random = SeededRandom(seed: seed) }

  /// Adds bounces to the edges of one button, which alternate. Each contact settles before its next change.
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
        let direction = place.isMultiple(of: 2) ? opposite : edge.direction
        result.append(ButtonEdge(edge.button, direction, at: edge.instant + Nanoseconds(time)))
      }
    }
    return result
  }
}
