import MetronomeCore

/// How contacts bounce: for up to 5 ms after it closed or opened a contact opens and closes again a few times.
public struct Bounces: Sendable {
  private static let longest = Nanoseconds.milliseconds(5)
  private var random: SeededRandom

  public init(seed: UInt64) { random = SeededRandom(seed: seed) }

  /// Adds bounces to the edges of one button, which alternate. Each contact has come to rest before it moves again.
  mutating func applied(to edges: [ButtonEdge]) -> [ButtonEdge] {
    var result: [ButtonEdge] = []
    for (index, edge) in edges.enumerated() {
      let next = index + 1 < edges.count ? edges[index + 1].instant : edge.instant + Bounces.longest
      let room = min(Bounces.longest, next - edge.instant).count
      let pairs = Int.random(in: 0...4, using: &random)
      let times = (0..<2 * pairs).map { _ in Int64.random(in: 0...max(0, room - 1), using: &random) }.sorted()
      result.append(edge)
      for (place, time) in times.enumerated() {
        let opposite: ButtonEdge.Direction = edge.direction == .down ? .up : .down
        result.append(
          ButtonEdge(
            edge.button, place.isMultiple(of: 2) ? opposite : edge.direction, at: edge.instant + Nanoseconds(time)))
      }
    }
    return result
  }
}
