import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// How a metronome begins that remembers.
@Suite struct RestorationTests {
  private let disk = SimulatedDisk()

  private static let memory: SavedState = {
    var memory = SavedState(
      tempo: Tempo(bpm: 77)!, signature: Signature(7, over: 8, limit: .none)!, isPlaying: true, isSilent: true)
    try? memory.presets.save(Preset(PresetName("a")!, tempo: .initial, signature: .initial))
    memory.recalled = 1
    return memory
  }()

  private func begun(_ options: EngineOptions = EngineOptions(), faults: FaultPlan = FaultPlan()) throws -> Simulation {
    var board = SimulatedBoard.Options()
    board.store = disk
    board.faults = faults
    return try Simulation(options, board: board, sinks: [])
  }

  @Test func itBeginsAsItIsRememberedButStopped() throws {
    try StateArchive(disk).save(RestorationTests.memory)
    let steps = disk.steps
    let simulation = try begun()
    var wanted = RestorationTests.memory
    wanted.isPlaying = false
    #expect(simulation.engine.control.savedState == wanted)
    #expect(simulation.engine.findings.savedState == RestorationTests.memory)
    #expect(disk.steps == steps)
  }

  @Test func withoutRestoringOnlyThePresetsAreThere() throws {
    try StateArchive(disk).save(RestorationTests.memory)
    let memory = try begun(EngineOptions(restores: false)).engine.control.savedState
    #expect(memory == SavedState(presets: RestorationTests.memory.presets, recalled: 1))
  }

  @Test func aSignatureThatIsNotAllowedIsAsNearAsItMay() throws {
    var memory = RestorationTests.memory
    memory.signature = try #require(Signature(7, over: 4, limit: .none))
    try StateArchive(disk).save(memory)
    let restored = try begun().engine.control.savedState
    #expect(restored.signature.description == "4/4")
  }

  @Test func withoutAMemoryTheSettingsHoldAndAreSaved() throws {
    let simulation = try begun(EngineOptions(settings: Settings(tempo: Tempo(bpm: 99)!)))
    simulation.run(until: .zero + .seconds(1))
    #expect(StateArchive(disk).load().savedState?.tempo == Tempo(bpm: 99))
  }

  @Test func whatCannotBeSetAsideIsToldInOneLine() throws {
    try disk.write("state", [1])
    var faults = FaultPlan()
    faults.fail(.saveState, errno: 13, on: .during(.zero..<(.zero + .seconds(5))))
    let simulation = try begun(faults: faults)
    let notice = simulation.engine.findings.notice { "error \($0)" }
    #expect(
      notice
        == "state is no state of a metronome, and cannot be set aside (error 13): the state cannot be saved before "
        + "it is; playing goes on, and it is tried again")
    simulation.run(until: .zero + .seconds(5))
    #expect(disk.fileNames == ["state"])
    simulation.run(until: .zero + .seconds(20))
    #expect(disk.fileNames == ["state", "state.damaged"])
  }

  /// In silence, and by its own loop: what the control loop did at an instant is on the disk two seconds later.
  @Test func whatIsPressedIsSaved() throws {
    let simulation = try begun()
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
