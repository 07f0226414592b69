import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// How a metronome restores its saved state.
@Suite struct RestorationTests {
  private let disk = SimulatedDisk()

  private static let savedState: SavedState = {
    var savedState = SavedState(
      Music(tempo: Tempo(bpm: 77)!, signature: Signature(7, over: 8, limit: .none)!), isPlaying: true, isSilent: true)
    try? savedState.presets.save(Preset(PresetName("a")!, Music(tempo: .initial, signature: .initial)))
    savedState.recalled = 1
    return savedState
  }()

  private func start(_ options: EngineOptions = EngineOptions(), faults: FaultPlan = FaultPlan()) throws -> Simulation {
    var board = SimulatedBoard.Options()
    board.stateFolder = disk
    board.faults = faults
    return try Simulation(options, board: board, sinks: [])
  }

  @Test func metronomeRestoresItsStateStopped() throws {
    try StateArchive(disk).save(RestorationTests.savedState)
    let steps = disk.steps
    let simulation = try start()
    var expected = RestorationTests.savedState
    expected.isPlaying = false
    #expect(simulation.engine.control.savedState == expected)
    #expect(simulation.engine.findings.savedState == RestorationTests.savedState)
    #expect(disk.steps == steps)
  }

  @Test func onlyPresetsAreLoadedIfRestoringIsDisabled() throws {
    try StateArchive(disk).save(RestorationTests.savedState)
    let savedState = try start(EngineOptions(restores: false)).engine.control.savedState
    #expect(savedState == SavedState(presets: RestorationTests.savedState.presets, recalled: 1))
  }

  @Test func disallowedSignatureIsRestoredAsTheNearestAllowedOne() throws {
    var state = RestorationTests.savedState
    state.signature = try #require(Signature(7, over: 4, limit: .none))
    try StateArchive(disk).save(state)
    let restored = try start(EngineOptions(settings: Settings(limit: .denominator))).engine.control.savedState
    #expect(restored.signature.description == "4/4")
    let unlimited = try start().engine.control.savedState
    #expect(unlimited.signature == state.signature)
  }

  @Test func configuredSettingsApplyAndAreSavedWithoutASavedState() throws {
    let simulation = try start(EngineOptions(settings: Settings(Music(tempo: Tempo(bpm: 99)!))))
    simulation.run(until: .zero + .seconds(1))
    #expect(StateArchive(disk).load().savedState?.tempo == Tempo(bpm: 99))
  }

  @Test func failureToRenameADamagedFileIsReportedInOneLine() throws {
    try disk.write("state", [1])
    var faults = FaultPlan()
    faults.fail(.saveState, .denied, errno: 13, on: .during(.zero..<(.zero + .seconds(5))))
    let simulation = try start(faults: faults)
    let notice = simulation.engine.findings.notice { "error \($0)" }
    #expect(
      notice
        == "state is not a metronome state file and cannot be renamed (error 13); nothing is saved until the "
        + "file is renamed; playback continues, and renaming is retried")
    simulation.run(until: .zero + .seconds(5))
    #expect(disk.fileNames == ["state"])
    simulation.run(until: .zero + .seconds(20))
    #expect(disk.fileNames == ["state", "state.damaged"])
  }

  /// Presses are saved. The saves are two seconds apart.
  @Test func pressesAreSaved() throws {
    let simulation = try start()
    var script = Script()
    script.press(.faster, at: .seconds(1))
    script.press(.faster, at: .seconds(3))
    simulation.board.buttons.schedule(script.edges(from: .zero))
    var tempi: [Int32?] = []
    for milliseconds in [500, 1_999, 2_001, 3_999, 4_001] as [Int64] {
      simulation.run(until: .zero + .milliseconds(milliseconds))
      tempi.append(StateArchive(disk).load().savedState.map { $0.tempo.milliBPM / 1_000 })
    }
    #expect(tempi == [120, 120, 121, 121, 122])
  }
}
