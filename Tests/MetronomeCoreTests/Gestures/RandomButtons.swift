import MetronomeCore
import TestSupport

/// Bouncing buttons that are pressed at random: the presses of the fingers, and the edges on the lines. A seed determines both.
struct RandomButtons {
  enum Manner {
    /// Presses of 35 ms and more, pauses of 60 ms and more.
    case calm
    /// Presses of 1 ms and more, pauses of 26 ms and more after the last bounce. Contacts open for moments while held, and
    /// settle again within the lock-out.
    case hasty
  }

  /// One press of a button.
  struct Press {
    var button: Button
    var origin: Origin
    var down: Instant
    var up: Instant
  }

  let origins: Int
  private(set) var presses: [Press] = []
  /// The presses of each button of each origin.
  private var places: [[Press]]
  private(set) var edges: [ButtonEdge] = []
  /// The edges of each button of each origin, including lost ones.
  private var lines: [[ButtonEdge]]
  private(set) var end = Instant.zero

  /// - Parameter losing: the percentage of presses and releases that lose all their edges.
  init(seed: UInt64, origins: Int = 2, losing: Int = 0, manner: Manner = .calm) {
    self.origins = origins
    lines = [[ButtonEdge]](repeating: [], count: origins * Button.standard.count)
    places = [[Press]](repeating: [], count: origins * Button.standard.count)
    var random = Lehmer(seed: seed)
    for origin in 0..<origins {
      for button in Button.standard where random.below(3) > 0 {
        var now = Instant.zero + .milliseconds(Int64(random.below(400)))
        for _ in 0..<random.below(10) {
          let held = RandomButtons.span(manner, &random)
          let press = Press(button: button, origin: Origin(number: origin), down: now, up: now + held)
          presses.append(press)
          places[origin * Button.standard.count + button.index].append(press)
          let first = min(held.count / 2_000, 7_200)
          bounce(.down, press, at: press.down, within: Int(first), isLost: random.below(100) < losing, &random)
          if manner == .hasty { addMomentaryOpenings(press, &random) }
          let rest = bounce(.up, press, at: press.up, within: 7_200, isLost: random.below(100) < losing, &random)
          switch manner {
          case .calm: now = press.up + .milliseconds(60) + RandomButtons.span(manner, &random)
          case .hasty: now = rest + .microseconds(Int64(26_000 + random.below(90_000)))
          }
        }
        end = max(end, now)
      }
    }
    edges = edges.enumerated().sorted { ($0.element.instant, $0.offset) < ($1.element.instant, $1.offset) }
      .map(\.element)
  }

  /// A duration of 35 ms to 4 s. Most durations are short, and some are within a nanosecond of the limit. Most hasty presses
  /// are shorter than a lock-out or about as long.
  private static func span(_ manner: Manner, _ random: inout Lehmer) -> Nanoseconds {
    if manner == .hasty, random.below(3) > 0 {
      return random.below(4) > 0
        ? .microseconds(Int64(1_000 + random.below(25_000)))
        : .milliseconds(25) + Nanoseconds(Int64(random.below(3)) - 1)
    }
    return switch random.below(8) {
    case 0: .milliseconds(500) + Nanoseconds(Int64(random.below(3)) - 1)
    case 1: .milliseconds(Int64(500 + random.below(3_500)))
    case 2: .milliseconds(Int64(400 + random.below(200)))
    default: .microseconds(Int64(35_000 + random.below(250_000)))
    }
  }

  /// Adds momentary openings to a press. The contact opens for 0.1 to 20 ms, then stays closed for at least 60 ms. The finger
  /// releases the button after that lock-out.
  private mutating func addMomentaryOpenings(_ press: Press, _ random: inout Lehmer) {
    var time = press.down + .microseconds(Int64(8_000 + random.below(200_000)))
    for _ in 0..<random.below(4) {
      let end = time + .microseconds(Int64(100 + random.below(19_900)))
      guard max(end, time + .milliseconds(22)) + .milliseconds(4) < press.up else { return }
      bounce(.up, press, at: time, within: 50, &random)
      bounce(.down, press, at: end, within: 4_000, &random)
      time = end + .microseconds(Int64(60_000 + random.below(300_000)))
    }
  }

  /// Adds the edges of a press or release. The finger causes the first edge. The bounces after it alternate, and end in the
  /// direction of the first edge.
  ///
  /// - Parameter span: the longest duration of the bounces in microseconds.
  /// - Returns: the instant at which the contact has settled.
  @discardableResult
  private mutating func bounce(
    _ direction: ButtonEdge.Direction, _ press: Press, at instant: Instant, within span: Int, isLost: Bool = false,
    _ random: inout Lehmer
  ) -> Instant {
    let other: ButtonEdge.Direction = direction == .down ? .up : .down
    var time = instant
    var burst = [ButtonEdge(press.button, direction, at: instant, from: press.origin)]
    for _ in 0..<random.below(4) {
      for direction in [other, direction] {
        time = time + .microseconds(Int64(1 + random.below(max(span / 6, 1))))
        burst.append(ButtonEdge(press.button, direction, at: time, from: press.origin))
      }
    }
    lines[press.origin.number * Button.standard.count + press.button.index] += burst
    if !isLost { edges += burst }
    return time
  }

  /// The index of the press to which an instant belongs, for a button of the box: the last press that had begun.
  func press(of button: Button, at instant: Instant) -> Int? {
    places[button.index].lastIndex { $0.down <= instant }
  }

  /// The level of a button's line.
  func isDown(_ button: Button, _ origin: Origin, at now: Instant) -> Bool {
    let edges = lines[origin.number * Button.standard.count + button.index]
    return edges.last { $0.instant <= now }?.direction == .down
  }
}
