import MetronomeCore
import Testing

/// Presses of one button at a time, and edges that differ from the finger's movements.
@Suite struct PressTests {
  @Test func urgentShortPressesActAtTheEdge() {
    expect("7 play down, 100 play up", "7 play")
    expect("7 slower down, 100 slower up, 200 faster down, 300 faster up", "7 -1, 200 +1")
    expect("7 tap down, 600 tap up, 700 tap down", "7 tap, 700 tap")
    expect("7 preset_next down, 100 preset_next up, 200 preset_previous down", "7 nextPreset, 200 previousPreset")
  }

  @Test func nonUrgentShortPressesActOnRelease() {
    expect("7 numerator down, 100 numerator up", "100 nextNumerator of 7")
    expect("7 denominator down, 40 denominator up", "40 nextDenominator of 7")
    expect("0 preset_3 down, 80 preset_3 up", "80 recall3 of 0")
  }

  @Test func pressIsShortBelowHalfASecond() {
    expect("0 preset_1 down, 499 preset_1 up", "499 recall1 of 0")
    expect("0 preset_1 down, 499.999999 preset_1 up", "499.999999 recall1 of 0")
    expect("0 preset_1 down, 500 preset_1 up", "500 store1 of 0")
    expect("0 preset_1 down, 501 preset_1 up", "500 store1 of 0")
    expect("0 preset_1 down, 4000 preset_1 up", "500 store1 of 0")
  }

  @Test func longPressUndoesTheEdgeAction() {
    expect("0 play down, 499 play up", "0 play")
    expect("0 play down, 499.999999 play up", "0 play")
    expect("0 play down, 500 play up", "0 play, 500 silent of 0 not 0")
    expect("3 play down, 900 play up", "3 play, 503 silent of 3 not 3")
    expect("3 play down, 900 play up", "3 play, 503 silent of 3 not 3", levels: .unknown)
  }

  @Test func releaseAtTheInstantOfARepetitionPreventsIt() {
    expect("0 faster down, 499 faster up", "0 +1")
    expect("0 faster down, 500 faster up", "0 +1")
    expect("0 faster down, 500.000001 faster up", "0 +1, 500 +1 of 0")
    expect("0 faster down, 501 faster up", "0 +1, 500 +1 of 0")
    expect("0 faster down, 799 faster up", "0 +1, 500 +1 of 0")
    expect("0 faster down, 800 faster up", "0 +1, 500 +1 of 0")
    expect("0 faster down, 801 faster up", "0 +1, 500 +1 of 0, 800 +1 of 0")
    expect("0 numerator down, 499 numerator up", "499 nextNumerator of 0")
    expect("0 numerator down, 499.999999 numerator up", "499.999999 nextNumerator of 0")
    expect("0 numerator down, 500.000001 numerator up", "500 previousNumerator of 0")
    expect("0 numerator down, 501 numerator up", "500 previousNumerator of 0")
    expect("0 numerator down, 800 numerator up", "500 previousNumerator of 0")
    expect("0 numerator down, 800.000001 numerator up", "500 previousNumerator of 0, 800 previousNumerator of 0")
  }

  @Test(arguments: [nil, 500, 501, 4_000] as [Int64?])
  func pressOfARepeatingButtonIsShortAtExactlyHalfASecond(reading: Int64?) {
    let readings = reading.map { [$0] }
    expect("0 numerator down, 500 numerator up", "500 nextNumerator of 0", readings: readings)
    expect(
      "3 denominator down, 503 denominator up", "503 nextDenominator of 3", readings: readings.map { _ in [4_000] })
    expect("0 numerator down, 500 numerator down", "500 nextNumerator of 0", levels: .unknown, readings: readings)
    expect("0 faster down, 500 faster down", "0 +1", levels: .unknown, readings: readings)
    expect("0 preset_1 down, 500 preset_1 up", "500 store1 of 0", readings: readings)
  }

  @Test func pressWithoutHoldActionIsShortOnlyBelowHalfASecond() {
    var table = GestureTable()
    table.bind(.short(.numerator), to: .nextNumerator)
    table.bind(.chord(ButtonPair(.play, .numerator)!), to: .tellSignature)
    expect("0 numerator down, 499.999999 numerator up", "499.999999 nextNumerator of 0", table: table)
    expect("0 numerator down, 500 numerator up", "", table: table)
    expect("0 numerator down, 500.000001 numerator up", "", table: table)
  }

  @Test(arguments: [nil, 4_000] as [Int64?])
  func releasePreventsARepetitionEvenIfAnotherButtonsEdgeIsReadFirst(reading: Int64?) {
    let readings = reading.map { [$0] }
    expect("0 faster down, 500 tap down, 500 faster up", "0 +1, 500 tap", readings: readings)
    expect("0 faster down, 500 tap down, 501 faster up", "0 +1, 500 tap, 500 +1 of 0", readings: readings)
    expect("0 numerator down, 500 tap down, 500 numerator up", "500 tap, 500 nextNumerator of 0", readings: readings)
  }

  /// A held button repeats on schedule. The times are relative to the press.
  @Test(arguments: [0, 1_000, 86_400_007]) func heldButtonRepeatsOnSchedule(press: Int) {
    let once = [
      500, 800, 1_040, 1_232, 1_385, 1_507, 1_604, 1_681, 1_742, 1_790, 1_830, 1_870, 1_910, 1_950, 1_990,
    ]
    var expected = ["\(press) +1"] + once.map { "\(press + $0) +1 of \(press)" }
    for (index, instant) in stride(from: 2_030, to: 3_000, by: 40).enumerated() {
      expected.append("\(press + instant) +\(min(index + 2, 5)) of \(press)")
    }
    let faster = "\(press) faster down, \(press + 3_000) faster up"
    expect(faster, expected.joined(separator: ", "))
    expect(faster, expected.joined(separator: ", "), levels: .unknown)
    let down = expected.map { $0.split(separator: "+").joined(separator: "-") }
    expect("\(press) slower down, \(press + 3_000) slower up", down.joined(separator: ", "))
  }

  @Test func bouncesDoNotCountAsPresses() {
    expect("0 play down, 1 play up, 2 play down, 24.999999 play up, 60 play down, 99 play up", "0 play, 60 play")
    expect("0 tap down, 24 tap up, 24.5 tap down, 200 tap up, 203 tap down, 204 tap up", "0 tap")
    expect("0 tap down, 100 tap up, 124 tap down, 300 tap up", "0 tap")
    expect("0 tap down, 100 tap up, 125 tap down, 300 tap up", "0 tap, 125 tap")
    expect("0 tap down, 100 tap up, 126 tap down, 300 tap up", "0 tap, 126 tap")
    expect("0 numerator down, 24 numerator up", "25 nextNumerator of 0")
    expect("0 numerator down, 25 numerator up", "25 nextNumerator of 0")
    expect("0 numerator down, 26 numerator up", "26 nextNumerator of 0")
  }

  @Test func configuredLockOutApplies() {
    let late = Nanoseconds.milliseconds(40)
    expect("0 tap down, 100 tap up, 140 tap down, 200 tap up", "0 tap, 140 tap", lockOut: late)
    expect("0 tap down, 10 tap up, 39 tap down, 200 tap up", "0 tap", lockOut: late)
    expect("0 tap down, 100 tap up, 139 tap down, 200 tap up", "0 tap", lockOut: late)
    expect("0 tap down, 10 tap up, 51 tap down", "0 tap, 51 tap", lockOut: .milliseconds(1))
  }

  @Test func lostReleaseIsDetectedFromTheLevel() {
    expect("0 faster down, 850 faster up lost", "0 +1, 500 +1 of 0, 800 +1 of 0")
    expect("0 faster down, 499 faster up lost", "0 +1")
    expect("0 play down, 300 play up lost", "0 play")
    expect("0 preset_1 down, 300 preset_1 up lost, 900 preset_1 down, 950 preset_1 up", "950 recall1 of 900")
    expect("0 numerator down, 99 numerator up lost", "")
    expect(
      "0 numerator down, 99 numerator up lost, 300 numerator down, 350 numerator up", "350 nextNumerator of 300")
    expect("0 numerator down, 20 numerator up lost", "25 nextNumerator of 0")
  }

  @Test func repeatedDownEdgeIsAReleaseWithoutLevels() {
    expect("0 tap down, 200 tap down", "0 tap", levels: .unknown)
    expect("0 tap down, 24 tap down, 50 tap up", "0 tap", levels: .unknown)
    expect("0 tap down, 25 tap down, 50 tap up", "0 tap", levels: .unknown)
    expect("0 tap down, 200 tap down, 300 tap up, 400 tap down", "0 tap, 400 tap", levels: .unknown)
    expect("0 numerator down, 200 numerator down, 300 numerator up", "200 nextNumerator of 0", levels: .unknown)
    expect("0 numerator down, 501 numerator down", "500 previousNumerator of 0", levels: .unknown)
    expect("0 faster down, 600 faster down, 700 faster up", "0 +1, 500 +1 of 0", levels: .unknown)
  }

  /// A doubtful release is polled until it is certain. An edge of another button is read at the end of the lock-out of a press
  /// of 5 ms; a longer press follows.
  @Test func doubtfulReleaseIsPolledUntilItIsCertain() {
    let presses = "0 tap down, 5 tap up, 60 play down, 80 play up, 300 tap down"
    expect(presses, "0 tap, 60 play, 300 tap", readings: [0, 61, 125, 150, 300], lossUntil: 61)
    expect(presses, "0 tap, 60 play", levels: .unknown, readings: [0, 61, 125, 150, 300, 330], lossUntil: 61)
    expect(presses, "0 tap, 60 play, 300 tap", levels: .unknown, readings: [0, 61, 125, 150, 300, 330])
    var machine = GestureMachine(.standard)
    machine.mayHaveLost(until: .zero + .seconds(1))
    _ = PressScript("0 tap down, 5 tap up, 60 play down, 160 play up").gestures(&machine, levels: .unknown)
    #expect(machine.deadline == nil)
  }

  @Test func repeatedDownEdgeIsOnePressUntilARelease() {
    let presses = "0 tap down, 190 tap up lost, 200 tap down"
    expect(presses, "0 tap", readings: [0, 25, 200, 225])
    expect(presses, "0 tap", readings: [300])
    expect(presses + ", 280 tap up", "0 tap", readings: [300])
    expect(presses + ", 280 tap up, 310 tap down", "0 tap, 310 tap")
    expect(presses + ", 280 tap up lost, 480 tap down", "0 tap, 480 tap", readings: [0, 25, 200, 225, 325, 350, 480])
  }

  @Test func lostPressDoesNotCount() {
    expect("100 play up, 125 play down, 200 play up", "125 play")
    expect("0 play down lost, 100 play up, 200 play down, 300 play up", "200 play")
    expect("0 faster down lost, 3000 faster up", "")
    expect("100 play up, 110 play down, 200 play up, 300 play down, 400 play up", "300 play")
  }

  private static let readingTimes: [[Int64]?] = [nil, [4_000], [0, 110, 220, 330, 440, 550, 660, 2_000]]
  private static let levels: [PressScript.Levels] = [.known, .unknown]

  /// A press may be shorter than the lock-out: clicks of 1 ms, 26, 100 or 200 ms apart, and presses of 1 to 26 ms.
  @Test(arguments: readingTimes, levels)
  func pressMayBeShorterThanTheLockOut(readings: [Int64]?, levels: PressScript.Levels) {
    for (interval, count) in [(100, 6), (200, 3), (26, 6)] {
      let instants = (0..<count).map { $0 * interval }
      let clicks = instants.map { "\($0) tap down, \($0 + 1) tap up" }.joined(separator: ", ")
      let presses = instants.map { "\($0) tap" }.joined(separator: ", ")
      expect(clicks, presses, levels: levels, readings: readings)
    }
    for length in [1, 24, 25, 26] {
      let next = length + 25
      let presses = "0 tap down, \(length) tap up, \(next) tap down, \(next + length) tap up"
      expect(presses, "0 tap, \(next) tap", levels: levels, readings: readings)
    }
  }

  /// A momentary opening is not a new press. The button was down for a second.
  @Test(arguments: readingTimes, levels) func momentaryOpeningIsNotANewPress(
    readings: [Int64]?, levels: PressScript.Levels
  ) {
    let held = "0 tap down, 1000 tap up"
    expect("\(held), 1000.500000 tap down, 1450 tap up", "0 tap", levels: levels, readings: readings)
    expect("\(held), 1024 tap down, 1450 tap up, 1500 tap down", "0 tap, 1500 tap", levels: levels, readings: readings)
    expect("\(held), 1024.999999 tap down, 1450 tap up", "0 tap", levels: levels, readings: readings)
    expect("\(held), 1025 tap down, 1450 tap up", "0 tap, 1025 tap", levels: levels, readings: readings)
    expect("\(held), 1026 tap down, 1450 tap up", "0 tap, 1026 tap", levels: levels, readings: readings)
  }

  @Test(arguments: readingTimes, levels) func momentaryOpeningCausesNoEvents(
    readings: [Int64]?, levels: PressScript.Levels
  ) {
    expect("0 play down, 300 play up, 301 play down, 1200 play up", "0 play", levels: levels, readings: readings)
    expect(
      "0 faster down, 600 faster up, 624 faster down, 1900 faster up", "0 +1, 500 +1 of 0", levels: levels,
      readings: readings)
    expect(
      "0 preset_1 down, 300 preset_1 up, 310 preset_1 down, 400 preset_1 up", "300 recall1 of 0", levels: levels,
      readings: readings)
    expect(
      "0 preset_1 down, 600 preset_1 up, 610 preset_1 down, 700 preset_1 up", "500 store1 of 0", levels: levels,
      readings: readings)
    expect(
      "0 slower down, 300 slower up, 310 slower down, 400 faster down, 450 faster up", "0 -1, 400 +1", levels: levels,
      readings: readings)
    expect(
      "0 tap down, 20 tap up, 30 tap down, 300 tap up, 330 tap down", "0 tap, 330 tap", levels: levels,
      readings: readings)
  }

  @Test func buttonIsDownAfterAMomentaryOpening() {
    var machine = GestureMachine(.standard)
    _ = PressScript("0 play down, 300 play up, 301 play down").gestures(&machine, readings: [0, 200, 400])
    #expect(machine.isDown(.play))
    #expect(machine.deadline == .zero + .milliseconds(500))
  }

  /// A press after the lock-out counts from its edge, even if the level is read before the edge, or if the edge was lost.
  @Test func pressAfterTheLockOutCountsFromItsEdge() {
    expect("0 play down, 100 play up, 120 play down lost, 300 play up", "0 play")
    expect("0 play down, 100 play up, 120 play down lost", "0 play", readings: [0, 100, 1_000])
    expect("0 tap down, 1 tap up, 60 tap down lost, 90 tap up", "0 tap", readings: [0, 80, 1_000])
  }

  @Test func releaseThatIsFoundLateCountsFromTheLevelReading() {
    expect("0 numerator down, 499 numerator up lost", "25 nextNumerator of 0", readings: [0, 499])
    expect("0 preset_1 down, 499 preset_1 up lost", "25 recall1 of 0", readings: [0, 499])
    expect("0 preset_1 down, 500 preset_1 up lost", "", readings: [0, 500])
    expect("0 numerator down, 900 numerator up lost", "", readings: [0, 900])
  }

  @Test func releaseThatIsReadAfterTheLevelIsNotLost() {
    var machine = GestureMachine(.standard)
    var result: [String] = []
    func note(_ event: GestureEvent) { result.append(PressScript.text(event)) }
    let start = Instant.zero
    machine.process(ButtonEdge(.numerator, .down, at: start), note)
    machine.settle(at: start + .milliseconds(25), level: { _, _ in true }, note)
    machine.settle(at: start + .milliseconds(125), level: { _, _ in false }, note)
    #expect(!machine.isDown(.numerator))
    machine.process(ButtonEdge(.numerator, .up, at: start + .microseconds(125_010)), note)
    machine.process(ButtonEdge(.numerator, .down, at: start + .microseconds(126_000)), note)
    machine.process(ButtonEdge(.numerator, .up, at: start + .microseconds(127_000)), note)
    machine.settle(at: start + .seconds(1), level: { _, _ in false }, note)
    #expect(result == ["125.01 nextNumerator of 0"])
    #expect(machine.deadline == nil)
  }
}
