import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import Testing

@testable import MetronomeEngine

@Suite struct PracticeTests {
  /// Follows a metronome that is stepped every 100 ms.
  private func records(
    _ metronome: Metronome, for length: Nanoseconds, _ commands: [(at: Int64, command: Command)]
  ) -> [PracticeRecord] {
    var (metronome, tracker, records) = (metronome, PracticeTracker(), [PracticeRecord]())
    for step in 0...length.count / 100_000_000 {
      let now = Instant.zero + .milliseconds(step * 100)
      records += [tracker.follow(metronome.timeline, metronome.state, at: now)].compactMap { $0 }
      for (at, command) in commands where at == step * 100 {
        metronome.apply(command, pressed: now, effective: now + .milliseconds(25), now: now)
        records += [tracker.follow(metronome.timeline, metronome.state, at: now)].compactMap { $0 }
      }
      metronome.catchUp(effective: now + .milliseconds(25), now: now)
      records += [tracker.follow(metronome.timeline, metronome.state, at: now)].compactMap { $0 }
    }
    return records
  }

  @Test func recordHasTimeBarsAndTempi() {
    let commands: [(Int64, Command)] = [
      (1_000, .start), (7_100, .stepTempo(byMilliBPM: 20_000)), (9_100, .stepTempo(byMilliBPM: -50_000)),
      (21_000, .stop),
    ]
    let records = records(Metronome(), for: .seconds(30), commands)
    #expect(records.count == 1)
    #expect(records.first?.text == "19 s  9 bars  90 to 140 BPM  4/4")
    #expect(records.first?.start == .zero + .milliseconds(1_025))
  }

  @Test func countInIsNoBar() {
    var rules = Rules()
    rules.countIn = 2
    let records = records(Metronome(rules: rules), for: .seconds(12), [(0, .start), (10_000, .stop)])
    #expect(records.map(\.bars) == [3])
  }

  @Test func eachStartHasItsRecord() {
    let commands: [(Int64, Command)] = [(0, .start), (5_000, .stop), (6_000, .start), (9_000, .stop)]
    let records = records(Metronome(), for: .seconds(12), commands)
    #expect(records.map(\.bars) == [3, 2])
  }

  @Test func rampOfAScoreCountsItsLowestAndHighestTempo() throws {
    var metronome = Metronome()
    metronome.load(SetList(try Score(text: "song \"Up\"\n2 100\n4 60>140"), name: "Gig"))
    let records = records(metronome, for: .seconds(60), [(0, .start)])
    #expect(records.count == 1)
    #expect(records.first?.text == "14 s  6 bars  60 to 140 BPM  Gig: Up")
  }
}
