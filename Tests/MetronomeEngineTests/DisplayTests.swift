import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// The display follows the state, is written to seldom, and disturbs nothing.
@Suite struct DisplayTests {
  private let trace = RecordedTrace()

  private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  private func simulation(
    _ change: (inout SimulatedBoard.Options) -> Void = { _ in }, sinks: [any TraceSink] = []
  ) throws -> Simulation {
    var board = SimulatedBoard.Options()
    (board.hasDisplay, board.audio) = (true, nil)
    change(&board)
    return try Simulation(board: board, sinks: [trace] + sinks)
  }

  /// What the display showed: `0  120`, in milliseconds.
  private var shown: [String] {
    trace.events.compactMap { event in
      guard case .display(let text) = event.what else { return nil }
      return "\(event.time.count / 1_000_000) \(text)"
    }
  }

  private var faults: Int {
    trace.events.filter { if case .fault = $0.what { true } else { false } }.count
  }

  @Test func theTempoIsShownFromTheStart() throws {
    let simulation = try simulation()
    simulation.run(until: at(10_000))
    simulation.finish()
    #expect(shown == ["0  120", "10000     "])
  }

  @Test func aChangeIsShownThenTheTempoAgain() throws {
    let simulation = try simulation()
    simulation.schedule(at: at(1_000)) { simulation.perform(.setNumerator(3)) }
    simulation.schedule(at: at(5_000)) { simulation.perform(.stepTempo(byMilliBPM: 1_000)) }
    simulation.run(until: at(8_000))
    #expect(shown == ["0  120", "1000  3:4 ", "3000  120", "5000  121"])
  }

  @Test func aPresetIsShownAtEachRecall() throws {
    let simulation = try simulation()
    simulation.schedule(at: at(1_000)) { simulation.perform(.storePreset(1)) }
    for start in [4_000, 7_000] as [Int64] {
      simulation.schedule(at: at(start)) { simulation.perform(.recallPreset(1)) }
    }
    simulation.run(until: at(10_000))
    #expect(
      shown == ["0  120", "1000 donE", "3000  120", "4000 P  1", "6000  120", "7000 P  1", "9000  120"])
  }

  @Test func turnsOfADialAreBundled() throws {
    let simulation = try simulation()
    for turn in 0..<100 {
      simulation.schedule(at: at(1_000 + 10 * Int64(turn))) { simulation.perform(.stepTempo(byMilliBPM: 1_000)) }
    }
    simulation.run(until: at(4_000))
    #expect(shown == ["0  120", "1000  121", "1200  141", "1400  161", "1600  181", "1800  201", "2000  220"])
  }

  @Test func theTextIsRefreshed() throws {
    let simulation = try simulation()
    simulation.run(until: at(21_000))
    #expect(simulation.board.characters.calls == 5)
    #expect(shown == ["0  120"])
  }

  @Test func anUnpluggedDisplayIsReportedOnceAndShowsItsTextWhenItIsBack() throws {
    let simulation = try simulation {
      $0.faults.fail(.writeDisplay, .gone, errno: 6, on: .during(at(2_000)..<at(31_000)))
    }
    simulation.perform(.start)
    simulation.run(until: at(40_000))
    #expect(shown == ["0  120", "5000     ", "35000  120"])
    #expect(faults == 1)
  }

  @Test func aDisplayThatIsMissingFromTheStartKeepsNothingFromPlaying() throws {
    let simulation = try simulation {
      $0.faults.fail(.writeDisplay, .gone, errno: 6, on: .during(at(0)..<at(1_000_000)))
    }
    simulation.perform(.start)
    simulation.run(until: at(60_000))
    #expect(faults == 1)
    #expect(shown == [])
    #expect(simulation.figures.beats == 120)
  }

  @Test func theDisplayMovesNoEdge() throws {
    func lines(hasDisplay: Bool) throws -> [TraceEvent] {
      let trace = RecordedTrace()
      var board = SimulatedBoard.Options()
      (board.hasDisplay, board.audio) = (hasDisplay, nil)
      let simulation = try Simulation(board: board, sinks: [trace])
      simulation.perform(.start)
      for step in 0..<50 {
        simulation.schedule(at: at(500 + 137 * Int64(step))) { simulation.perform(.stepTempo(byMilliBPM: 1_000)) }
      }
      simulation.run(until: at(20_000))
      return trace.events.filter { if case .line = $0.what { true } else { false } }
    }
    #expect(try lines(hasDisplay: true) == lines(hasDisplay: false))
  }

  @Test func withoutADisplayNothingIsSent() throws {
    let simulation = try simulation { $0.hasDisplay = false }
    simulation.perform(.start)
    simulation.run(until: at(10_000))
    simulation.finish()
    #expect(simulation.board.characters.calls == 0)
    #expect(shown == [])
  }

  @Test func aReloadAddsAndRemovesTheDisplay() throws {
    let simulation = try simulation { $0.hasDisplay = false }
    var wires = SimulatedBoard.Options()
    simulation.schedule(at: at(1_000)) {
      wires.hasDisplay = true
      simulation.reconfigure(EngineOptions(), board: wires, changes: BoardChanges(display: true))
    }
    simulation.schedule(at: at(2_000)) {
      wires.hasDisplay = false
      simulation.reconfigure(EngineOptions(), board: wires, changes: BoardChanges(display: true))
    }
    simulation.run(until: at(10_000))
    #expect(shown == ["1000  120", "2000     "])
  }

  @Test func aLostCardIsAFault() throws {
    let simulation = try simulation {
      $0.audio = SimulatedBoard.Options().audio
      $0.faults.unplugCard(during: at(3_000)..<at(600_000))
    }
    simulation.run(until: at(9_000))
    let codes = shown.filter { $0.contains("E") }
    #expect(codes.allSatisfy { $0.hasSuffix("E  1") })
    #expect(!codes.isEmpty)
  }

  @Test func aRefusedCommandShowsDashes() throws {
    let simulation = try simulation()
    simulation.schedule(at: at(1_000)) { simulation.perform(.recallPreset(5)) }
    simulation.run(until: at(5_000))
    #expect(shown == ["0  120", "1000 ----", "3000  120"])
  }

  // MARK: A screen

  private func screen(
    _ score: String? = nil, _ change: (inout SimulatedBoard.Options) -> Void = { _ in }
  ) throws -> Simulation {
    var board = SimulatedBoard.Options()
    (board.hasDisplay, board.hasScreen, board.audio) = (true, true, nil)
    change(&board)
    var options = EngineOptions()
    options.score = try score.map { SetList(try Score(text: $0)) }
    return try Simulation(options, board: board, sinks: [trace])
  }

  @Test func aScreenShowsEachBarOfASongAndWhatComesNext() throws {
    let simulation = try screen(
      """
      song "Für Elise"
      intro: 2 120
      verse: 1 3/4 90
      song "Größe"
      1 120
      """)
    simulation.perform(.start)
    simulation.run(until: at(10_000))
    simulation.finish()
    #expect(
      shown == [
        "21 Für Elise 1/2|1|intro|120 BPM|→ verse 90 3/4",
        "2021 Für Elise 1/2|2|intro|120 BPM|→ verse 90 3/4", "4021 Für Elise 1/2|3|intro|120 BPM|→ verse 90 3/4",
        "4071 Für Elise 1/2|3|verse|120 BPM|→ verse 90 3/4", "4121 Für Elise 1/2|3|verse|90 BPM|→ verse 90 3/4",
        "4171 Für Elise 1/2|3|verse|90 BPM|→ Größe",
        "6001 Größe 2/2|1|4/4|120 BPM|stopped", "10000     ",
      ])
  }

  @Test func aScreenShowsRepliesFaultsAndVolumeBelow() throws {
    let simulation = try screen()
    simulation.schedule(at: at(1_000)) { simulation.perform(.recallPreset(5)) }
    simulation.schedule(at: at(4_000)) { simulation.perform(.setTempo(Tempo(clampingMilliBPM: 97_460))) }
    simulation.run(until: at(5_000))
    #expect(
      shown == [
        "0 stopped|120|BPM|4/4|", "1000 stopped|120|BPM|4/4|there are no presets…", "3000 stopped|120|BPM|4/4|",
        "4000 stopped|97.5|BPM|4/4|",
      ])
  }

  @Test func anUnpluggedScreenIsReportedOnceAndShowsItsPageWhenItIsBack() throws {
    let simulation = try screen { $0.faults.fail(.writeDisplay, .gone, errno: 6, on: .during(at(2_000)..<at(31_000))) }
    simulation.perform(.start)
    simulation.run(until: at(40_000))
    #expect(shown == ["21 playing|120|BPM|4/4|", "2021     ", "32021 playing|120|BPM|4/4|"])
    #expect(faults == 1)
  }

  @Test func nothingIsDrawnCloseToABeat() throws {
    let simulation = try screen("8 240\n8 3/4 240")
    simulation.perform(.start)
    for step in 0..<40 {
      simulation.schedule(at: at(600 + 137 * Int64(step))) {
        simulation.perform(step % 2 == 0 ? .volumeDown : .volumeUp)
      }
    }
    simulation.run(until: at(10_000))
    let times = shown.compactMap { Int64($0.split(separator: " ")[0]) }.filter { $0 > 0 }
    #expect(times.count > 20)
    // The first beat is at 1 ms, and there are four in a second.
    #expect(times.allSatisfy { (20...210).contains(($0 - 1) % 250) }, "\(times)")
  }

  @Test func aReloadMakesTheDisplayAScreen() throws {
    let simulation = try simulation()
    var wires = SimulatedBoard.Options()
    (wires.hasDisplay, wires.hasScreen) = (true, true)
    simulation.schedule(at: at(1_000)) {
      simulation.reconfigure(EngineOptions(), board: wires, changes: BoardChanges(display: true))
    }
    simulation.run(until: at(3_000))
    #expect(shown == ["0  120", "1000     ", "1000 stopped|120|BPM|4/4|"])
  }
}
