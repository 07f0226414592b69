/// From raw edges of all buttons to what the presses mean.
///
/// A press acts on its edge. What a press means is a table: for the metronome see ``GestureStage``.
public struct Presses<Meaning: Sendable>: Sendable {
  /// A command and when the hand gave it.
  public struct Timed: Sendable {
    public var command: Meaning
    public var instant: Instant

    public init(_ command: Meaning, at instant: Instant) {
      self.command = command
      self.instant = instant
    }
  }

  private let table: [Button: Meaning]
  private var debouncers: [Debouncer]

  /// - Parameter table: what a press of each button means. One that is not in it means nothing.
  public init(table: [Button: Meaning]) {
    self.table = table
    debouncers = Button.allCases.map { _ in Debouncer() }
  }

  /// When ``settle(at:level:)`` must be called, if no edge comes before.
  public var deadline: Instant? { debouncers.compactMap(\.deadline).min() }

  /// Takes an edge and answers with what it means, if anything. A contact whose lock-out had ended before it is settled
  /// first.
  public mutating func take(_ edge: ButtonEdge) -> [Timed] {
    let index = Button.allCases.firstIndex(of: edge.button)!
    let settled = settle(index, at: edge.instant, isDownNow: nil)
    return settled + act(debouncers[index].take(edge.direction, at: edge.instant), edge.button, edge.instant)
  }

  /// Looks again at every contact whose lock-out has ended.
  ///
  /// - Parameter level: whether a button is down at this moment; nil if that cannot be told.
  public mutating func settle(at now: Instant, level: (Button) -> Bool?) -> [Timed] {
    var commands: [Timed] = []
    for (index, button) in Button.allCases.enumerated() {
      while let deadline = debouncers[index].deadline, deadline <= now {
        commands += settle(index, at: now, isDownNow: level(button))
      }
    }
    return commands.sorted { $0.instant < $1.instant }
  }

  private mutating func settle(_ index: Int, at now: Instant, isDownNow: Bool?) -> [Timed] {
    guard let deadline = debouncers[index].deadline else { return [] }
    return act(debouncers[index].settle(at: now, isDownNow: isDownNow), Button.allCases[index], deadline)
  }

  private func act(_ direction: ButtonEdge.Direction?, _ button: Button, _ instant: Instant) -> [Timed] {
    guard direction == .down, let command = table[button] else { return [] }
    return [Timed(command, at: instant)]
  }
}
