import MetronomeCore

/// Edges of all buttons of several origins: overlapping presses of 1 ms to 2 s, most with bounces.
enum RandomEdges {
  static func make(_ count: Int, origins: Int) -> [ButtonEdge] {
    var random = Random()
    var isDown = [Bool](repeating: false, count: origins * Button.standard.count)
    var edges: [ButtonEdge] = []
    edges.reserveCapacity(count)
    var now = Instant.zero
    while edges.count < count {
      let place = random.below(isDown.count)
      let button = Button.standard[place % Button.standard.count]
      let origin = Origin(number: place / Button.standard.count)
      // The edge of the press itself and an even number of bounces.
      for _ in 0..<(1 + 2 * random.below(3)) {
        isDown[place].toggle()
        edges.append(ButtonEdge(button, isDown[place] ? .down : .up, at: now, from: origin))
        now = now + .microseconds(Int64(50 + random.below(1_500)))
      }
      now = now + .milliseconds(Int64(random.below(20) == 0 ? random.below(700) : random.below(40)))
    }
    return edges
  }

  /// A linear congruential generator: the same numbers on every machine.
  private struct Random {
    private var state: UInt64 = 1

    mutating func below(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(bound))
    }
  }
}
