import MetronomeCore
import Testing

/// Buttons of several origins, devices that are removed, and edges that are read late.
@Suite struct LateReadingTests {
  @Test func originsHaveSeparateContacts() {
    expect("0 play down, 10 play@1 down, 100 play up, 110 play@1 up", "0 play, 10 play")
    expect(
      "0 faster down, 100 faster@1 down, 700 faster up, 701 faster@1 up",
      "0 +1, 100 +1, 500 +1 of 0, 600 +1 of 100")
    expect(
      "0 play@1 down, 3 play@1 up, 4 play down, 5 play@1 down, 300 play@1 up", "0 play, 4 play, 504 silent of 4 not 4")
  }

  @Test func removedDeviceCausesNoEvents() {
    expect("0 faster@1 down, 700 interrupt@1", "0 +1, 500 +1 of 0")
    expect("0 numerator@1 down, 100 interrupt@1, 200 numerator@1 up", "")
    expect("0 play@1 down, 100 interrupt@1, 200 play@1 down, 300 play@1 up", "0 play, 200 play")
    expect("0 play@1 down, 10 interrupt@1", "0 play")
    expect("0 faster down, 100 interrupt@1, 600 faster up", "0 +1, 500 +1 of 0")
    expect("0 slower@1 down, 50 interrupt@1, 80 faster down, 100 faster up", "0 -1, 80 +1")
  }

  @Test func removedDeviceHasNoDeadline() {
    var machine = GestureMachine(.standard, origins: 2)
    machine.process(ButtonEdge(.faster, .down, at: .zero, from: Origin(number: 1))) { _ in }
    #expect(machine.deadline == .zero + .milliseconds(25))
    machine.interrupt(Origin(number: 1), at: .zero + .milliseconds(5))
    #expect(machine.deadline == nil)
    #expect(!machine.isDown(.faster, Origin(number: 1)))
  }

  @Test func machineReportsTheContactsDeadlines() {
    var machine = GestureMachine(.standard)
    var deadlines: [Int64] = []
    machine.process(ButtonEdge(.play, .down, at: .zero)) { _ in }
    while let deadline = machine.deadline, deadline < .zero + .milliseconds(700) {
      deadlines.append(deadline.nanoseconds / 1_000_000)
      machine.settle(at: deadline, level: { _, _ in true }) { _ in }
    }
    #expect(deadlines == [25, 125, 225, 325, 425, 500, 600])
    machine.process(ButtonEdge(.play, .up, at: .zero + .milliseconds(700))) { _ in }
    machine.settle(at: .zero + .milliseconds(725), level: { _, _ in false }) { _ in }
    #expect(machine.deadline == nil)
  }

  @Test func chordButtonHasNoHoldDeadline() {
    var machine = GestureMachine(.standard)
    var deadlines: [Int64] = []
    machine.process(ButtonEdge(.play, .down, at: .zero)) { _ in }
    machine.settle(at: .zero + .milliseconds(425), level: { _, _ in true }) { _ in }
    machine.process(ButtonEdge(.faster, .down, at: .zero + .milliseconds(450))) { _ in }
    while let deadline = machine.deadline, deadline < .zero + .milliseconds(600) {
      deadlines.append(deadline.nanoseconds / 1_000_000)
      machine.settle(at: deadline, level: { _, _ in true }) { _ in }
    }
    #expect(deadlines == [475, 525, 575])
  }

  @Test func lateReadingChangesNothing() {
    let presses = "0 faster down, 1100 faster up, 1200 play down, 1250 numerator down, 1300 play up, 1400 numerator up"
    let events = "0 +1, 500 +1 of 0, 800 +1 of 0, 1040 +1 of 0, 1200 play, 1250 tellSignature not 1200"
    expect(presses, events)
    expect(presses, events, readings: [1_400])
    expect(presses, events, readings: [600, 1_240, 1_900])
    expect("0 preset_1 down, 300 preset_1 up", "300 recall1 of 0", readings: [5_000])
    expect("0 preset_1 down, 600 preset_1 up, 700 tap down", "500 store1 of 0, 700 tap", readings: [5_000])
  }

  @Test func deadlinesOfSeveralContactsAreProcessedInOrder() {
    expect(
      "0 faster down, 100 preset_1 down, 250 slower@1 down, 900 tap down",
      "0 +1, 250 resetTempo not 0, 600 store1 of 100, 900 tap", readings: [900])
    expect(
      "0 faster down, 100 preset_1 down, 550 slower@1 down, 1060 tap down",
      "0 +1, 500 +1 of 0, 550 -1, 600 store1 of 100, 800 +1 of 0, 1040 +1 of 0, 1050 -1 of 550, 1060 tap",
      readings: [1_060])
  }

  @Test func repetitionsOfTheLastTwoSecondsAreMadeUpAfterAStall() {
    // Repetitions are due at 57,990 and 58,030 ms. The stall ends at 60 s, so only the second repetition is made up.
    var machine = GestureMachine(.standard)
    let presses = PressScript("0 faster down")
    let events = presses.gestures(&machine, readings: [0, 60_000]).split(separator: ", ")
    #expect(events.count == 51)
    #expect(events[1] == "58030 +5 of 0")
    #expect(events[50] == "59990 +5 of 0")
    #expect(machine.deadline == .zero + .milliseconds(60_030))
  }

  /// All repetitions of the last two seconds are made up, including a repetition that was due exactly 2 s ago.
  @Test(arguments: [(2_500, "500", 27), (2_800, "800", 34), (2_801, "1040", 33), (4_110, "2110", 51)])
  func repetitionsOfTheLastTwoSecondsAreComplete(end: Int64, first: String, count: Int) {
    var machine = GestureMachine(.standard)
    let events = PressScript("0 faster down").gestures(&machine, readings: [0, end]).split(separator: ", ")
    #expect(events[1].hasPrefix(first + " "))
    #expect(events.count - 1 == count)
  }

  /// Only the last two seconds of a stall are made up. The limit is exact to the nanosecond if the intervals are constant, and
  /// the time needed is bounded even after a century.
  @Test(arguments: [(60_030, 0, 58_030, 51), (60_030, 1, 58_070, 50), (3_000_000_000_030, 0, 2_999_999_998_030, 51)])
  func onlyTheLastTwoSecondsOfAStallAreMadeUp(end: Int64, late: Int64, first: Int64, count: Int) {
    var machine = GestureMachine(.standard)
    machine.process(ButtonEdge(.faster, .down, at: .zero)) { _ in }
    var instants: [Instant] = []
    machine.settle(at: Instant.zero + (.milliseconds(end) + Nanoseconds(late)), level: { _, _ in true }) {
      instants.append($0.instant)
    }
    #expect(instants.first == .zero + .milliseconds(first))
    #expect(instants.count == count)
  }

  @Test func levelIsReadOncePerSettle() {
    var machine = GestureMachine(.standard)
    var (levels, events) = (0, 0)
    machine.process(ButtonEdge(.faster, .down, at: .zero)) { _ in }
    for (now, expected) in [(25, 1), (2_000, 2)] as [(Int64, Int)] {
      let level = { (_: Button, _: Origin) in
        levels += 1
        return true
      }
      machine.settle(at: .zero + .milliseconds(now), level: level) { _ in events += 1 }
      #expect(levels == expected)
    }
    #expect(events == 15)
  }

  @Test func repetitionsBeforeALateReleaseAreMadeUpForTwoSeconds() {
    let events = "0 +1, 500 +1 of 0, 800 +1 of 0, 1040 +1 of 0, 1232 +1 of 0, 1385 +1 of 0, 1507 +1 of 0"
    expect("0 faster down, 1600 faster up", events, readings: [600_000])
    var machine = GestureMachine(.standard)
    let all = PressScript("0 faster down, 600000 faster up").gestures(&machine, readings: [900_000])
    let later = all.split(separator: ", ")
    #expect(later.count == 51)
    #expect(later[1] == "598030 +5 of 0")
    #expect(later[50] == "599990 +5 of 0")
  }

  @Test func longPressThatIsReadLateIsStillLong() {
    expect("0 play down", "0 play, 500 silent of 0 not 0", readings: [0, 60_000])
    expect("0 play down, 59000 play up lost", "0 play", readings: [0, 60_000])
  }

  @Test func everyPressUpdatesTheLastTouch() {
    var machine = GestureMachine(GestureTable(), origins: 2)
    #expect(machine.lastTouch == nil)
    machine.process(ButtonEdge(.tap, .down, at: .zero + .milliseconds(7), from: Origin(number: 1))) { _ in }
    #expect(machine.lastTouch == .zero + .milliseconds(7))
    machine.process(ButtonEdge(.tap, .up, at: .zero + .milliseconds(90), from: Origin(number: 1))) { _ in }
    machine.process(ButtonEdge(.play, .down, at: .zero + .milliseconds(3))) { _ in }
    #expect(machine.lastTouch == .zero + .milliseconds(7))
    machine.process(ButtonEdge(.faster, .down, at: .zero + .milliseconds(99))) { _ in }
    #expect(machine.lastTouch == .zero + .milliseconds(99))
  }
}
