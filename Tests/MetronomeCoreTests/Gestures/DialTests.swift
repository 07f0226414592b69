import MetronomeCore
import Testing

@Suite struct DialTests {
  private let pedal = Origin(number: 1)

  /// The tempo steps that result from turns of the tempo dial, given as `milliseconds detents [origin]`.
  private func steps(_ text: String) -> [Int] {
    var machine = DialMachine()
    var steps: [Int] = []
    for turn in text.split(separator: ",") {
      let numbers = turn.split(separator: " ").map { Int64($0)! }
      let origin = Origin(number: numbers.count > 2 ? Int(numbers[2]) : 1)
      let instant = Instant.zero + .milliseconds(numbers[0])
      machine.process(DialTurn(.tempo, by: Int(numbers[1]), at: instant, from: origin)) { event in
        let isUp = event.command == .stepTempo(byMilliBPM: 1_000)
        #expect(isUp || event.command == .stepTempo(byMilliBPM: -1_000))
        #expect(event.instant == instant && event.press == instant && event.undoes == nil)
        steps.append(isUp ? event.steps : -event.steps)
      }
    }
    return steps
  }

  /// One, two and the most detents forward and backward, and no turn, as manuals of controllers list them.
  @Test(arguments: [
    (TurnEncoding.twosComplement, [1, 2, 63], [127, 126, 65], [0]),
    (.signMagnitude, [1, 2, 63], [65, 66, 127], [0, 64]),
    (.offset64, [65, 66, 127], [63, 62, 1], [64]),
  ])
  func valuesAreDetents(encoding: TurnEncoding, forward: [Int], backward: [Int], none: [Int]) {
    #expect(forward.map(encoding.detents) == [1, 2, 63])
    #expect(backward.map(encoding.detents) == [-1, -2, -63])
    #expect(none.allSatisfy { encoding.detents($0) == 0 })
    // Each value means another turn, except for the two of sign and magnitude that mean none.
    #expect(Set((0...127).map(encoding.detents)).count == 129 - none.count)
  }

  @Test func fastTurnsMakeLargerSteps() {
    #expect(
      steps("0 1, 100 1, 199 1, 249 1, 283 1, 316 1, 341 1, 362 1, 382 1, 383 1") == [1, 1, 1, 2, 2, 3, 4, 4, 5, 5])
    #expect(steps("0 1, 1000 1, 1051 1, 1101 1") == [1, 1, 1, 2])
    #expect(steps("0 1, 0 1") == [1, 5])
  }

  @Test func turnSpeedIsExactToTheNanosecond() {
    let cases: [(late: Nanoseconds, expected: Int)] = [(.zero, 2), (Nanoseconds(1), 1), (.microseconds(500), 1)]
    for (late, expected) in cases {
      var machine = DialMachine()
      var steps: [Int] = []
      let instants: [Instant] = [.zero, .zero + .milliseconds(50) + late]
      for instant in instants {
        machine.process(DialTurn(.tempo, by: 1, at: instant, from: pedal)) { steps.append($0.steps) }
      }
      #expect(steps == [1, expected])
    }
  }

  @Test func changeOfDirectionOrDeviceResetsTheSpeed() {
    #expect(steps("0 1, 20 1, 40 -1, 60 -1, 80 1") == [1, 5, -1, -5, 1])
    #expect(steps("0 1 1, 20 1 2, 40 1 2, 60 1 1") == [1, 1, 5, 1])
  }

  @Test func detentsOfOneTurnHaveTheSameSpeed() {
    #expect(steps("0 3, 50 2, 70 -4, 90 -2") == [3, 4, -4, -10])
    #expect(steps("0 0") == [])
    #expect(steps("0 \(Int.min), 200 \(Int.max)") == [-128, 128])
  }

  @Test func otherDialsStepOncePerDetent() {
    var machine = DialMachine()
    var commands: [Command] = []
    for (dial, detents) in [(Dial.numerator, 2), (.numerator, -1), (.denominator, 1), (.denominator, -1)] {
      machine.process(DialTurn(dial, by: detents, at: .zero, from: pedal)) { commands.append($0.command) }
    }
    for detents in [1, -2] {
      machine.process(DialTurn(.preset, by: detents, at: .zero, from: pedal)) {
        #expect($0.steps == 1)
        commands.append($0.command)
      }
    }
    #expect(
      commands == [
        .nextNumerator, .nextNumerator, .previousNumerator, .nextDenominator, .previousDenominator, .nextPreset,
        .previousPreset, .previousPreset,
      ])
  }
}
