import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// Random settings and random button presses.
///
/// Every press causes one command, at its edge, so that the expected beats follow from the reported states.
struct RandomRun {
  /// The commands of the buttons.
  static let gestures = GestureTable(shorts: [
    .play: .togglePlaying, .slower: .stepTempo(byMilliBPM: -1_000), .faster: .stepTempo(byMilliBPM: 1_000),
    .numerator: .nextNumerator, .denominator: .nextDenominator,
  ])

  var settings: Settings
  var script: Script
  var length: Nanoseconds

  init(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let limit = NumeratorLimit.allCases.randomElement(using: &random)!
    let denominator = limit.denominators.randomElement(using: &random)!
    let numerator = Int.random(in: 1...limit.highestNumerator(over: denominator), using: &random)
    settings = Settings(
      Music(
        tempo: Tempo(milliBPM: .random(in: 1_000...999_000, using: &random))!,
        signature: Signature(numerator, over: denominator, limit: limit)!), limit: limit)
    let buttons: [Button] = [.play, .slower, .faster, .numerator, .denominator, .tap]
    script = Script()
    var time = Nanoseconds.zero
    for _ in 0..<40 {
      time = time + Nanoseconds(.random(in: 0...500_000_000, using: &random))
      let held = Nanoseconds(.random(in: 1_000_000...400_000_000, using: &random))
      script.press(buttons.randomElement(using: &random)!, at: time, for: held)
    }
    length = time + .seconds(2)
  }
}
