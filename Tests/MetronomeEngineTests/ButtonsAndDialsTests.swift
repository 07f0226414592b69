import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// The whole engine, from button contacts to lights and sound.
@Suite struct ButtonsAndDialsTests {
  private static let pedal = InputRequest(
    .named("pedal"), keys: [KeyCode(number: 1): .play, KeyCode(number: 2): .tap, KeyCode(number: 3): .faster],
    relative: [AxisCode(number: 0): .tempo, AxisCode(number: 1): .preset])
  private static let device = Origin(number: 1)

  private func bench(
    _ text: String, audio: Bool = false, rules: Rules = Rules(), faults: FaultPlan = FaultPlan(),
    until end: Nanoseconds
  ) throws -> Bench {
    let script = try Script(text: Array(text.utf8), file: "hands")
    return Bench(audio: audio, script: script, faults: faults, rules: rules, inputs: [ButtonsAndDialsTests.pedal])
      .ended(after: end)
  }

  private func states(_ text: String, rules: Rules = Rules(), until end: Nanoseconds) throws -> [String] {
    try bench(text, rules: rules, until: end).lines(per: .milliseconds(1))
  }

  // MARK: - Immediate effect

  /// Play, tempo and tap take effect at the edge. The presses are at odd nanoseconds, so that rounding cannot hide an error.
  @Test(arguments: ["", "@1"]) func playTempoAndTapActAtTheEdge(device: String) throws {
    let script = """
      1.000000007s press play\(device)
      2.000000013s press faster\(device)
      3.1s press tap\(device)
      3.7s press tap\(device)
      4.300000021s press tap\(device)
      """
    expect(
      try bench(script, until: .seconds(6)).lines(per: Nanoseconds(1)),
      """
      0 stopped 120 BPM 4/4
      1000000007 playing 120 BPM 4/4
      2000000013 playing 121 BPM 4/4
      4300000021 playing 100 BPM 4/4
      """)
  }

  @Test func firstLightIsOneLeadAfterThePress() throws {
    for instant in ["0.7s", "0.700000001s", "0.7023s"] {
      for button in ["play", "play@1"] {
        let bench = try bench("\(instant) press \(button)", until: .seconds(2))
        #expect(bench.rises(of: .light).first == Nanoseconds(text: instant)! + .milliseconds(1))
      }
    }
  }

  // MARK: - Undo

  @Test func longPlayTogglesSilenceAndKeepsThePhase() throws {
    let bench = try bench("1s press play\n3.3s press play 600ms\n6.8s press play 500.001ms", until: .seconds(9))
    expect(
      bench.lines(per: .milliseconds(1)),
      """
      0 stopped 120 BPM 4/4
      1000 playing 120 BPM 4/4
      3300 stopped 120 BPM 4/4
      3800 playing 120 BPM 4/4 silent
      6800 stopped 120 BPM 4/4 silent
      7300 playing 120 BPM 4/4
      """)
    let first = Nanoseconds.milliseconds(1_001)
    for (time, beat) in bench.beats { #expect(time == first + .milliseconds(500) * beat.index) }
    let left = bench.beats.map(\.beat.index)
    #expect(left == Array(0...4) + Array(6...11) + Array(13...15))
    let sounding = bench.rises(of: .buzzer)
    let silence = Nanoseconds.milliseconds(3_300)...Nanoseconds.milliseconds(7_300)
    #expect(sounding == bench.beats.map(\.time).filter { !silence.contains($0) })
    #expect(bench.lines(per: .seconds(1), [.incident]) == [])
  }

  @Test func longPlayWhileStoppedStartsSilently() throws {
    expect(
      try states("1s press play 700ms", until: .seconds(4)),
      """
      0 stopped 120 BPM 4/4
      1000 playing 120 BPM 4/4
      1500 playing 120 BPM 4/4 silent
      """)
  }

  @Test func silentModeMutesTheClicksToo() throws {
    let bench = try bench("1s press play\n3.3s press play 600ms", audio: true, until: .seconds(8))
    #expect(bench.clicks.filter { $0 > .milliseconds(3_400) } == [])
    #expect(bench.clicks.count == 5)
    #expect(bench.rises(of: .light).count == bench.beats.count)
    #expect(bench.beats.count > 10)
  }

  /// A long press of play toggles silence despite another press just before, at the same instant or later.
  @Test(arguments: [
    "2s press tap", "2.2s press tap", "2s press slower 300ms", "2s press tap@1", "1.9s press slower 400ms",
    "2.2s press slower 100ms",
  ])
  func longPlayTogglesSilenceDespiteOtherPresses(other: String) throws {
    let held = "2s press play 800ms"
    for script in ["0.5s press play\n\(held)\n\(other)", "0.5s press play\n\(other)\n\(held)"] {
      let bench = try bench(script, until: .seconds(4))
      let tempo = other.contains("slower") ? 119 : 120
      #expect(bench.lines(per: .milliseconds(1)).last == "2500 playing \(tempo) BPM 4/4 silent", "\(script)")
      #expect(bench.beats.filter { $0.time > .milliseconds(2_000) }.count >= 3)
    }
  }

  @Test func longPlayAfterAnotherStopDoesNotToggleSilence() throws {
    let bench = Bench(
      script: try Script(text: Array("0.5s press play\n2s press play 800ms\n2.2s press tap".utf8), file: "hands"),
      gestures: {
        var gestures = GestureTable.standard
        gestures.bind(.short(.tap), to: .stop)
        return gestures
      }()
    ).ended(after: .seconds(4))
    #expect(bench.lines(per: .milliseconds(1)).last == "2000 stopped 120 BPM 4/4")
  }

  @Test func showingTheTempoDoesNotMoveTheBeat() throws {
    let script = "1s press play\n6.3s down faster\n6.79s down play\n7s up play\n7.1s up faster"
    let bench = Bench(
      Settings(Music(tempo: Tempo(bpm: 40)!)), script: try Script(text: Array(script.utf8), file: "hands")
    ).ended(after: .seconds(20))
    for (time, beat) in bench.beats { #expect(time == .milliseconds(1_001) + .milliseconds(1_500) * beat.index) }
    #expect(bench.beats.map(\.beat.index) == Array(0..<Int64(bench.beats.count)))
    #expect(bench.beats.count == 13)
  }

  @Test func tapThatBecomesALongPressIsUndone() throws {
    var gestures = GestureTable.standard
    gestures.bind(.long(.tap), to: .nextPreset)
    let script = "0.5s press play\n1.2s press tap\n1.7s press tap\n2.2s press tap 700ms"
    let bench = Bench(script: try Script(text: Array(script.utf8), file: "hands"), gestures: gestures)
      .ended(after: .seconds(6))
    let shifted = bench.beats.filter { ($0.time - .milliseconds(501)) != .milliseconds(500) * $0.beat.index }
    // The taps moved the beat at 2501 ms; later beats did not move.
    #expect(shifted.map(\.time) == [.milliseconds(2_700)])
    #expect(bench.beats.map(\.beat.index) == Array(0..<Int64(bench.beats.count)))
  }

  // MARK: - Chords

  @Test(arguments: [("play", "faster"), ("faster", "play")])
  func chordShowsTheTempoAndDoesNothingElse(first: String, second: String) throws {
    let script = "1s down \(first)\n1.1s down \(second)\n1.3s up \(first)\n1.4s up \(second)"
    let bench = try bench(script, until: .seconds(9))
    #expect(bench.lines(per: .milliseconds(1)).last == "1100 stopped 120 BPM 4/4")
    // Blinks 1, 2 and 0, starting 300 ms plus the lead after the chord.
    let flashes = bench.rises(of: .light).filter { $0 > .milliseconds(1_100) }
    #expect(flashes == [1_401, 2_201, 2_501, 3_301].map(Nanoseconds.milliseconds))
    #expect(flashes == bench.rises(of: .buzzer).filter { $0 > .milliseconds(1_100) })
    #expect(bench.finalLevels == .inactive)
  }

  @Test func slowerAndFasterRestoreTheConfiguredTempo() throws {
    let rules = Rules(homeTempo: Tempo(milliBPM: 92_500)!)
    expect(
      try states(
        "1s press faster\n2s down slower\n2.05s down faster\n2.9s up slower\n4s up faster", rules: rules,
        until: .seconds(6)),
      """
      0 stopped 120 BPM 4/4
      1000 stopped 121 BPM 4/4
      2000 stopped 120 BPM 4/4
      2050 stopped 92.5 BPM 4/4
      """)
  }

  @Test func chordMayCombineBoxAndPedal() throws {
    let states = try states(
      "1s down play@1\n1.2s down faster\n1.3s up faster\n1.4s up play@1", until: .seconds(6))
    #expect(states.last == "1200 stopped 120 BPM 4/4")
  }

  // MARK: - Dials

  @Test func fastDialMakesLargerSteps() throws {
    expect(
      try states(
        """
        1s turn tempo 1
        2s turn tempo 2
        2.1s turn tempo 1
        2.15s turn tempo 1
        2.17s turn tempo 1
        2.18s turn tempo -1
        2.2s turn tempo -1
        """, until: .seconds(4)),
      """
      0 stopped 120 BPM 4/4
      1000 stopped 121 BPM 4/4
      2000 stopped 123 BPM 4/4
      2100 stopped 124 BPM 4/4
      2150 stopped 126 BPM 4/4
      2170 stopped 131 BPM 4/4
      2180 stopped 130 BPM 4/4
      2200 stopped 125 BPM 4/4
      """)
  }

  @Test func dialWithoutPresetsIsRefusedByOneLongFlash() throws {
    let bench = try bench("1s turn preset 1", until: .seconds(4))
    #expect(bench.rises(of: .light) == [.milliseconds(1_301)])
    #expect(bench.rises(of: .buzzer) == [])
    #expect(bench.lines(per: .milliseconds(1), [.line]) == ["1301 light on", "1901 light off"])
  }

  // MARK: - Unplugged devices, unreadable buttons

  @Test func unpluggedPedalIsNotHeld() throws {
    let states = try states(
      "1s down faster@1\n1.9s unplug 1\n2.5s up faster@1\n3s plug 1\n4s press faster@1", until: .seconds(6))
    #expect(states.last == "4000 stopped 124 BPM 4/4")
    #expect(states.count == 5)
  }

  @Test func heldButtonDoesNotRepeatWhileUnreadable() throws {
    var faults = FaultPlan()
    faults.fail(.readEdges, .other, errno: 5, on: .during(.zero + .milliseconds(1_200)..<(.zero + .seconds(5))))
    let bench = try bench(
      "1s down faster\n1.4s up faster\n2s press play@1\n6s press faster", faults: faults, until: .seconds(8))
    expect(
      bench.lines(per: .milliseconds(1)),
      """
      0 stopped 120 BPM 4/4
      1000 stopped 121 BPM 4/4
      2000 playing 121 BPM 4/4
      6000 playing 122 BPM 4/4
      """)
  }

  /// A full queue makes edges doubtful. Presses of 1 ms queue up while the chip cannot be read. If 16 edges of a button are
  /// queued, some may be lost: after the first release in the lock-out no press counts until the button reads open.
  @Test(arguments: [(7, 127), (8, 121)]) func fullQueueMakesEdgesDoubtful(clicks: Int, tempo: Int) throws {
    var faults = FaultPlan()
    faults.fail(.readEdges, .other, errno: 5, on: .during(.zero + .milliseconds(900)..<(.zero + .milliseconds(1_950))))
    let script = (0..<clicks).map { "1.\($0)s press faster 1ms" }.joined(separator: "\n")
    let states = try bench(script, faults: faults, until: .seconds(4)).lines(per: .milliseconds(1))
    #expect(states.last?.hasSuffix("stopped \(tempo) BPM 4/4") == true, "\(states)")
  }

  // MARK: - Automatic stop

  @Test func idleMetronomeStopsAfterTheTimeout() throws {
    let rules = Rules(autoStop: .seconds(10))
    // A button without a command, a release and a dial count as input too.
    expect(
      try states(
        "1s press play\n9s press tap\n18.5s turn tempo 1\n40s press play\n45s down faster\n45.3s up faster",
        rules: rules,
        until: .seconds(70)),
      """
      0 stopped 120 BPM 4/4
      1000 playing 120 BPM 4/4
      18500 playing 121 BPM 4/4
      28500 stopped 121 BPM 4/4
      40000 playing 121 BPM 4/4
      45000 playing 122 BPM 4/4
      55000 stopped 122 BPM 4/4
      """)
  }

  @Test func heldButtonCountsAsInput() throws {
    let states = try states(
      "1s press play\n2s down faster\n8s up faster", rules: Rules(autoStop: .seconds(3)), until: .seconds(20))
    #expect(states.last?.hasPrefix("109") == true && states.last?.contains("stopped") == true)
  }

  @Test func listingPresetsDoesNotCountAsInput() {
    let bench = Bench(script: Script(), rules: Rules(autoStop: .seconds(3)))
    bench.simulation.perform(.start)
    for second in 1...5 {
      bench.simulation.run(until: .zero + .seconds(Int64(second)))
      _ = bench.simulation.engine.control.carryOut(.list, at: bench.simulation.board.clock.now)
    }
    bench.ended(after: .seconds(6))
    #expect(bench.lines(per: .milliseconds(1)).last == "3000 stopped 120 BPM 4/4")
  }
}
