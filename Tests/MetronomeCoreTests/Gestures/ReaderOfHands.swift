import MetronomeCore

/// Reads what ``Hands`` do, sooner or later, with or without losses, and keeps what a machine makes of it.
final class ReaderOfHands {
  /// What happens to the edges between the lines and the machine.
  enum Loss: CaseIterable {
    case nothing
    /// Presses and releases with all their bounces.
    case bursts
    /// All that comes after 16 that nobody has read.
    case newest
    /// The oldest of more than 16 that nobody has read.
    case oldest
  }

  let hands: Hands
  private(set) var machine = GestureMachine<Command>(.standard, origins: Hands.origins)
  private(set) var events: [GestureEvent<Command>] = []
  /// The instants at which a button of the box went down for the machine, by the button's index.
  private(set) var presses = [[Instant]](repeating: [], count: Button.allCases.count)
  /// Whether events and deadlines came in order of time.
  private(set) var isOrderly = true
  /// How often it was called after all was quiet, until it asked for nothing more.
  private(set) var callsAfterwards = 0

  /// - Parameter pauses: the longest time for which nothing is read, in milliseconds; 0: all is read at once.
  init(_ hands: Hands, seed: UInt64, pauses: Int, loss: Loss = .nothing) {
    self.hands = hands
    var random = Lehmer(seed: seed &+ 99)
    var waiting: [ButtonEdge] = []
    var rest = hands.edges[...]
    let quiet = hands.end + .seconds(1)
    var now = Instant.zero
    while now < quiet {
      while let edge = rest.first, edge.instant <= now {
        rest.removeFirst()
        waiting.append(edge)
        if waiting.count > 16, loss == .newest { waiting.removeLast() }
        if waiting.count > 16, loss == .oldest { waiting.removeFirst() }
      }
      read(waiting, at: now)
      waiting = []
      let next = [rest.first?.instant, machine.deadline].compactMap(\.self).min() ?? quiet
      now = max(next, now) + (pauses > 0 ? .microseconds(Int64(random.below(pauses * 1_000))) : .zero)
    }
    while let deadline = machine.deadline, callsAfterwards < 1_000 {
      read([], at: max(deadline, quiet))
      callsAfterwards += 1
    }
  }

  private func read(_ edges: [ButtonEdge], at now: Instant) {
    func note(_ event: GestureEvent<Command>) {
      let last = events.last?.instant ?? event.instant
      if event.instant < last || event.press > event.instant || event.instant > now { isOrderly = false }
      events.append(event)
    }
    for edge in edges {
      let touch = machine.lastTouch
      machine.take(edge, note)
      if edge.origin == .box, machine.lastTouch != touch, machine.lastTouch == edge.instant {
        presses[edge.button.index].append(edge.instant)
      }
    }
    machine.settle(at: now, level: { hands.isDown($0, $1, at: now) }, note)
    if let deadline = machine.deadline, deadline <= now { isOrderly = false }
  }
}
