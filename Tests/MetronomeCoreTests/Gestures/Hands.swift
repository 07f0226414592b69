import MetronomeCore

/// Random hands on buttons that bounce, drawn from a seed: what the fingers do, and the edges that the lines see.
struct Hands {
  /// A finger on a button.
  struct Press {
    var button: Button
    var origin: Origin
    var down: Instant
    var up: Instant
  }

  let origins: Int
  private(set) var presses: [Press] = []
  /// Of each button of each origin.
  private var places: [[Press]]
  private(set) var edges: [ButtonEdge] = []
  private(set) var end = Instant.zero

  /// - Parameter losing: of a hundred, how many presses and releases lose all their edges.
  init(seed: UInt64, origins: Int = 2, losing: Int = 0) {
    self.origins = origins
    places = [[Press]](repeating: [], count: origins * Button.allCases.count)
    var random = Lehmer(seed: seed)
    for origin in 0..<origins {
      for button in Button.allCases where random.below(3) > 0 {
        var now = Instant.zero + .milliseconds(Int64(random.below(400)))
        for _ in 0..<random.below(10) {
          let held = Hands.span(&random)
          let press = Press(button: button, origin: Origin(number: origin), down: now, up: now + held)
          presses.append(press)
          places[origin * Button.allCases.count + button.index].append(press)
          if random.below(100) >= losing { bounce(.down, press, at: press.down, &random) }
          if random.below(100) >= losing { bounce(.up, press, at: press.up, &random) }
          now = press.up + .milliseconds(60) + Hands.span(&random)
        }
        end = max(end, now)
      }
    }
    edges = edges.enumerated().sorted { ($0.element.instant, $0.offset) < ($1.element.instant, $1.offset) }
      .map(\.element)
  }

  /// 35 ms to 4 s, most of them short, some at the very edges of what is short.
  private static func span(_ random: inout Lehmer) -> Nanoseconds {
    switch random.below(8) {
    case 0: .milliseconds(500) + Nanoseconds(Int64(random.below(3)) - 1)
    case 1: .milliseconds(Int64(500 + random.below(3_500)))
    case 2: .milliseconds(Int64(400 + random.below(200)))
    default: .microseconds(Int64(35_000 + random.below(250_000)))
    }
  }

  /// The first edge is the finger's; those after it go to and fro and end where the first led.
  private mutating func bounce(
    _ direction: ButtonEdge.Direction, _ press: Press, at instant: Instant, _ random: inout Lehmer
  ) {
    let other: ButtonEdge.Direction = direction == .down ? .up : .down
    edges.append(ButtonEdge(press.button, direction, at: instant, from: press.origin))
    var time = instant
    for _ in 0..<random.below(4) {
      for direction in [other, direction] {
        time = time + .microseconds(Int64(1 + random.below(1_200)))
        edges.append(ButtonEdge(press.button, direction, at: time, from: press.origin))
      }
    }
  }

  /// The press of a button of the box that an instant belongs to: the last one that had begun.
  func press(of button: Button, at instant: Instant) -> Int? {
    places[button.index].lastIndex { $0.down <= instant }
  }

  /// Whether a finger is on a button: what its line says when it does not bounce.
  func isDown(_ button: Button, _ origin: Origin, at now: Instant) -> Bool {
    let presses = places[origin.number * Button.allCases.count + button.index]
    return presses.contains { $0.down <= now && now < $0.up }
  }
}
