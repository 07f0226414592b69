/// A button of the box or of an input device, by its place from 0 to 15. The configuration has the names and may add buttons
/// after the standard ones.
public struct Button: Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
  /// How many buttons a box can have.
  @inlinable public static var room: Int { 16 }

  @usableFromInline let place: UInt8

  /// - Precondition: the place is from 0 to 15.
  @inlinable public init(index: Int) {
    precondition((0..<Button.room).contains(index), "there is room for sixteen buttons")
    place = UInt8(truncatingIfNeeded: index)
  }

  @inlinable init(place: UInt8) { self.place = place }

  /// The place, from 0.
  @inlinable public var index: Int { Int(place) }

  @inlinable public static var play: Button { Button(place: 0) }
  @inlinable public static var slower: Button { Button(place: 1) }
  @inlinable public static var faster: Button { Button(place: 2) }
  @inlinable public static var numerator: Button { Button(place: 3) }
  @inlinable public static var denominator: Button { Button(place: 4) }
  @inlinable public static var tap: Button { Button(place: 5) }
  @inlinable public static var presetNext: Button { Button(place: 6) }
  @inlinable public static var presetPrevious: Button { Button(place: 7) }
  @inlinable public static var preset1: Button { Button(place: 8) }
  @inlinable public static var preset2: Button { Button(place: 9) }
  @inlinable public static var preset3: Button { Button(place: 10) }
  @inlinable public static var preset4: Button { Button(place: 11) }

  /// The names of the standard buttons, in the order of their places.
  public static let standardNames = [
    "play", "slower", "faster", "numerator", "denominator", "tap", "preset_next", "preset_previous", "preset_1",
    "preset_2", "preset_3", "preset_4",
  ]

  /// The buttons that have a default name and default commands. A box has any subset of them.
  public static let standard = standardNames.indices.map { Button(index: $0) }

  /// Every place.
  public static let all = (0..<room).map { Button(index: $0) }

  /// The standard name; `button_12` for the first place that has none.
  public var description: String {
    index < Button.standardNames.count ? Button.standardNames[index] : "button_\(index)"
  }
}

/// An edge of a button's contact, which may be a bounce.
public struct ButtonEdge: Hashable, Sendable, BitwiseCopyable {
  public enum Direction: Hashable, Sendable, BitwiseCopyable {
    case down, up
  }

  public var button: Button
  public var direction: Direction
  /// When the edge occurred, not when it was read.
  public var instant: Instant
  public var origin: Origin

  public init(_ button: Button, _ direction: Direction, at instant: Instant, from origin: Origin = .box) {
    self.button = button
    self.direction = direction
    self.instant = instant
    self.origin = origin
  }
}

/// One press of a button. No two presses are equal, even at the same instant.
public struct Press: Hashable, Sendable, BitwiseCopyable {
  public let button: Button
  /// When the button went down.
  public let instant: Instant
  /// Counts the presses of all buttons.
  public let number: UInt64

  package init(_ button: Button, at instant: Instant, number: UInt64) {
    self.button = button
    self.instant = instant
    self.number = number
  }
}

/// An unordered pair of different buttons.
public struct ButtonPair: Hashable, Sendable, BitwiseCopyable {
  /// The button with the earlier place.
  public let first: Button
  public let second: Button

  public init?(_ one: Button, _ other: Button) {
    guard one != other else { return nil }
    first = one.index < other.index ? one : other
    second = one.index < other.index ? other : one
  }
}

/// The device of a button or dial: the box itself, or an external input device such as a pedal or a keyboard.
///
/// A button may exist several times, for example on the box and on a pedal: each has its own contact.
public struct Origin: Hashable, Sendable, BitwiseCopyable {
  /// 0 for the box; the devices are numbered from 1 in configuration order.
  public let number: Int

  public static let box = Origin(number: 0)
  /// The input of the MIDI clock, which has no buttons.
  public static let midiClock = Origin(number: .max)

  public init(number: Int) { self.number = number }
}

/// The gestures of one button or of two together. For their timing see ``GestureMachine``.
public enum Gesture: Hashable, Sendable, BitwiseCopyable {
  case short(Button)
  case long(Button)
  /// Repeats while the button is held.
  case repeated(Button)
  case chord(ButtonPair)
}

/// The command of a gesture, and its time.
public struct GestureEvent: Hashable, Sendable {
  public var command: Command
  /// When the gesture was recognized: at an edge or at a deadline.
  public var instant: Instant
  /// The number of steps: more than one for a fast repetition.
  public var steps: Int
  /// When the press of this gesture began; for a dial, when it was turned.
  public var press: Instant
  /// The press, if it acted at its edge and may still turn out to begin another gesture.
  public var provisional: Press?
  /// The press whose action must be undone first, because it turned out to begin this gesture.
  public var undoes: Press?

  public init(
    _ command: Command, at instant: Instant, press: Instant, steps: Int = 1, provisional: Press? = nil,
    undoes: Press? = nil
  ) {
    self.command = command
    self.instant = instant
    self.steps = steps
    self.press = press
    self.provisional = provisional
    self.undoes = undoes
  }
}

/// The commands of gestures, used by a ``GestureMachine``.
public struct GestureTable: Hashable, Sendable {
  /// The commands of one button by itself.
  public struct Binding: Hashable, Sendable {
    public fileprivate(set) var short: Command?
    /// A button has either this or ``repeated``, never both.
    public fileprivate(set) var long: Command?
    public fileprivate(set) var repeated: Command?
    /// Whether ``short`` acts when the button goes down; otherwise on release.
    public fileprivate(set) var actsAtEdge = true
    var hold: GestureShape.Hold { long != nil ? .long : repeated != nil ? .repeats : .nothing }
  }

  /// Indexed by `Button.index`.
  private var bindings = [Binding](repeating: Binding(), count: Button.room)
  /// A row for each first button of a pair, a column for each second one.
  private var chords = [Command?](repeating: nil, count: Button.room * Button.room)
  /// Whether a chord must be held, at the same places.
  private var isHeld = [Bool](repeating: false, count: Button.room * Button.room)

  public init() {}

  /// Short presses only: each acts at its edge.
  public init(shorts: [Button: Command]) { for (button, command) in shorts { bind(.short(button), to: command) } }

  public subscript(button: Button) -> Binding { bindings[button.index] }

  public subscript(gesture: Gesture) -> Command? {
    switch gesture {
    case .short(let button): bindings[button.index].short
    case .long(let button): bindings[button.index].long
    case .repeated(let button): bindings[button.index].repeated
    case .chord(let pair): chords[place(of: pair)]
    }
  }

  /// Whether a gesture is a chord that must be held: see ``GestureMachine``.
  public func mustBeHeld(_ gesture: Gesture) -> Bool {
    if case .chord(let pair) = gesture { isHeld[place(of: pair)] } else { false }
  }

  /// The gestures that have a command: those of single buttons in their order, then the chords.
  public var gestures: [Gesture] {
    let pairs = Button.all.flatMap { one in
      Button.all.dropFirst(one.index + 1).compactMap { ButtonPair(one, $0) }
    }
    let single = Button.all.flatMap { [Gesture.short($0), .long($0), .repeated($0)] }
    return (single + pairs.map { .chord($0) }).filter { self[$0] != nil }
  }

  /// Sets the command of a gesture; nil removes it. A short press acts at its edge if its command is urgent or its button has
  /// no other gesture. A chord must be held if `isHeld` is true, or if its command is never given by accident: `pair` and
  /// `forgetPhones`. Other gestures ignore `isHeld`.
  ///
  /// Traps if a button would get both a long press and a repetition; unbind one before binding the other.
  public mutating func bind(_ gesture: Gesture, to command: Command?, isHeld: Bool = false) {
    switch gesture {
    case .short(let button): bindings[button.index].short = command
    case .long(let button):
      precondition(command == nil || bindings[button.index].repeated == nil, "a button has both long and repeat")
      bindings[button.index].long = command
    case .repeated(let button):
      precondition(command == nil || bindings[button.index].long == nil, "a button has both long and repeat")
      bindings[button.index].repeated = command
    case .chord(let pair):
      chords[place(of: pair)] = command
      self.isHeld[place(of: pair)] = command.map { isHeld || $0.isAlwaysHeld } ?? false
    }
    for button in Button.all {
      let binding = bindings[button.index]
      let isAlone = binding.hold == .nothing && partners(of: button) == 0
      bindings[button.index].actsAtEdge = binding.short?.isUrgent ?? false || isAlone
    }
  }

  /// The same commands with each button at another place; a button without one loses its commands.
  package func moved(to place: (Button) -> Button?) -> GestureTable {
    var moved = GestureTable()
    for gesture in gestures {
      let new: Gesture? =
        switch gesture {
        case .short(let button): place(button).map { .short($0) }
        case .long(let button): place(button).map { .long($0) }
        case .repeated(let button): place(button).map { .repeated($0) }
        case .chord(let pair):
          if let one = place(pair.first), let other = place(pair.second) {
            ButtonPair(one, other).map { .chord($0) }
          } else {
            nil
          }
        }
      if let new { moved.bind(new, to: self[gesture], isHeld: mustBeHeld(gesture)) }
    }
    return moved
  }

  /// The shapes of the buttons' gestures, indexed by `Button.index`.
  var shapes: [GestureShape] {
    Button.all.map { button in
      let binding = bindings[button.index]
      let short: GestureShape.Short = binding.short == nil ? .nothing : binding.actsAtEdge ? .atEdge : .onRelease
      return GestureShape(button: button, short: short, hold: binding.hold, partners: partners(of: button))
    }
  }

  /// The buttons that form a chord with this button: one bit each, by index.
  private func partners(of button: Button) -> UInt16 {
    Button.all.reduce(0) { bits, other in
      guard let pair = ButtonPair(button, other), chords[place(of: pair)] != nil else { return bits }
      return bits | 1 << UInt16(other.index)
    }
  }

  private func place(of pair: ButtonPair) -> Int { pair.first.index * Button.room + pair.second.index }
}

extension GestureTable {
  public static let standard: GestureTable = {
    var table = GestureTable()
    table.bind(.short(.play), to: .togglePlaying)
    table.bind(.long(.play), to: .toggleSilence)
    table.bind(.short(.slower), to: .stepTempo(byMilliBPM: -1_000))
    table.bind(.repeated(.slower), to: .stepTempo(byMilliBPM: -1_000))
    table.bind(.short(.faster), to: .stepTempo(byMilliBPM: 1_000))
    table.bind(.repeated(.faster), to: .stepTempo(byMilliBPM: 1_000))
    table.bind(.short(.numerator), to: .nextNumerator)
    table.bind(.repeated(.numerator), to: .previousNumerator)
    table.bind(.short(.denominator), to: .nextDenominator)
    table.bind(.repeated(.denominator), to: .previousDenominator)
    table.bind(.short(.tap), to: .tap)
    table.bind(.short(.presetNext), to: .nextPreset)
    table.bind(.short(.presetPrevious), to: .previousPreset)
    for (place, button) in [Button.preset1, .preset2, .preset3, .preset4].enumerated() {
      table.bind(.short(button), to: .recallPreset(place + 1))
      table.bind(.long(button), to: .storePreset(place + 1))
    }
    table.bind(.slower, with: .faster, to: .resetTempo)
    table.bind(.play, with: .faster, to: .tellTempo)
    table.bind(.play, with: .numerator, to: .tellSignature)
    table.bind(.numerator, with: .denominator, to: .nextSubdivision)
    table.bind(.denominator, with: .tap, to: .previousSubdivision)
    table.bind(.numerator, with: .tap, to: .nextAccents)
    table.bind(.slower, with: .denominator, to: .volumeDown)
    table.bind(.faster, with: .denominator, to: .volumeUp)
    table.bind(.play, with: .denominator, to: .pair)
    return table
  }()

  private mutating func bind(_ one: Button, with other: Button, to command: Command) {
    guard let pair = ButtonPair(one, other) else { preconditionFailure("a chord of one button") }
    bind(.chord(pair), to: command)
  }
}

extension Command {
  /// Whether a musician would notice a delay: such a command acts at the edge of its press, even though the press may still
  /// turn out to begin another gesture. In that case it is undone.
  public var isUrgent: Bool {
    switch self {
    case .togglePlaying, .start, .stop, .tap, .stepTempo, .setTempo, .resetTempo, .nextSection: true
    case .setNumerator, .nextNumerator, .previousNumerator, .setDenominator, .nextDenominator, .previousDenominator,
      .nextSubdivision, .previousSubdivision, .nextAccents, .toggleSilence, .volumeUp, .volumeDown, .tellTempo,
      .tellSignature, .nextPreset, .previousPreset, .recallPreset, .storePreset, .previousSection, .restartSection,
      .nextSong, .previousSong,
      .nextGap, .toggleDrop, .toggleRamp, .toggleTimer, .setRamp, .setTimer, .setGap, .setDrop, .setSignature, .setUnit,
      .setRhythm, .setVolume, .setClickSet, .nextClickSet, .pair, .forgetPhones:
      false
    }
  }

  /// Whether each chord with this command must be held, so that nobody pairs or forgets a phone by accident.
  package var isAlwaysHeld: Bool { self == .pair || self == .forgetPhones }
}
