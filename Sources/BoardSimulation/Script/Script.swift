import MetronomeCore

/// Presses of buttons, each at its time from the beginning.
public struct Script: Hashable, Sendable {
  /// How long a press lasts that does not say.
  public static let standardHold = Nanoseconds.milliseconds(80)

  /// A button's contact closes or opens at a time.
  struct Contact: Hashable, Sendable {
    var time: Nanoseconds
    var button: Button
    var isDown: Bool
  }

  /// As written, in no order.
  private(set) var contacts: [Contact] = []

  /// The buttons that are pressed.
  public var buttons: Set<Button> { Set(contacts.map(\.button)) }

  /// Nothing is pressed.
  public init() {}

  /// Adds a press. Presses of one button that overlap are one long one; those that only touch are two.
  public mutating func press(_ button: Button, at time: Nanoseconds, for held: Nanoseconds = Script.standardHold) {
    contacts.append(Contact(time: time, button: button, isDown: true))
    contacts.append(Contact(time: time + held, button: button, isDown: false))
  }

  public mutating func down(_ button: Button, at time: Nanoseconds) {
    contacts.append(Contact(time: time, button: button, isDown: true))
  }

  public mutating func up(_ button: Button, at time: Nanoseconds) {
    contacts.append(Contact(time: time, button: button, isDown: false))
  }

  /// The edges that the lines see, in order of time.
  ///
  /// - Parameters:
  ///   - start: the beginning.
  ///   - bounces: lets the contacts bounce as real ones do, differently for each seed; nil: they do not.
  public func edges(from start: Instant, bounces: Bounces? = nil) -> [ButtonEdge] {
    var edges: [ButtonEdge] = []
    var bounces = bounces
    for button in Button.allCases {
      let clean = changes(of: button, from: start)
      edges += bounces?.applied(to: clean) ?? clean
    }
    return edges.enumerated().sorted { ($0.element.instant, $0.offset) < ($1.element.instant, $1.offset) }
      .map(\.element)
  }

  /// One button's changes of level: a second finger on a pressed button changes nothing, nor does the first one's leaving.
  ///
  /// In which order the contacts were written does not matter. Of those of one instant the fingers that are there leave
  /// before others come, and what comes and goes at once was never there.
  private func changes(of button: Button, from start: Instant) -> [ButtonEdge] {
    let instants = Dictionary(grouping: contacts.filter { $0.button == button }, by: \.time)
    var fingers = 0
    var edges: [ButtonEdge] = []
    for (time, contacts) in instants.sorted(by: { $0.key < $1.key }) {
      let coming = contacts.count(where: \.isDown)
      let going = contacts.count - coming
      let leaving = min(fingers, going)
      let staying = max(0, coming - (going - leaving))
      if fingers > 0, leaving == fingers { edges.append(ButtonEdge(button, .up, at: start + time)) }
      fingers -= leaving
      if fingers == 0, staying > 0 { edges.append(ButtonEdge(button, .down, at: start + time)) }
      fingers += staying
    }
    return edges
  }
}
