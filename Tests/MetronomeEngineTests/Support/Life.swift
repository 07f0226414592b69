import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// Random settings, and a hand that presses at random.
struct Life {
  var settings: Settings
  var script: Script
  var length: Nanoseconds

  init(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let limit = NumeratorLimit.allCases.randomElement(using: &random)!
    let denominator = limit.denominators.randomElement(using: &random)!
    let numerator = Int.random(in: 1...limit.highestNumerator(over: denominator), using: &random)
    settings = Settings(
      tempo: Tempo(milliBPM: .random(in: 1_000...999_000, using: &random))!,
      signature: Signature(numerator, over: denominator, limit: limit)!, limit: limit)
    script = Script()
    var time = Nanoseconds.zero
    for _ in 0..<40 {
      time = time + Nanoseconds(.random(in: 0...500_000_000, using: &random))
      let held = Nanoseconds(.random(in: 1_000_000...400_000_000, using: &random))
      script.press(Button.allCases.randomElement(using: &random)!, at: time, for: held)
    }
    length = time + .seconds(2)
  }
}
