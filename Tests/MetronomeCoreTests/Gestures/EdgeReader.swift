import MetronomeCore
import TestSupport

/// The edges that are lost between the lines and a machine.
enum Loss: CaseIterable {
  case nothing
  /// Whole presses and releases, including all their bounces.
  case bursts
  /// Random edges.
  case any
  /// The newest edges: all edges of a line after its first 16 unread edges.
  case newest
  /// The oldest edges, if more than 16 edges per line are unread.
  case oldest
  /// The newest or the oldest edges, with queues so short that one burst overflows them.
  case newestOfFew, oldestOfFew

  private static let few = 9

  /// The edges that a queue kept, and whether the reader must assume that some were lost.
  fileprivate func kept(_ edges: [ButtonEdge], _ random: inout Lehmer) -> (edges: [ButtonEdge], isGapPossible: Bool) {
    var counts = [Int](repeating: 0, count: Button.standard.count)
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
      let kept = Array(edges.suffix(16 * Button.standard.count))
      for edge in kept { _ = counted(edge) }
      return (kept, isFull())
    case .newestOfFew: return (Array(edges.prefix(Loss.few)), edges.count >= Loss.few)
    case .oldestOfFew: return (Array(edges.suffix(Loss.few)), edges.count >= Loss.few)
    }
  }
}

/// The levels of the lines that a machine can read.
enum LevelReading: CaseIterable {
  case unknown
  /// The levels after the edges read so far.
  case atOnce
  /// The levels 2 ms later, so that some edges may still be unread.
  case late
}

/// Reads the edges of ``RandomButtons``, early or late, with or without losses, and records a machine's events.
final class EdgeReader {
  let buttons: RandomButtons
  private(set) var machine: GestureMachine
  private(set) var events: [GestureEvent] = []
  /// Whether events and deadlines came in order of time.
  private(set) var isOrderly = true
  /// The number of readings after the last edge until the machine had no deadline left.
  private(set) var readingsAfterwards = 0

  /// When the levels are read, relative to the edges.
  private let levels: LevelReading

  /// - Parameter pauses: the longest time without reading, in milliseconds; 0: each edge is read at once.
  init(
    _ buttons: RandomButtons, _ table: GestureTable, seed: UInt64, pauses: Int, loss: Loss = .nothing,
    levels: LevelReading = .atOnce
  ) {
    self.buttons = buttons
    self.levels = levels
    machine = GestureMachine(table, origins: buttons.origins)
    var random = Lehmer(seed: seed &+ 99)
    var waiting: [ButtonEdge] = []
    var rest = buttons.edges[...]
    let quiet = buttons.end + .seconds(1)
    var now = Instant.zero
    while now < quiet || !rest.isEmpty {
      while let edge = rest.first, edge.instant <= now {
        rest.removeFirst()
        waiting.append(edge)
      }
      let (kept, isGapPossible) = loss.kept(waiting, &random)
      for origin in 0..<buttons.origins where isGapPossible {
        machine.mayHaveLost(Origin(number: origin), until: now)
      }
      read(kept, at: now)
      waiting = []
      let next = [rest.first?.instant, machine.deadline].compactMap(\.self).min() ?? quiet
      now = max(next, now) + (pauses > 0 ? .microseconds(Int64(random.below(pauses * 1_000))) : .zero)
    }
    while let deadline = machine.deadline, readingsAfterwards < 1_000 {
      read([], at: max(deadline, now))
      readingsAfterwards += 1
    }
  }

  private func read(_ edges: [ButtonEdge], at now: Instant) {
    func record(_ event: GestureEvent) {
      let last = events.last?.instant ?? event.instant
      if event.instant < last || event.press > event.instant || event.instant > now { isOrderly = false }
      events.append(event)
    }
    for edge in edges { machine.process(edge, record) }
    machine.settle(at: now, level: { level($0, $1, at: now) }, record)
    if let deadline = machine.deadline, deadline <= now { isOrderly = false }
  }

  private func level(_ button: Button, _ origin: Origin, at now: Instant) -> Bool? {
    switch levels {
    case .unknown: nil
    case .atOnce: buttons.isDown(button, origin, at: now)
    case .late: buttons.isDown(button, origin, at: now + .milliseconds(2))
    }
  }
}
