import BoardCheck
import HardwareAbstraction
import MetronomeCore
import Testing

@Suite struct InputLearnerTests {
  private static let pedal = InputRequest.Device.named("PageFlip Firefly")
  private static let port = MIDIDevice.named("FCB1010")

  private struct Found: Equatable {
    var outcome: InputLearner.Outcome
    var ms: Int
  }

  /// Feeds touches at milliseconds. Returns the first outcome with its time.
  private func outcome(
    isDial: Bool = false, _ touches: [(Int, InputTouch)]
  ) -> Found? {
    var learner = InputLearner(isDial: isDial, at: .zero)
    for (ms, touch) in touches {
      let now = Instant.zero + .milliseconds(Int64(ms))
      while learner.deadline <= now {
        let due = learner.deadline
        if let outcome = learner.settle(at: due) {
          return Found(outcome: outcome, ms: Int(due.nanoseconds / 1_000_000))
        }
      }
      #expect(learner.settle(at: now) == nil)
      if let outcome = learner.receive(touch, at: now) { return Found(outcome: outcome, ms: ms) }
    }
    let due = learner.deadline
    #expect(learner.settle(at: due + Nanoseconds(-1)) == nil)
    return learner.settle(at: due).map { Found(outcome: $0, ms: Int(due.nanoseconds / 1_000_000)) }
  }

  private func control(_ number: Int, _ value: Int, channel: Int = 1) -> InputTouch {
    .midi(.control(number, value: value, channel: channel), on: Self.port)
  }

  private func learned(_ key: KeyCode, channel: Int = 1, isLatching: Bool) -> InputLearner.Outcome {
    .learned(InputControl(.midi(Self.port), channel: channel, .key(key, isLatching: isLatching)))
  }

  @Test func aKeyIsLearnedWhenItGoesDown() throws {
    let key = KeyCode(number: 109)
    let touches: [(Int, InputTouch)] = [
      (100, .turn(AxisCode(number: 0), by: 40, on: Self.pedal)), (200, .key(key, isDown: false, on: Self.pedal)),
      (300, .key(key, isDown: true, on: Self.pedal)),
    ]
    let found = try #require(outcome(touches))
    #expect(found == Found(outcome: .learned(InputControl(Self.pedal, .key(key, isLatching: false))), ms: 300))
  }

  @Test func aPedalWithReleasesIsMomentary() throws {
    let found = try #require(outcome([(0, control(64, 0)), (500, control(64, 127)), (900, control(64, 0))]))
    #expect(found == Found(outcome: learned(.controller(64), isLatching: false), ms: 900))
    let note = { (isOn: Bool) in InputTouch.midi(.note(60, isOn: isOn, channel: 5), on: Self.port) }
    let second = try #require(outcome([(10, note(true)), (1_509, note(false))]))
    #expect(second == Found(outcome: learned(.note(60), channel: 5, isLatching: false), ms: 1_509))
  }

  @Test func aPedalWithoutReleasesIsLatching() throws {
    let twice = try #require(outcome([(10, control(80, 127)), (700, control(80, 127))]))
    #expect(twice == Found(outcome: learned(.controller(80), isLatching: true), ms: 700))
    let once = try #require(outcome([(10, control(80, 127)), (200, control(81, 127))]))
    #expect(once == Found(outcome: learned(.controller(80), isLatching: true), ms: 1_510))
  }

  @Test func anotherChannelIsNoRelease() throws {
    let found = try #require(outcome([(10, control(64, 127)), (20, control(64, 0, channel: 2)), (30, control(64, 0))]))
    #expect(found == Found(outcome: learned(.controller(64), isLatching: false), ms: 30))
  }

  @Test func aWheelIsLearnedAfterThreeDetents() throws {
    let turn = { (axis: UInt16, by: Int) in InputTouch.turn(AxisCode(number: axis), by: by, on: Self.pedal) }
    let found = try #require(
      outcome(isDial: true, [(1, turn(7, 1)), (2, turn(8, -2)), (3, turn(7, -1)), (4, turn(8, -1))]))
    #expect(
      found == Found(outcome: .learned(InputControl(Self.pedal, .axis(AxisCode(number: 8), .twosComplement))), ms: 4))
  }

  @Test(arguments: TurnEncoding.allCases) func aKnobIsLearnedInBothDirections(_ encoding: TurnEncoding) throws {
    let (forward, back): ([Int], [Int]) =
      switch encoding {
      case .twosComplement: ([1, 1, 1], [127, 127])
      case .signMagnitude: ([1, 1, 1], [65, 65])
      case .offset64: ([65, 65, 65], [63, 63])
      }
    let touches = (forward + back).enumerated().map { ($0 * 100, control(16, $1, channel: 3)) }
    let found = try #require(outcome(isDial: true, touches))
    #expect(
      found.outcome
        == .learned(InputControl(.midi(Self.port), channel: 3, .axis(.controller(16), encoding))))
    // A knob is turned only one way: it says what to do.
    let half = try #require(outcome(isDial: true, Array(touches.prefix(3))))
    guard case .failed(let why) = half.outcome else {
      Issue.record("\(half.outcome)")
      return
    }
    #expect(half.ms == 20_000)
    #expect(why.contains("controller 16") && why.contains("direction"), "\(why)")
  }

  @Test func aKnobThatSendsItsPositionIsExplained() throws {
    let touches = stride(from: 0, through: 127, by: 2).map { ($0 * 10, control(7, $0)) }
    let found = try #require(outcome(isDial: true, touches))
    guard case .failed(let why) = found.outcome else {
      Issue.record("\(found.outcome)")
      return
    }
    #expect(why.contains("relative"), "\(why)")
  }

  @Test func nothingAndProgramsAreExplained() throws {
    #expect(try #require(outcome([])) == Found(outcome: .failed("nothing was pressed within 20 seconds"), ms: 20_000))
    #expect(
      try #require(outcome(isDial: true, []))
        == Found(outcome: .failed("nothing was turned within 20 seconds"), ms: 20_000))
    let program = InputTouch.midi(.program(3, channel: 1), on: Self.port)
    let found = try #require(outcome([(5, program)]))
    #expect(
      found.outcome
        == .failed(
          "the pedal sends program changes, which can only recall presets; set it to send controllers or notes"))
  }
}
