import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import TestSupport
import Testing

/// MIDI clock out, against instants that are computed here from fractions.
@Suite struct MIDIClockTests {
  /// A metronome with MIDI ports, and what the ports received.
  private struct Rig {
    let simulation: Simulation
    let trace = RecordedTrace()

    init(
      _ settings: Settings = Settings(), countIn: Int = 0, ports: [Nanoseconds] = [.zero], whenStopped: Bool = true,
      score: SetList? = nil
    ) throws {
      let requests = ports.enumerated().map { MIDIOutputRequest(.named("port \($0)"), latency: $1) }
      var board = SimulatedBoard.Options()
      board.audio = nil
      board.midi = requests
      var options = EngineOptions(settings: settings, rules: Rules(countIn: countIn))
      options.midi = requests
      options.clockWhenStopped = whenStopped
      options.score = score
      simulation = try Simulation(options, board: board, sinks: [trace])
    }

    func run(until time: Nanoseconds) { simulation.run(until: .zero + time) }

    /// Appends the number of clocks in each beat, while the timeline still has the beat.
    func run(until time: Nanoseconds, noting counts: inout [Int]) {
      while simulation.board.clock.now - .zero < time {
        run(until: min(time, simulation.board.clock.now - .zero + .milliseconds(10)))
        let count = counts.count
        for beat in trace.events.compactMap({ if case .beat(let beat) = $0.what { beat } else { nil } }).dropFirst(
          count)
        {
          let metre = simulation.engine.control.timeline.bar(ofBeat: beat.index)?.metre
          counts.append(metre.map { 96 * $0.notesInBeat / $0.signature.denominator } ?? 0)
        }
      }
    }

    func at(_ time: Nanoseconds, _ command: Command) {
      run(until: time)
      simulation.perform(command)
    }

    /// The messages of a port: time in nanoseconds and bytes.
    func messages(_ port: Int = 0) -> [(time: Int64, text: String)] {
      trace.events.compactMap { event in
        guard case .midi(let message, port) = event.what else { return nil }
        return (event.time.count, message.text)
      }
    }

    func clocks(_ port: Int = 0) -> [Int64] { messages(port).filter { $0.text == "F8" }.map(\.time) }

    /// The times of other messages than clocks, in microseconds.
    func others(_ port: Int = 0) -> [String] {
      messages(port).filter { $0.text != "F8" }.map { "\($0.time / 1_000) \($0.text)" }
    }

    var lights: [Int64] {
      trace.events.compactMap { $0.what == .line(.light, isActive: true) ? $0.time.count : nil }
    }

    var beats: [Int64] {
      trace.events.compactMap { event in
        if case .beat = event.what { event.time.count } else { nil }
      }
    }
  }

  private static func settings(_ bpm: String, _ signature: String = "4/4") throws -> Settings {
    Settings(Music(tempo: try #require(Tempo(decimal: bpm)), signature: try #require(Signature(text: signature))))
  }

  /// Clock k of a tempo in thousandths of a BPM, in nanoseconds after the first clock, rounded down.
  private func time(ofClock k: Int64, milliBPM: Int64) -> Int64 {
    Int64(Int128(k) * 60_000_000_000_000 / (24 * Int128(milliBPM)))
  }

  @Test(arguments: ["133.7 4/4", "97 6/8", "61.333 7/16", "240 3/2", "20 5/32", "999 4/4"])
  func everyClockIsExact(music: String) throws {
    let words = music.split(separator: " ").map(String.init)
    let rig = try Rig(MIDIClockTests.settings(words[0], words[1]), whenStopped: false)
    rig.simulation.perform(.start)
    rig.run(until: .seconds(120))
    let tempo = try #require(Tempo(decimal: words[0]))
    let (clocks, lights) = (rig.clocks(), rig.lights)
    let first = try #require(lights.first)
    #expect(clocks.count > 24 * 30)
    let wrong = clocks.indices.first {
      clocks[$0] != first + time(ofClock: Int64($0), milliBPM: Int64(tempo.milliBPM))
    }
    #expect(wrong == nil)
    // Each flash has a clock, to the nanosecond.
    #expect(lights.allSatisfy(Set(clocks).contains))
    #expect(rig.others() == ["\((first - 2_000_000) / 1_000) F2 00 00 FA"])
  }

  @Test func startAndStopHaveTheirMessages() throws {
    let rig = try Rig(MIDIClockTests.settings("120"))
    rig.at(.milliseconds(990), .start)
    let lead = rig.simulation.engine.lead.current.duration
    #expect(lead == .milliseconds(3))
    rig.at(.milliseconds(2_010), .stop)
    rig.run(until: .seconds(3))
    #expect(rig.others() == ["991000 F2 00 00 FA", "2010000 FC"])
    let clocks = rig.clocks()
    #expect(clocks.contains(993_000_000))
    // Before and after, the clocks of the stopped metronome; at the start one interval may be longer, never shorter than half.
    let intervals = zip(clocks.dropFirst(), clocks).map { $0.0 - $0.1 }
    #expect(clocks[0] == 0 && clocks.count > 140)
    #expect(intervals.allSatisfy { (10_416_666...31_250_001).contains($0) })
    #expect(intervals.filter { abs($0 - 20_833_333) > 1 }.count <= 1)
  }

  @Test func startFollowsTheCountIn() throws {
    let rig = try Rig(MIDIClockTests.settings("120", "3/4"), countIn: 2)
    rig.simulation.perform(.start)
    rig.run(until: .seconds(6))
    #expect(rig.others() == ["3001000 F2 00 00 FA"])
    #expect(rig.clocks().filter { $0 >= 3_000_000 && $0 < 3_003_000_000 }.count == 6 * 24)
  }

  @Test func eachPortIsSentEarlyByItsLatency() throws {
    let rig = try Rig(MIDIClockTests.settings("120"), ports: [.milliseconds(7), .milliseconds(-2)], whenStopped: false)
    rig.simulation.perform(.start)
    rig.run(until: .seconds(2))
    let first = try #require(rig.lights.first)
    #expect(rig.simulation.engine.lead.current.duration == .milliseconds(10))
    #expect(rig.clocks(0).prefix(1) == [first - 7_000_000])
    #expect(rig.clocks(1).prefix(1) == [first + 2_000_000])
    #expect(rig.others(0) == ["\((first - 9_000_000) / 1_000) F2 00 00 FA"])
    #expect(rig.others(1) == ["\(first / 1_000) F2 00 00 FA"])
  }

  @Test func clocksLostByAStallAreNotCaughtUp() throws {
    let rig = try Rig(MIDIClockTests.settings("120"))
    rig.simulation.perform(.start)
    rig.simulation.delay(.midi, by: .seconds(2), from: .zero + .milliseconds(3_100))
    rig.run(until: .seconds(10))
    let clocks = rig.clocks()
    let intervals = zip(clocks.dropFirst(), clocks).map { $0.0 - $0.1 }
    #expect(intervals.filter { $0 > 22_000_000 }.count == 1)
    #expect(intervals.allSatisfy { $0 >= 15_000_000 })
    // Bars begin at 3 ms + n · 2 s; the stall ends at 5.1 s.
    #expect(rig.others() == ["1000 F2 00 00 FA", "6001000 F2 00 00 FA"])
    let grid = clocks.filter { $0 >= 6_003_000_000 }.map { (($0 - 6_003_000_000) * 24 + 23) % 500_000_000 }
    #expect(grid.count > 180 && grid.allSatisfy { $0 < 24 })
  }

  @Test func aFullPortGetsASecondStart() throws {
    let rig = try Rig(MIDIClockTests.settings("120"))
    rig.simulation.perform(.start)
    rig.run(until: .milliseconds(2_600))
    rig.simulation.board.midi?.fill(0, until: .zero + .milliseconds(2_700))
    rig.run(until: .seconds(7))
    var lost: Int64 = 0
    for case .lostClocks(let count, _) in rig.trace.events.map(\.what) { lost += count }
    #expect(lost == 5)
    #expect(rig.others() == ["1000 F2 00 00 FA", "4001000 F2 00 00 FA"])
  }

  @Test func aPortThatReturnsHasClocksAtOnceButNoStart() throws {
    let rig = try Rig(MIDIClockTests.settings("120"))
    rig.simulation.perform(.start)
    rig.run(until: .milliseconds(2_600))
    rig.simulation.board.midi?.unplug(0)
    rig.simulation.engine.waker.wakeAll()
    rig.run(until: .milliseconds(4_600))
    rig.simulation.board.midi?.plug(0)
    rig.simulation.engine.waker.wakeAll()
    rig.run(until: .seconds(8))
    let clocks = rig.clocks()
    #expect(!clocks.contains { $0 > 2_600_000_000 && $0 < 4_600_000_000 })
    #expect(clocks.filter { $0 > 4_600_000_000 && $0 < 7_003_000_000 }.count == 115)
    #expect(rig.others() == ["1000 F2 00 00 FA"])
    rig.at(.seconds(8), .stop)
    rig.at(.seconds(9), .start)
    rig.run(until: .seconds(10))
    #expect(rig.others() == ["1000 F2 00 00 FA", "8000000 FC", "9001000 F2 00 00 FA"])
  }

  /// Two bars of 3/4, a pause, and three bars of 4/4: the followers stop for the pause, and begin anew after it.
  @Test(arguments: ["4s", "0.7s", "wait"])
  func aPauseOfAScoreStopsTheFollowers(pause: String) throws {
    let text = "song \"P\"\na: 2 3/4 120\npause \(pause)\nb: 3 4/4 150\n"
    let rig = try Rig(MIDIClockTests.settings("120"), whenStopped: false, score: SetList(Score(text: text)))
    rig.simulation.perform(.start)
    rig.run(until: .milliseconds(7_003))
    if pause == "wait" { rig.simulation.perform(.start) }
    rig.run(until: .seconds(20))
    let begin = pause == "4s" ? 7_003_000 : pause == "wait" ? 7_006_000 : 3_703_000
    #expect(
      rig.others() == [
        "1000 F2 00 00 FA", "3003000 FC", "\(begin - 2_000) F2 00 00 FA", "\(begin + 4_800_000) FC",
      ])
    let clocks = rig.clocks()
    #expect(clocks.count == 6 * 24 + 12 * 24)
    #expect(clocks[143] == 3_000_000 + 143 * 125_000_000 / 6 && clocks[144] == Int64(begin) * 1_000)
  }

  /// Clocks 0.8 ms apart leave no room for a start, which would begin the followers at a wrong clock.
  @Test func aStartWaitsForSlowerClocks() throws {
    let text = "song \"P\" count=1 scale=400%\na: 2 4/4 750\nb: 2 4/4 500\n"
    let rig = try Rig(MIDIClockTests.settings("120"), whenStopped: false, score: SetList(Score(text: text)))
    rig.simulation.perform(.start)
    rig.run(until: .seconds(2))
    #expect(rig.others() == ["361750 F2 00 00 FA", "483000 FC"])
    #expect(rig.clocks().count == 20 * 24)
  }

  /// Another signature ends the bar of a count-in early, at 1,003 ms.
  @Test func aStartFollowsACountInThatAChangeEnds() throws {
    let rig = try Rig(MIDIClockTests.settings("120"), countIn: 1)
    rig.simulation.perform(.start)
    rig.at(.milliseconds(600), .setSignature(try #require(Signature(text: "2/4"))))
    rig.run(until: .seconds(4))
    #expect(rig.others() == ["1001000 F2 00 00 FA"])
  }

  /// The last clocks of a beat are closer than those of the beat after it: none is lost.
  @Test func clocksSlowDownWithoutALoss() throws {
    let text = "song \"P\" scale=400%\na: 1 4/4 999\nb: 1 4/4 100\n"
    let rig = try Rig(MIDIClockTests.settings("120"), whenStopped: false, score: SetList(Score(text: text)))
    rig.simulation.perform(.start)
    rig.run(until: .seconds(2))
    #expect(rig.others() == ["1000 F2 00 00 FA", "663060 FC"])
    #expect(rig.clocks().count == 8 * 24)
  }

  /// Nothing follows the last beat, so that its clocks are compared with their own distance, which is below a millisecond.
  @Test func theLastClocksOfASongAreNotLost() throws {
    let text = "song \"P\" scale=400%\na: 2 4/4 999\n"
    let rig = try Rig(MIDIClockTests.settings("120"), whenStopped: false, score: SetList(Score(text: text)))
    rig.simulation.perform(.start)
    rig.run(until: .seconds(2))
    #expect(rig.others() == ["1000 F2 00 00 FA", "123120 FC"])
    #expect(rig.clocks().count == 8 * 24)
  }

  /// At 2,603 ms four fifths of the last beat are left, which then last 800 ms.
  @Test func aPauseAfterAChangeOfItsLastBeatStopsTheFollowers() throws {
    let text = "song \"P\"\na: 2 3/4 120\npause 4s\nb: 1 4/4 120\n"
    let rig = try Rig(MIDIClockTests.settings("120"), whenStopped: false, score: SetList(Score(text: text)))
    rig.simulation.perform(.start)
    rig.at(.milliseconds(2_600), .stepTempo(byMilliBPM: -50_000))
    rig.run(until: .seconds(20))
    #expect(rig.others() == ["1000 F2 00 00 FA", "3403000 FC", "7401000 F2 00 00 FA", "11403000 FC"])
    #expect(rig.clocks().count == 10 * 24)
  }

  /// Followers that were not started before a pause are not stopped.
  @Test func aPauseAfterACountInSendsNoStop() throws {
    let text = "a: 2 4/4 120 count=2\npause 3s\nb: 1 4/4 120\n"
    let rig = try Rig(MIDIClockTests.settings("120"), whenStopped: false, score: SetList(Score(text: text)))
    rig.simulation.perform(.start)
    rig.at(.seconds(1), .nextSection)
    rig.run(until: .seconds(9))
    #expect(rig.others() == ["5001000 F2 00 00 FA", "7003000 FC"])
    #expect(rig.clocks().count == 8 * 24)
  }

  /// A pause of up to a beat: the clocks wait, and nothing else.
  @Test func aBriefPauseOnlyDelaysTheClocks() throws {
    let text = "song \"P\"\na: 2 3/4 120\npause 0.3s\nb: 1 4/4 120\n"
    let rig = try Rig(MIDIClockTests.settings("120"), whenStopped: false, score: SetList(Score(text: text)))
    rig.simulation.perform(.start)
    rig.run(until: .seconds(20))
    #expect(rig.others() == ["1000 F2 00 00 FA", "5303000 FC"])
    #expect(rig.clocks().count == 10 * 24)
  }

  /// While a port is unplugged, taps replace the beats that its next clock belonged to.
  @Test func anUnpluggedPortSurvivesTaps() throws {
    let rig = try Rig(MIDIClockTests.settings("120"))
    rig.simulation.perform(.start)
    rig.run(until: .seconds(1))
    rig.simulation.board.midi?.unplug(0)
    rig.simulation.engine.waker.wakeAll()
    for tap in 0..<40 { rig.at(.milliseconds(2_000 + Int64(tap) * 450), .tap) }
    rig.run(until: .seconds(25))
    rig.simulation.board.midi?.plug(0)
    rig.simulation.engine.waker.wakeAll()
    rig.run(until: .seconds(26))
    #expect(rig.clocks().contains { $0 > 25_000_000_000 })
  }

  @Test func withoutPortsNothingIsSent() throws {
    let rig = try Rig(MIDIClockTests.settings("120"), ports: [])
    rig.simulation.perform(.start)
    rig.run(until: .seconds(2))
    #expect(rig.messages().isEmpty)
    #expect(rig.simulation.engine.midi.step(at: .zero + .seconds(2)) == nil)
    #expect(rig.simulation.engine.lead.current.duration == .milliseconds(1))
  }

  /// Between two beats there are always the clocks of a beat, whatever changes.
  @Test(arguments: Seeds.few(20, of: 300))
  func clocksAreCountedThroughAllChanges(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let rig = try Rig(MIDIClockTests.settings("120"), whenStopped: seed % 2 == 0)
    rig.simulation.perform(.start)
    var time = Nanoseconds.zero
    var counts: [Int] = []
    for _ in 0..<40 {
      time = time + .milliseconds(Int64.random(in: 20...900, using: &random))
      let command: Command =
        switch Int.random(in: 0..<4, using: &random) {
        case 0: .setTempo(Tempo(clampingMilliBPM: Int.random(in: 40_000...300_000, using: &random)))
        case 1: .nextDenominator
        case 2: .nextNumerator
        default: .stepTempo(byMilliBPM: Int.random(in: -9_000...9_000, using: &random))
        }
      rig.run(until: time, noting: &counts)
      rig.simulation.perform(command)
    }
    rig.run(until: time + .seconds(4), noting: &counts)
    let clocks = rig.clocks()
    let beats = rig.beats
    #expect(beats.count > 20)
    var wrong: [String] = []
    for (index, beat) in beats.enumerated().dropLast() {
      let count = clocks.filter { $0 >= beat && $0 < beats[index + 1] }.count
      if count != counts[index] { wrong.append("beat \(index): \(count) clocks instead of \(counts[index])") }
    }
    #expect(wrong == [])
  }
}
