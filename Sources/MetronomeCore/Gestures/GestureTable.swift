/// What gestures mean: data, looked into by a ``GestureMachine``.
public struct GestureTable<Meaning: Hashable & Sendable>: Hashable, Sendable {
  /// What can be done with one button by itself.
  public struct Binding: Hashable, Sendable {
    public fileprivate(set) var short: Meaning?
    /// A button has this or ``repeated``, never both.
    public fileprivate(set) var long: Meaning?
    public fileprivate(set) var repeated: Meaning?
    /// Whether ``short`` acts when the button goes down. Otherwise it waits for the release, because the press may turn
    /// out to be something else.
    public fileprivate(set) var actsAtEdge = true

    fileprivate var isUrgent = false

    /// What holding it leads to.
    var hold: GestureShape.Hold {
      if long != nil { return .long }
      return repeated != nil ? .repeats : .nothing
    }
  }

  /// By the buttons' indexes.
  private var bindings = [Binding](repeating: Binding(), count: Button.allCases.count)
  /// By the indexes of both buttons, the first one's in rows. Only pairs in order are in use.
  private var chords = [Meaning?](repeating: nil, count: Button.allCases.count * Button.allCases.count)

  /// Nothing means anything.
  public init() {}

  /// Short presses only: each acts at its edge.
  public init(shorts: [Button: Meaning]) {
    for (button, meaning) in shorts { set(.short(button), to: meaning) }
  }

  /// What can be done with a button by itself.
  public subscript(button: Button) -> Binding { bindings[button.index] }

  /// What a gesture means; nil: nothing.
  public subscript(gesture: Gesture) -> Meaning? {
    switch gesture {
    case .short(let button): bindings[button.index].short
    case .long(let button): bindings[button.index].long
    case .repeated(let button): bindings[button.index].repeated
    case .chord(let pair): chords[place(of: pair)]
    }
  }

  /// The gestures that mean something: those of the buttons in their order, then the chords.
  public var gestures: [Gesture] {
    let pairs = Button.allCases.flatMap { one in Button.allCases.compactMap { ButtonPair(one, $0) } }
    let single = Button.allCases.flatMap { [Gesture.short($0), .long($0), .repeated($0)] }
    let ordered = pairs.enumerated().filter { pairs.firstIndex(of: $0.element) == $0.offset }
    return (single + ordered.map { .chord($0.element) }).filter { self[$0] != nil }
  }

  /// Sets what a gesture means, and finds out again which short presses act at the edge.
  ///
  /// Traps where a button would get a long press and a repetition both.
  ///
  /// - Parameters:
  ///   - meaning: nil: nothing any more.
  ///   - isUrgent: of a short press: whether it acts at the edge whatever else there is.
  mutating func set(_ gesture: Gesture, to meaning: Meaning?, isUrgent: Bool = false) {
    switch gesture {
    case .short(let button):
      bindings[button.index].short = meaning
      bindings[button.index].isUrgent = isUrgent
    case .long(let button):
      precondition(meaning == nil || bindings[button.index].repeated == nil, "a long press of a button that repeats")
      bindings[button.index].long = meaning
    case .repeated(let button):
      precondition(meaning == nil || bindings[button.index].long == nil, "a button with a long press that repeats")
      bindings[button.index].repeated = meaning
    case .chord(let pair):
      chords[place(of: pair)] = meaning
    }
    for button in Button.allCases {
      let binding = bindings[button.index]
      let isAlone = binding.hold == .nothing && partners(of: button) == 0
      bindings[button.index].actsAtEdge = binding.isUrgent || isAlone
    }
  }

  /// What a tracker has to know, by the buttons' indexes.
  var shapes: [GestureShape] {
    Button.allCases.map { button in
      let binding = bindings[button.index]
      let short: GestureShape.Short = binding.short == nil ? .nothing : binding.actsAtEdge ? .atEdge : .onRelease
      return GestureShape(button: button, short: short, hold: binding.hold, partners: partners(of: button))
    }
  }

  /// The buttons that have a chord with this one: a bit for each, by its index.
  private func partners(of button: Button) -> UInt16 {
    Button.allCases.reduce(0) { bits, other in
      guard let pair = ButtonPair(button, other), chords[place(of: pair)] != nil else { return bits }
      return bits | 1 << UInt16(other.index)
    }
  }

  private func place(of pair: ButtonPair) -> Int { pair.first.index * Button.allCases.count + pair.second.index }
}

extension GestureTable<Command> {
  /// What the buttons of a box do that is not configured otherwise.
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
    return table
  }()

  /// Sets what a gesture does. Whether a short press acts at its edge follows from ``Command/isUrgent`` and from what else
  /// the button is for.
  ///
  /// Traps where a button would get a long press and a repetition both; to change one for the other, unbind it first.
  ///
  /// - Parameters:
  ///   - gesture: is unbound from what it meant before.
  ///   - command: nil: nothing any more.
  public mutating func bind(_ gesture: Gesture, to command: Command?) {
    set(gesture, to: command, isUrgent: command?.isUrgent ?? false)
  }

  /// Sets what two different buttons do together.
  private mutating func bind(_ one: Button, with other: Button, to command: Command) {
    guard let pair = ButtonPair(one, other) else { preconditionFailure("a chord of one button") }
    bind(.chord(pair), to: command)
  }
}

extension Command {
  /// Whether a musician hears or sees it when it is late: such a command acts at the edge of its press, even though the
  /// press may yet turn out to be the beginning of something else. Then it is taken back.
  public var isUrgent: Bool {
    switch self {
    case .togglePlaying, .start, .stop, .tap, .stepTempo, .setTempo, .resetTempo: true
    case .setNumerator, .nextNumerator, .previousNumerator, .setDenominator, .nextDenominator, .previousDenominator,
      .toggleSilence, .tellTempo, .tellSignature, .nextPreset, .previousPreset, .recallPreset, .storePreset:
      false
    }
  }

  /// The command done in so many steps. Only steps of tempo grow; all else is done once.
  public func inSteps(_ steps: Int) -> Command {
    switch self {
    case .stepTempo(let milliBPM):
      .stepTempo(byMilliBPM: Int(clamping: Int128(milliBPM) * Int128(steps)))
    case .togglePlaying, .start, .stop, .setTempo, .resetTempo, .tap, .setNumerator, .nextNumerator,
      .previousNumerator, .setDenominator, .nextDenominator, .previousDenominator, .toggleSilence, .tellTempo,
      .tellSignature, .nextPreset, .previousPreset, .recallPreset, .storePreset:
      self
    }
  }
}
