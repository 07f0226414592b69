import MetronomeCore

/// What happens to the edges between the lines and a machine.
enum Loss: CaseIterable {
  case nothing
  /// Presses and releases with all their bounces.
  case bursts
  /// Any of them.
  case any
  /// All of a line that comes after 16 of it that nobody has read.
  case newest
  /// The oldest of more than 16 for each line that nobody has read.
  case oldest
  /// The newest and the oldest of queues so short that a burst overflows them.
  case newestOfFew, oldestOfFew

  private static let few = 9

  /// What a queue has kept, and whether a reader must suppose that it has lost some.
  fileprivate func kept(_ edges: [ButtonEdge], _ random: inout Lehmer) -> (edges: [ButtonEdge], isGapPossible: Bool) {
    var counts = [Int](repeating: 0, count: Button.allCases.count)
    func isFull() -> Bool { counts.contains { $0 >= 16 } }
    func counted(_ edge: ButtonEdge) -> Bool {
      counts[edge.button.index] += 1
      return counts[edge.button.index] <= 16
    }
    switch self {
    case .nothing, .bursts: return (edges, false)
    case .any: return (edges.filter { _ in random.below(100) >= 30 }, true)
    case .newest:
      let kept = edges.filter(counted)
      return (kept, isFull())
    case .oldest:
      let kept = Array(edges.suffix(16 * Button.allCases.count))
      for edge in kept { _ = counted(edge) }
      return (kept, isFull())
    case .newestOfFew: return (Array(edges.prefix(Loss.few)), edges.count >= Loss.few)
    case .oldestOfFew: return (Array(edges.suffix(Loss.few)), edges.count >= Loss.few)
    }
  }
}

/// What a machine is told of where the lines are.
enum LevelReading: CaseIterable {
  case untold
  /// Where the edges left them that have been read.
  case atOnce
  /// Where they are 2 ms later, so that there may be edges that have not been read.
  case late
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

  /// When a level is read after the edges that were read.
  private let levels: LevelReading

  /// - Parameter pauses: the longest time for which nothing is read, in milliseconds; 0: all is read at once.
  init(
    _ hands: Hands, _ table: GestureTable<Meaning>, seed: UInt64, pauses: Int, loss: Loss = .nothing,
    levels: LevelReading = .atOnce
  ) {
    self.hands = hands
    self.levels = levels
    machine = GestureMachine(table, origins: hands.origins)
    var random = Lehmer(seed: seed &+ 99)
    var waiting: [ButtonEdge] = []
    var rest = hands.edges[...]
    let quiet = hands.end + .seconds(1)
    var now = Instant.zero
    while now < quiet || !rest.isEmpty {
      while let edge = rest.first, edge.instant <= now {
        rest.removeFirst()
        waiting.append(edge)
      }
      let (kept, isGapPossible) = loss.kept(waiting, &random)
      for origin in 0..<hands.origins where isGapPossible {
        machine.mayHaveLost(Origin(number: origin), until: now)
      }
      read(kept, at: now)
      waiting = []
      let next = [rest.first?.instant, machine.deadline].compactMap(\.self).min() ?? quiet
      now = max(next, now) + (pauses > 0 ? .microseconds(Int64(random.below(pauses * 1_000))) : .zero)
    }
    while let deadline = machine.deadline, callsAfterwards < 1_000 {
      read([], at: max(deadline, now))
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
    machine.settle(at: now, level: { level($0, $1, at: now) }, note)
    if let deadline = machine.deadline, deadline <= now { isOrderly = false }
  }

  private func level(_ button: Button, _ origin: Origin, at now: Instant) -> Bool? {
    switch levels {
    case .untold: nil
    case .atOnce: hands.isDown(button, origin, at: now)
    case .late: hands.isDown(button, origin, at: now + .milliseconds(2))
    }
  }
}
