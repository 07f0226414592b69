import BoardSimulation
import MetronomeCore
import MetronomeSimulation
import Testing

/// Commands of other programs and Link sessions in a script.
@Suite struct OtherProgramsTests {
  private static let silent = "audio: {device: none}\n"

  private func run(_ script: String, for seconds: Int64, _ more: String = "") throws -> Run {
    try Run(script, for: .seconds(seconds), configuration: OtherProgramsTests.silent + more)
  }

  @Test func commandsAreCarriedOut() throws {
    let run = try run("1s do start\n2.1s do tempo 60\n4s do stop\n5s do no such command\n", for: 6)
    #expect(run.states == ["0 stopped 120 BPM", "1000 playing 120 BPM", "2100 playing 60 BPM", "4000 stopped 60 BPM"])
    #expect(run.beats == [1_001, 1_501, 2_001, 2_901, 3_901])
  }

  /// Taps that the network has delayed by different times.
  @Test func aCommandCountsWhenItWasGiven() throws {
    let run = try run("2s do 1s ago tap\n2s do 400ms ago tap\n2.3s do 100ms ago tap\n", for: 4)
    #expect(run.states == ["0 stopped 120 BPM", "2300 stopped 100 BPM"])
  }

  @Test func lateCommandsAreRefused() throws {
    var refusals: [String] = []
    let script = try Script(text: Array("4s do 2.001s ago start\n4s do 2s ago tempo 60".utf8), file: "script")
    let life = BoxLife(try SimulationPlan(configuration: OtherProgramsTests.silent, script: script), sinks: []) {
      if case .refused(let line) = $0 { refusals.append(line) }
    }
    life.simulation.run(until: .zero + .seconds(5))
    #expect(refusals == ["the command \"start\" is refused: at is 2001 ms ago; at most 2,000 ms are accepted"])
    #expect(life.simulation.engine.control.state.tempo == Tempo(decimal: "60"))
  }

  /// The session is reported four times a second, and its refusal once.
  @Test func aSessionBesideAMIDIClockIsRefused() throws {
    var refusals: [String] = []
    let script = try Script(text: Array("1s link join 100\n3s do tempo 60\n".utf8), file: "script")
    let configuration = OtherProgramsTests.silent + "midi: {in: Port1}\n"
    let life = BoxLife(try SimulationPlan(configuration: configuration, script: script), sinks: []) {
      if case .refused(let line) = $0 { refusals.append(line) }
    }
    life.simulation.run(until: .zero + .seconds(5))
    #expect(
      refusals == [
        "the Link session is refused: the metronome is configured to follow a MIDI clock; remove midi.in from its configuration"
      ])
  }

  /// The command waits for the late control loop, as on the real socket.
  @Test func aLateControlLoopDelaysCommands() throws {
    let run = try run("1s late control 50ms\n1s do start\n", for: 2)
    #expect(run.states == ["0 stopped 120 BPM", "1050 playing 120 BPM"])
  }

  /// The first beat comes at 1,001 ms, and the control loop sleeps until 200 µs after it.
  @Test func aCommandWaitsUntilTheFirstBeatIsShown() throws {
    let run = try run("1s do start\n1000100us do tempo 60\n1001300us do tempo 70\n", for: 2)
    let instants = run.trace.events.compactMap { event in
      if case .state = event.what { event.time.count / 1_000 } else { nil }
    }
    #expect(instants == [0, 1_000_000, 1_001_200, 1_001_300])
  }

  @Test func commandsAreLostWhileTheBoxIsOff() throws {
    let run = try run("1s power cut\n2s do tempo 60\n3s power on\n4s do tempo 70\n", for: 5)
    #expect(run.states == ["0 stopped 120 BPM", "3000 stopped 120 BPM", "4000 stopped 70 BPM"])
  }

  /// The session begins at 1 s with 100 BPM, so that its beats are at 1.6 s, 2.2 s and so on.
  @Test func aSessionSetsTempoAndBeats() throws {
    let run = try run("500ms do start\n1s link join 100\n", for: 20)
    let state = run.life.simulation.engine.control.state
    #expect(state.source == .link(Tempo(decimal: "100")!, peers: 1))
    #expect(state.tempo == Tempo(decimal: "100"))
    let late = run.beats.filter { $0 > 10_000 }
    #expect(late.count == 16)
    #expect(late.allSatisfy { ($0 + 1 - 1_000) % 600 <= 1 }, "\(late)")
  }

  @Test func ourTempoIsThatOfTheSession() throws {
    let run = try run("500ms do start\n1s link join 100\n5s do tempo 60\n", for: 30)
    #expect(run.life.simulation.engine.control.state.tempo == Tempo(decimal: "60"))
    let late = run.beats.filter { $0 > 20_000 }
    let intervals = zip(late, late.dropFirst()).map { $1 - $0 }
    #expect(intervals.count == 9)
    #expect(intervals.allSatisfy { $0 == 1_000 }, "\(intervals)")
  }

  /// The box leaves at once, or two seconds after the last report.
  @Test(arguments: [("leave", "5000"), ("vanish", "6755")]) func theBoxLeaves(how: String, time: String) throws {
    let run = try run("500ms do start\n1s link join 100\n5s link \(how)\n", for: 20)
    let left = run.trace.events.last { if case .state(let state) = $0.what { state.source == nil } else { false } }
    #expect(left.map { "\($0.time.count / 1_000_000)" } == time)
    #expect(run.life.simulation.engine.control.state.isPlaying)
    let late = run.beats.filter { $0 > 10_000 }
    #expect(zip(late, late.dropFirst()).allSatisfy { (599...601).contains($1 - $0) })
  }

  /// At 120 BPM in 4/4 the bar lines of the session are at 1 s, 3 s and so on.
  @Test func theTransportStartsAtTheBarLine() throws {
    let run = try run("1s link join 120\n3.3s link start\n8s link stop\n", for: 10)
    #expect(run.beats.first.map { ($0 + 1) / 2 } == 2_500)
    #expect(run.beats.count == 7)
    #expect(run.life.simulation.engine.control.state.isPlaying == false)
  }

  @Test func ourStartStartsTheSession() throws {
    var requests: [String] = []
    let text = "1s link join 120\n2s link stop\n3.1s do start\n"
    let script = try Script(text: Array(text.utf8), file: "script")
    let life = BoxLife(try SimulationPlan(configuration: OtherProgramsTests.silent, script: script), sinks: [])
    life.programs?.exchanged = { request, _ in if request.word == "source" { requests.append("\(request)") } }
    life.simulation.run(until: .zero + .seconds(4))
    // The raw clock is 1,000 s ahead, and the next bar line is at 5 s.
    #expect(requests.last?.hasSuffix(" playing=1 peers=1 transport=1 play-at-raw=1005000000000") == true, "\(requests)")
  }

  @Test func aJumpPlacesTheBar() throws {
    let run = try run("500ms do start\n1s link join 120\n10.1s link jump 2\n", for: 20)
    let beat = run.life.simulation.engine.control.timeline.lastBeat(atOrBefore: .zero + .seconds(15) + .milliseconds(1))
    // 28 quarters after the join, and 2 more.
    #expect(beat?.position == 2)
  }
}
