import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// Outputs that a configuration adds, in virtual time.
@Suite struct NamedOutputTests {
  private static let names = BoxNames(
    outputs: ["light", "pendulum", "buzzer", "first", "last", "left", "right", "horn"])

  /// Options with the outputs above; the horn is heard.
  private static var options: EngineOptions {
    var options = EngineOptions(settings: Settings(Music(signature: Signature(3, over: 4, limit: .none)!)))
    let shown: [(Int, Projection.Beats)] = [(3, .first), (4, .last), (5, .left), (6, .right), (7, .every)]
    for (index, beats) in shown {
      let output = Output(index: index)
      let projection = Projection(output, showing: beats)
      options.outputs.insert(output)
      options.shownBeats[output] = beats
      options.pattern[output] = projection.pulses
      options.hits[output] = projection.hits
    }
    options.heard.insert(Output(index: 7))
    return options
  }

  private static func board() -> SimulatedBoard.Options {
    var board = SimulatedBoard.Options()
    board.audio = nil
    board.names = names
    return board
  }

  /// Plays from 0 on; `work` is done while playing. Returns the changes of an output's line, in milliseconds.
  private func play(
    _ options: EngineOptions = options, for time: Nanoseconds, work: (Simulation) -> Void = { _ in }
  ) throws -> (Simulation, RecordedTrace) {
    let trace = RecordedTrace()
    let simulation = try Simulation(options, board: Self.board(), sinks: [trace])
    simulation.perform(.start)
    work(simulation)
    simulation.run(until: .zero + time)
    simulation.finish()
    return (simulation, trace)
  }

  private func changes(of name: String, in trace: RecordedTrace) -> String {
    let changes = trace.events.compactMap { event -> String? in
      guard case .line(let line, let isActive) = event.what, Self.names[line] == name else { return nil }
      return "\(event.time.count / 1_000_000)\(isActive ? "+" : "-")"
    }
    return changes.joined(separator: " ")
  }

  @Test func eachOutputShowsItsBeatsOfABar() throws {
    let (_, trace) = try play(for: .milliseconds(3_200))
    // Beats at 1, 501, 1001 | 1501, 2001, 2501 | 3001 ms.
    #expect(changes(of: "first", in: trace) == "1+ 101- 1501+ 1601- 3001+ 3101-")
    #expect(changes(of: "last", in: trace) == "1001+ 1051- 2501+ 2551-")
    #expect(changes(of: "left", in: trace) == "1+ 501- 1001+ 1501- 2001+ 2501- 3001+ 3200-")
    #expect(changes(of: "right", in: trace) == "501+ 1001- 1501+ 2001- 2501+ 3001-")
    #expect(changes(of: "pendulum", in: trace) == changes(of: "right", in: trace))
    #expect(changes(of: "horn", in: trace) == changes(of: "light", in: trace))
  }

  @Test func theLastBeatFollowsTheSignature() throws {
    let (_, trace) = try play(for: .milliseconds(4_900)) { simulation in
      simulation.schedule(at: .zero + .milliseconds(600)) { simulation.perform(.nextNumerator) }
    }
    // One bar of 4/4 from then on: the bar that has begun gets a beat more.
    #expect(changes(of: "last", in: trace) == "1501+ 1551- 3501+ 3551-")
  }

  @Test func anOutputForTheWholeLastBeatOfAOneBeatBarStaysOn() throws {
    var options = Self.options
    options.settings.signature = Signature(1, over: 4, limit: .none)!
    options.pattern[Output(index: 4)] = PerLevel(repeating: .wholeBeat)
    let (_, trace) = try play(options, for: .milliseconds(2_200))
    #expect(changes(of: "last", in: trace) == "1+ 2200-")
  }

  @Test func silentModeMutesWhatIsHeard() throws {
    let (_, trace) = try play(for: .milliseconds(2_200)) { simulation in
      simulation.schedule(at: .zero + .milliseconds(700)) { simulation.perform(.toggleSilence) }
      simulation.schedule(at: .zero + .milliseconds(1_700)) { simulation.perform(.toggleSilence) }
    }
    #expect(changes(of: "horn", in: trace) == "1+ 101- 501+ 551- 2001+ 2051-")
    #expect(changes(of: "buzzer", in: trace) == "1+ 41- 501+ 521- 2001+ 2021-")
    #expect(changes(of: "left", in: trace) == "1+ 501- 1001+ 1501- 2001+ 2200-")
  }

  @Test func anOutputIsSentEarlyByItsLatency() throws {
    var options = Self.options
    options.latencies[Output(index: 4)] = .milliseconds(20)
    let (_, trace) = try play(options, for: .milliseconds(3_000))
    // The lead grows by the latency, and the output is switched this long before its beat.
    #expect(changes(of: "light", in: trace).hasPrefix("21+ 121- 521+ 571- 1021+ "))
    #expect(changes(of: "last", in: trace) == "1001+ 1051- 2501+ 2551-")
  }

  /// The lines change in one call, however many there are.
  @Test func sixteenOutputsChangeInOneCall() throws {
    var options = EngineOptions()
    let (few, _) = try play(options, for: .seconds(10))
    for output in OutputSet.onLines.subtracting(.standard) { options.outputs.insert(output) }
    let (many, trace) = try play(options, for: .seconds(10))
    #expect(many.board.lines.calls == few.board.lines.calls)
    for output in OutputSet.onLines {
      let rises = trace.events.filter { $0.what == .line(OutputLine(output), isActive: true) }
      #expect(rises.count == (output == .pendulum ? 10 : 20), "\(output.index)")
    }
  }

  @Test func aReloadAddsAndRemovesOutputsWhilePlaying() throws {
    var few = Self.options
    for index in 3...7 { few.outputs.remove(Output(index: index)) }
    let many = Self.options
    let (_, trace) = try play(few, for: .milliseconds(3_200)) { simulation in
      simulation.schedule(at: .zero + .milliseconds(700)) {
        simulation.reconfigure(many, board: Self.board(), changes: BoardChanges(outputs: true))
      }
      simulation.schedule(at: .zero + .milliseconds(2_010)) {
        simulation.reconfigure(few, board: Self.board(), changes: BoardChanges(outputs: true))
      }
    }
    // They join with the next beat, and the outputs that stay do not miss one.
    #expect(changes(of: "last", in: trace) == "1001+ 1051-")
    #expect(changes(of: "horn", in: trace).hasPrefix("1001+ 1051- 1501+ 1601- 2001+ 2010-"))
    #expect(!trace.events.contains { if case .skipped = $0.what { true } else { false } })
    #expect(trace.events.filter { $0.what == .line(.buzzer, isActive: true) }.count >= 7)
  }

  /// After a reload the wires of the header keep their names, wherever the outputs now stand.
  @Test func aValueChangeDumpFollowsTheNames() throws {
    var text = ""
    let lines = LineSet(of: Self.options.outputs.intersection(.onLines))
    let trace = VCDTrace(lines: lines, names: Self.names) { text += String(decoding: $0, as: UTF8.self) }
    #expect(Self.names.outputNames.suffix(5) == ["first", "last", "left", "right", "horn"])
    trace.receive(TraceEvent(.milliseconds(1), .line(OutputLine(Output(index: 4)), isActive: true)))
    trace.use(BoxNames(outputs: ["light", "pendulum", "buzzer", "last", "other"]))
    trace.receive(TraceEvent(.milliseconds(2), .line(OutputLine(Output(index: 3)), isActive: false)))
    trace.receive(TraceEvent(.milliseconds(3), .line(OutputLine(Output(index: 4)), isActive: true)))
    trace.finish(at: .milliseconds(4))
    #expect(text.contains("$var wire 1 a last $end\n"))
    #expect(text.hasSuffix("#1000000\n1a\n#2000000\n0a\n#4000000\n"))
  }

  @Test func tracesHaveTheNames() throws {
    var text = ""
    let trace = JSONLinesTrace { text += String(decoding: $0, as: UTF8.self) }
    let simulation = try Simulation(Self.options, board: Self.board(), sinks: [trace])
    simulation.perform(.start)
    simulation.run(until: .zero + .milliseconds(1_002))
    simulation.finish()
    #expect(text.contains(#"{"t":1001000000,"event":"line","name":"last","value":1}"#))
  }
}
