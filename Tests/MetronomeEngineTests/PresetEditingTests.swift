import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// Edits of a list of presets: of the list alone, and by requests to a state archive.
@Suite struct PresetEditingTests {
  enum Kind: CaseIterable {
    case list
    case archive
  }

  private final class Store {
    private var list = PresetList()
    private let archive: ArchivedPresets?

    init(_ kind: Kind) { archive = kind == .archive ? ArchivedPresets(StateArchive(SimulatedDisk())) : nil }

    init(_ archive: ArchivedPresets) { self.archive = archive }

    var presets: PresetList { archive?.savedState.presets ?? list }
    var count: Int { presets.count }

    func exists(_ name: PresetName) -> Bool { presets[name] != nil }

    func save(_ preset: Preset) throws {
      try change(.save(preset.name, MusicChange(tempo: preset.tempo, signature: preset.signature))) {
        list throws(PresetError) in try list.save(preset)
      }
    }

    func rename(_ name: PresetName, to newName: PresetName) throws {
      try change(.rename(name, to: newName)) { list throws(PresetError) in try list.rename(name, to: newName) }
    }

    func delete(_ name: PresetName) throws {
      try change(.delete(name)) { list throws(PresetError) in try list.delete(name) }
    }

    func move(_ name: PresetName, to place: Int) throws {
      try change(.move(name, place: place)) { list throws(PresetError) in try list.move(name, to: place) }
    }

    private func change(_ request: PresetRequest, _ edit: (inout PresetList) throws(PresetError) -> Void) throws {
      guard let archive else { return try edit(&list) }
      if let error = try archive.carryOut(request).error { throw error }
    }
  }

  private func name(_ text: String) -> PresetName { PresetName(text)! }

  private func preset(_ text: String, _ bpm: Int = 120) -> Preset {
    Preset(name(text), Music(tempo: Tempo(bpm: bpm)!, signature: .initial))
  }

  private func filled(_ kind: Kind, _ texts: String...) throws -> Store {
    let store = Store(kind)
    for text in texts { try store.save(preset(text)) }
    return store
  }

  private func names(_ store: Store) -> String {
    store.presets.presets.map(\.name.description).joined(separator: " ")
  }

  @Test(arguments: Kind.allCases) func newListIsEmpty(kind: Kind) throws {
    let store = Store(kind)
    let (count, exists) = (store.count, store.exists(name("a")))
    #expect(count == 0 && !exists)
  }

  @Test(arguments: Kind.allCases) func presetsKeepTheOrderInWhichTheyAreSaved(kind: Kind) throws {
    let store = try filled(kind, "b", "a", "c")
    let (list, count) = (names(store), store.count)
    let exists = [store.exists(name("a")), store.exists(name("d"))]
    #expect(list == "b a c" && count == 3 && exists == [true, false])
  }

  @Test(arguments: Kind.allCases) func savingAPresetAgainKeepsItsPlace(kind: Kind) throws {
    let store = try filled(kind, "a", "b")
    try store.save(preset("a", 99))
    let (list, saved) = (names(store), store.presets[name("a")])
    #expect(list == "a b" && saved == preset("a", 99))
  }

  @Test(arguments: Kind.allCases) func renamedPresetKeepsItsPlace(kind: Kind) throws {
    let store = try filled(kind, "a", "b", "c")
    try store.rename(name("b"), to: name("z"))
    try store.rename(name("z"), to: name("z"))
    let list = names(store)
    #expect(list == "a z c")
  }

  @Test(arguments: Kind.allCases) func deletedPresetIsRemovedFromTheList(kind: Kind) throws {
    let store = try filled(kind, "a", "b", "c")
    try store.delete(name("b"))
    let list = names(store)
    #expect(list == "a c")
  }

  @Test(arguments: Kind.allCases) func movedPresetIsAtItsNewPlace(kind: Kind) throws {
    let store = try filled(kind, "a", "b", "c")
    var lists: [String] = []
    for (text, place) in [("a", 3), ("a", 1), ("b", 99), ("b", -5), ("c", 2), ("b", .max), ("b", .min)] {
      try store.move(name(text), to: place)
      lists.append(names(store))
    }
    #expect(lists == ["b c a", "a b c", "a c b", "b a c", "b c a", "c a b", "b c a"])
  }

  @Test(arguments: Kind.allCases) func refusedRequestsChangeNothing(kind: Kind) throws {
    let store = try filled(kind, "a", "b")
    let missing = PresetError.noSuchPreset(name("x"))
    #expect(throws: missing) { try store.delete(name("x")) }
    #expect(throws: missing) { try store.move(name("x"), to: 1) }
    #expect(throws: missing) { try store.rename(name("x"), to: name("y")) }
    #expect(throws: PresetError.nameIsTaken(name("b"))) { try store.rename(name("a"), to: name("b")) }
    let list = names(store)
    #expect(list == "a b")
  }

  @Test(arguments: Kind.allCases) func fullListRefusesNewPresetsAndUpdatesExistingOnes(kind: Kind) throws {
    let store = Store(kind)
    for place in 1...PresetList.capacity { try store.save(preset(String(place))) }
    #expect(throws: PresetError.isFull) { try store.save(preset("one more")) }
    try store.save(preset("7", 77))
    let (count, seventh) = (store.count, store.presets[name("7")])
    #expect(count == 128 && seventh == preset("7", 77))
  }

  @Test func requestsWithoutAChangeWriteNothing() throws {
    let disk = SimulatedDisk()
    let store = ArchivedPresets(StateArchive(disk))
    _ = try store.carryOut(.save(name("a"), MusicChange()))
    let steps = disk.steps
    _ = try store.carryOut(.save(name("a"), MusicChange()))
    _ = try store.carryOut(.list)
    #expect(steps > 0 && disk.steps == steps)
  }

  /// A preset is saved with the tempo that the metronome will start with: the saved tempo, or the configured tempo if the state
  /// is not restored.
  @Test(arguments: [(true, 77), (false, 99)])
  func presetIsSavedWithTheTempoOfTheNextStart(restores: Bool, bpm: Int) throws {
    let disk = SimulatedDisk()
    try StateArchive(disk).save(SavedState(Music(tempo: Tempo(bpm: 77)!)))
    let store = ArchivedPresets(
      StateArchive(disk), initial: SavedState(Music(tempo: Tempo(bpm: 99)!)), restores: restores)
    let reply = try store.carryOut(.save(name("a"), MusicChange()))
    #expect(reply.savedState.presets[name("a")] == preset("a", bpm) && reply.savedState.tempo == Tempo(bpm: 77))
  }

  /// Only a save renames a damaged file. A list request changes no file, and the notice does not report a renamed file.
  @Test func damagedFileIsRenamedOnlyByASave() throws {
    let disk = SimulatedDisk()
    try disk.write("state", [1])
    let store = ArchivedPresets(StateArchive(disk))
    func notice() -> String? { store.findings.notice(isPlaying: false) { "error \($0)" } }
    _ = try store.carryOut(.list)
    #expect(disk.fileNames == ["state"])
    #expect(
      notice() == "state is not a metronome state file; there is no other saved state, so the values of the "
        + "configuration apply")
    _ = try store.carryOut(.save(name("a"), MusicChange()))
    #expect(disk.fileNames == ["state", "state.damaged"])
    #expect(notice()?.contains(", renamed to state.damaged; ") == true)
  }

  @Test func damagedFileThatCannotBeRenamedIsReported() throws {
    let disk = SimulatedDisk()
    try disk.write("state", [1])
    var options = SimulatedBoard.Options()
    options.stateFolder = disk
    options.faults.fail(.saveState, .readOnly, errno: 30, on: .call(1))
    _ = try SimulatedBoard(options, recorder: TraceRecorder(sinks: []))
    let store = ArchivedPresets(StateArchive(disk))
    #expect(throws: HardwareError(.saveState, .readOnly, errno: 30)) { try Store(store).save(preset("a")) }
    #expect(
      store.findings.notice(isPlaying: false) { "error \($0)" }
        == "state is not a metronome state file and cannot be renamed (error 30); nothing is saved until the "
        + "file is renamed"
    )
  }

  @Test func failedSaveKeepsTheSavedPresets() throws {
    let disk = SimulatedDisk()
    var options = SimulatedBoard.Options()
    options.stateFolder = disk
    options.faults.fail(.saveState, .full, errno: 28, on: .call(5))
    _ = try SimulatedBoard(options, recorder: TraceRecorder(sinks: []))
    let store = Store(ArchivedPresets(StateArchive(disk)))
    try store.save(preset("a"))
    #expect(throws: HardwareError(.saveState, .full, errno: 28)) { try store.save(preset("b")) }
    let list = names(store)
    #expect(list == "a")
  }
}
