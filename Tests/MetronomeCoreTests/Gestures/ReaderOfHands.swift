import MetronomeCore

/// What happens to the edges between the lines and a machine.
enum Loss: CaseIterable {
  case nothing
  /// Presses and releases with all their bounces.
  case bursts
  /// Any of them.
  case any
  /// All that comes after 9 that nobody has read.
  case newest
  /// The oldest of more than 9 that nobody has read.
  case oldest

  /// How many edges there is room for.
  fileprivate var room: Int {
    switch self {
    case .nothing, .bursts, .any: .max
    case .newest, .oldest: 9
    }
  }
}

/// Reads what ``Hands`` do, sooner or later, with or without losses, and keeps what a machine makes of it.
final class ReaderOfHands<Meaning: Hashable & Sendable> {
  let hands: Hands
  private(set) var machine: GestureMachine<Meaning>
  private(set) var events: [GestureEvent<Meaning>] = []
  /// Whether events and deadlines came in order of time.
  private(set) var isOrderly = true
  /// How often it was called after all was quiet, until it asked for nothing more.
  private(set) var callsAfterwards = 0

  /// - Parameter pauses: the longest time for which nothing is read, in milliseconds; 0: all is read at once.
  init(_ hands: Hands, _ table: GestureTable<Meaning>, seed: UInt64, pauses: Int, loss: Loss = .nothing) {
    self.hands = hands
    machine = GestureMachine(table, origins: hands.origins)
    var random = Lehmer(seed: seed &+ 99)
    var waiting: [ButtonEdge] = []
    var rest = hands.edges[...]
    let quiet = hands.end + .seconds(1)
    var now = Instant.zero
    while now < quiet {
      while let edge = rest.first, edge.instant <= now {
        rest.removeFirst()
        if loss == .any, random.below(100) < 30 { continue }
        waiting.append(edge)
        if waiting.count > loss.room { waiting.remove(at: loss == .newest ? waiting.count - 1 : 0) }
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
    func note(_ event: GestureEvent<Meaning>) {
      let last = events.last?.instant ?? event.instant
      if event.instant < last || event.press > event.instant || event.instant > now { isOrderly = false }
      events.append(event)
    }
    for edge in edges { machine.take(edge, note) }
    machine.settle(at: now, level: { hands.isDown($0, $1, at: now) }, note)
    if let deadline = machine.deadline, deadline <= now { isOrderly = false }
  }
}
