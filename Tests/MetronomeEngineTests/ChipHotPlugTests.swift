import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// A GPIO chip that appears late, or is unplugged and plugged in again, does not affect the beat.
@Suite struct ChipHotPlugTests {
  private static let kinds: Set<Bench.Kind> = [.state, .beat]

  private func bench(_ script: String, start: Nanoseconds = .zero, end: Nanoseconds = .seconds(6)) throws -> Bench {
    let bench = Bench(script: try Script(text: Array(script.utf8), file: "test"))
    bench.simulation.run(until: .zero + start)
    bench.simulation.perform(.start)
    return bench.ended(after: end)
  }

  /// The outputs that are on at a time.
  private func levels(_ bench: Bench, at time: Nanoseconds) -> LineSet {
    var levels = LineSet.inactive
    for event in bench.trace.events where event.time <= time {
      guard case .line(let output, let isActive) = event.what else { continue }
      if isActive { levels.insert(output) } else { levels.remove(output) }
    }
    return levels
  }

  /// A chip that appears late joins the running beat at once. At any point of a beat, the outputs that should be on switch on
  /// immediately.
  @Test(arguments: 0..<100) func lateChipJoinsTheRunningBeatAtOnce(tens: Int64) throws {
    let arrival = Nanoseconds.milliseconds(2_000 + 10 * tens + 3)
    let whole = try bench("# the chip stays plugged in")
    let late = try bench("0 unplug chip\n\(arrival.count / 1_000_000)ms plug chip")
    let kinds = ChipHotPlugTests.kinds
    #expect(late.lines(per: Nanoseconds(1), kinds) == whole.lines(per: Nanoseconds(1), kinds))
    #expect(late.trace.events.allSatisfy { $0.time >= arrival || !$0.isOfLine })
    #expect(levels(late, at: arrival) == levels(whole, at: arrival))
    let after = late.trace.events.filter { $0.isOfLine && $0.time > arrival }
    #expect(after == whole.trace.events.filter { $0.isOfLine && $0.time > arrival })
  }

  @Test func chipUnpluggedDuringABeatRejoinsTheBeat() throws {
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

  /// The light is on when the chip is unplugged, and the pendulum must be on when it is plugged in.
  @Test func outputsSwitchOffAndOnAgainWithTheChip() throws {
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

  @Test func pressesWithoutAChipAreIgnored() throws {
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

  @Test func buttonHeldWhileTheChipIsUnpluggedIsIgnored() throws {
    let bench = try bench(
      "900ms down faster\n1s unplug chip\n4s plug chip\n5s up faster\n6s press faster", end: .seconds(7))
    let states = bench.lines(per: .milliseconds(1))
    #expect(states.filter { $0.hasPrefix("5") || $0.hasPrefix("4") } == [])
    #expect(states.last == "6000 playing 122 BPM 4/4")
  }

  @Test func outputsStayOffWhenAChipAppearsWhileStopped() throws {
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
