import BoardSimulation
import MetronomeCore

/// What chance decides in a life, all of it drawn from one seed.
struct Dice {
  private var random: SeededRandom

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  /// Whether something happens that does so with this probability, 0 to 1.
  mutating func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &random) < probability }

  mutating func pick<Element>(_ choices: [Element]) -> Element { choices.randomElement(using: &random)! }

  mutating func roll(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  /// A span of which each magnitude is as likely as the next: 1 µs to 10 µs as 100 ms to 1 s.
  mutating func span(_ shortest: Nanoseconds, _ longest: Nanoseconds) -> Nanoseconds {
    // By halving and doubling only: the same on every machine, which a logarithm of some C library may not be.
    var steps: [Int64] = [shortest.count]
    while let last = steps.last, last < longest.count { steps.append(min(longest.count, last * 2)) }
    let place = roll(0...max(0, steps.count - 2))
    let upper = steps[min(place + 1, steps.count - 1)]
    return Nanoseconds(Int64.random(in: steps[place]...upper, using: &random))
  }

  /// A time between two, each as likely as the next, in whole microseconds as a person would write it.
  mutating func time(_ earliest: Nanoseconds, _ latest: Nanoseconds) -> Nanoseconds {
    let low = earliest.count / 1_000
    return .microseconds(Int64.random(in: low...max(low, latest.count / 1_000), using: &random))
  }
}

extension Nanoseconds {
  /// The whole microseconds of it.
  var inMicroseconds: Nanoseconds { .microseconds(count / 1_000) }
}
