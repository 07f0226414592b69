import BoardSimulation
import MetronomeCore

/// The random choices of a life, all drawn from one seed.
struct Dice {
  private var random: SeededRandom

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  /// True with this probability, 0 to 1.
  mutating func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &random) < probability }

  mutating func pick<Element>(_ choices: [Element]) -> Element { choices.randomElement(using: &random)! }

  mutating func roll(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  /// A log-uniform span: 1 µs to 10 µs is as likely as 100 ms to 1 s.
  mutating func span(_ shortest: Nanoseconds, _ longest: Nanoseconds) -> Nanoseconds {
    // Halving and doubling give the same result on every machine; a C library's logarithm may not.
    var steps: [Int64] = [shortest.count]
    while let last = steps.last, last < longest.count { steps.append(min(longest.count, last * 2)) }
    let place = roll(0...max(0, steps.count - 2))
    let upper = steps[min(place + 1, steps.count - 1)]
    return Nanoseconds(Int64.random(in: steps[place]...upper, using: &random))
  }

  /// A uniformly distributed time between two times, in whole microseconds as a user would write it.
  mutating func time(_ earliest: Nanoseconds, _ latest: Nanoseconds) -> Nanoseconds {
    let low = earliest.count / 1_000
    return .microseconds(Int64.random(in: low...max(low, latest.count / 1_000), using: &random))
  }
}

extension Nanoseconds {
  /// The time rounded down to whole microseconds.
  var inMicroseconds: Nanoseconds { .microseconds(count / 1_000) }
}
