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

  /// Nothing is pressed.
  public init() {}

  /// Adds a press. Presses of one button that overlap are one long one.
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
  private func changes(of button: Button, from start: Instant) -> [ButtonEdge] {
    let own = contacts.filter { $0.button == button }.enumerated()
      .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    var fingers = 0
    return own.compactMap { contact in
      let wasDown = fingers > 0
      fingers = max(0, fingers + (contact.isDown ? 1 : -1))
      guard wasDown != (fingers > 0) else { return nil }
      return ButtonEdge(button, contact.isDown ? .down : .up, at: start + contact.time)
    }
  }
}
