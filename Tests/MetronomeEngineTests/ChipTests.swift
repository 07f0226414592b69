import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// A chip that comes late, goes and comes back: the beat does not know of it.
@Suite struct ChipTests {
  private static let kinds: Set<Bench.Kind> = [.state, .beat]

  private func bench(_ script: String, start: Nanoseconds = .zero, end: Nanoseconds = .seconds(6)) throws -> Bench {
    let bench = Bench(script: try Script(text: Array(script.utf8), file: "test"))
    bench.simulation.run(until: .zero + start)
    bench.simulation.perform(.start)
    return bench.ended(after: end)
  }

  /// The lines that are on at a time.
  private func levels(_ bench: Bench, at time: Nanoseconds) -> OutputSet {
    var levels = OutputSet.inactive
    for event in bench.trace.events where event.time <= time {
      guard case .line(let output, let isActive) = event.what else { continue }
      if isActive { levels.insert(output) } else { levels.remove(output) }
    }
    return levels
  }

  /// At any point of a beat: whatever would be lit is lit at once.
  @Test(arguments: 0..<100) func aChipThatComesLateShowsTheRunningBeatAtOnce(tens: Int64) throws {
    let coming = Nanoseconds.milliseconds(2_000 + 10 * tens + 3)
    let whole = try bench("# it is there")
    let late = try bench("0 unplug chip\n\(coming.count / 1_000_000)ms plug chip")
    #expect(late.lines(per: Nanoseconds(1), ChipTests.kinds) == whole.lines(per: Nanoseconds(1), ChipTests.kinds))
    #expect(late.trace.events.allSatisfy { $0.time >= coming || !$0.isOfLine })
    #expect(levels(late, at: coming) == levels(whole, at: coming))
    let after = late.trace.events.filter { $0.isOfLine && $0.time > coming }
    #expect(after == whole.trace.events.filter { $0.isOfLine && $0.time > coming })
  }

  @Test func aChipThatIsPulledOutInMidBeatTakesTheBeatUpWhenItIsBack() throws {
    let bench = try bench("700ms unplug chip\n1750ms plug chip", end: .milliseconds(2_600))
    expect(
      bench.lines(per: .milliseconds(1), [.line, .incident]),
      """
      1 light on
      1 buzzer on
      41 buzzer off
      101 light off
      501 light on
      501 pendulum on
      501 buzzer on
      521 buzzer off
      551 light off
      700 pendulum off
      700 readEdges failed
      1750 pendulum on
      2001 light on
      2001 pendulum off
      2001 buzzer on
      2041 buzzer off
      2101 light off
      2501 light on
      2501 pendulum on
      2501 buzzer on
      2521 buzzer off
      2551 light off
      2600 pendulum off
      """)
  }

  /// The light is lit as the chip goes, and the pendulum is to be on as it comes.
  @Test func whatIsOnGoesOffWithTheChipAndWhatIsToBeOnComesWithIt() throws {
    let bench = try bench("20ms unplug chip\n1700ms plug chip", end: .milliseconds(2_020))
    expect(
      bench.lines(per: .milliseconds(1), [.line]),
      """
      1 light on
      1 buzzer on
      20 light off
      20 buzzer off
      1700 pendulum on
      2001 light on
      2001 pendulum off
      2001 buzzer on
      2020 light off
      2020 buzzer off
      """)
  }

  @Test func whatHandsDoWithoutAChipHappensToNobody() throws {
    let script = """
      1s unplug chip
      1500ms press faster
      2s press play
      4s plug chip
      5s press faster
      """
    let bench = try bench(script, end: .seconds(6))
    #expect(
      bench.lines(per: .milliseconds(1)) == [
        "0 stopped 120 BPM 4/4", "0 playing 120 BPM 4/4", "5000 playing 121 BPM 4/4",
      ])
  }

  @Test func aButtonThatWasHeldAsTheChipWentMeansNothing() throws {
    let bench = try bench(
      "900ms down faster\n1s unplug chip\n4s plug chip\n5s up faster\n6s press faster", end: .seconds(7))
    let states = bench.lines(per: .milliseconds(1))
    #expect(states.filter { $0.hasPrefix("5") || $0.hasPrefix("4") } == [])
    #expect(states.last == "6000 playing 122 BPM 4/4")
  }

  @Test func aChipThatComesToABoxAtRestStaysDark() throws {
    let bench = Bench(script: try Script(text: Array("0 unplug chip\n2s plug chip\n3s press play".utf8), file: "test"))
    bench.ended(after: .milliseconds(3_020))
    expect(
      bench.lines(per: .milliseconds(1), [.line, .state]),
      """
      0 stopped 120 BPM 4/4
      3000 playing 120 BPM 4/4
      3001 light on
      3001 buzzer on
      3020 light off
      3020 buzzer off
      """)
  }
}

extension TraceEvent {
  fileprivate var isOfLine: Bool { if case .line = what { true } else { false } }
}
