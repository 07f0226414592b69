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
