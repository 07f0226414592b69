import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// A state archive loads the newest intact state, even if some of its files are damaged, unreadable or missing.
@Suite struct StateArchiveTests {
  private let disk = SimulatedDisk()

  private func state(_ bpm: Int) -> SavedState { SavedState(Music(tempo: Tempo(bpm: bpm)!)) }

  private func save(_ tempi: Int...) throws {
    let archive = StateArchive(disk)
    _ = archive.load()
    for bpm in tempi { try archive.save(state(bpm)) }
  }

  private func loadAndRepair() throws -> StateFindings {
    let archive = StateArchive(disk)
    var findings = archive.load()
    try archive.repair()
    findings.isSetAside = true
    return findings
  }

  private func notice(_ findings: StateFindings) -> String? { findings.notice { "error \($0)" } }

  private func read(_ name: String) throws -> [UInt8]? { try disk.read(name) }

  @Test func emptyFolderHasNoState() throws {
    let findings = try loadAndRepair()
    #expect(findings.savedState == nil && !findings.isWhole && notice(findings) == nil)
    #expect(disk.steps == 0, "nothing must be written before the first save")
  }

  @Test func newestStateIsLoadedAndThePreviousStateIsKept() throws {
    try save(100, 101, 102)
    let findings = try loadAndRepair()
    #expect(findings.savedState == state(102) && findings.isWhole && notice(findings) == nil)
    #expect(disk.fileNames == ["state", "state.previous"])
    let previous = try StateFile(try #require(try disk.read("state.previous")))
    #expect(previous == StateFile(state(101), save: 2))
  }

  static let unusableFiles: [([UInt8], String)] = [
    (Array("hello".utf8), "is not a metronome state file"),
    (Array("metronome state 5\n".utf8), "was written by a newer version of this program (format 5)"),
    (Array(StateFile(SavedState(), save: 9).bytes.dropLast()), "is truncated"),
    ([0, 0, 0], "is damaged"),
  ]

  @Test(arguments: unusableFiles)
  func unusableFileIsRenamedAndThePreviousStateIsLoaded(bytes: [UInt8], problem: String) throws {
    try save(100, 101)
    try disk.write("state", bytes)
    let findings = try loadAndRepair()
    #expect(findings.savedState == state(100) && !findings.isWhole)
    #expect(
      notice(findings)
        == "state \(problem), renamed to state.damaged; the previous state is restored")
    try save(102)
    // The save lost neither the intact state before it nor the renamed file.
    let renamed = try disk.read("state.damaged")
    #expect(renamed == bytes)
    #expect(disk.fileNames == ["state", "state.damaged", "state.previous"])
    try disk.write("state", [])
    let again = try loadAndRepair()
    #expect(again.savedState == state(100))
  }

  @Test func renamedFileIsNeverOverwritten() throws {
    for count in 1...4 as ClosedRange<UInt8> {
      try save(100)
      try disk.write("state", [count])
      _ = try loadAndRepair()
    }
    let kept = [try read("state.damaged"), try read("state.damaged.2"), try read("state.damaged.4")]
    #expect(kept == [[1], [2], [4]])
    for count in 5...99 { try disk.write("state.damaged.\(count)", []) }
    try disk.write("state", [7])
    let archive = StateArchive(disk)
    var findings = archive.load()
    let error = HardwareError(.saveState, .other, detail: "state cannot be renamed")
    #expect(throws: error) { try archive.save(state(120)) }
    findings.refusal = error
    #expect(notice(findings)?.contains("cannot be renamed (all 99 names for a damaged state are in use)") == true)
    let remaining = try read("state")
    #expect(remaining == [7])
    // The next save retries the renaming, and a name is free.
    try disk.rename("state.damaged.3", to: "elsewhere")
    try archive.save(state(120))
    let (renamed, newest) = (try read("state.damaged.3"), try loadAndRepair().savedState)
    #expect(renamed == [7] && newest == state(120))
  }

  @Test func nothingIsRestoredWithoutAUsableFile() throws {
    try disk.write("state", [1])
    try disk.write("state.previous", [])
    let findings = try loadAndRepair()
    #expect(findings.savedState == nil)
    #expect(
      notice(findings)
        == "state is not a metronome state file, state.previous is truncated, renamed to state.damaged, "
        + "state.previous.damaged; there is no other saved state, so the values of the configuration apply")
    #expect(disk.fileNames == ["state.damaged", "state.previous.damaged"])
  }

  @Test func damagedPreviousFileDoesNotAffectTheNewestState() throws {
    try save(100, 101)
    try disk.write("state.previous", [1])
    let findings = try loadAndRepair()
    #expect(findings.savedState == state(101) && findings.isWhole)
    #expect(notice(findings)?.hasSuffix("; the newest state is intact") == true)
  }

  @Test func unreadableFileIsRenamed() throws {
    try save(100, 101)
    var options = SimulatedBoard.Options()
    options.stateFolder = disk
    options.faults.fail(.loadState, .other, errno: 5, on: .call(1))
    _ = try SimulatedBoard(options, recorder: TraceRecorder(sinks: []))
    let findings = try loadAndRepair()
    #expect(findings.savedState == state(100))
    #expect(notice(findings)?.hasPrefix("state cannot be read (error 5), renamed to state.damaged") == true)
  }

  /// A file without read permission is kept. Its state may be intact, so the file is neither renamed nor overwritten.
  @Test func fileWithoutReadPermissionIsKept() throws {
    try save(100)
    let before = try read("state")
    var options = SimulatedBoard.Options()
    options.stateFolder = disk
    options.faults.fail(.loadState, .denied, errno: 13, on: .call(1))
    _ = try SimulatedBoard(options, recorder: TraceRecorder(sinks: []))
    let archive = StateArchive(disk)
    let findings = archive.load()
    let refusal = HardwareError(.saveState, .denied, errno: 13, detail: "no permission to read state")
    #expect(throws: refusal) { try archive.repair() }
    #expect(throws: refusal) { try archive.save(state(120)) }
    let after = try read("state")
    #expect(findings.savedState == nil && after == before && disk.fileNames == ["state"])
    #expect(
      notice(findings)
        == "state cannot be read (error 13) and is not changed; there is no other saved state, so the values of the "
        + "configuration apply. Nothing is saved until the file is readable and the metronome is restarted")
  }

  /// An interrupted save is completed. Not all its renames were done: the new state still has its temporary name.
  @Test func interruptedSaveIsCompleted() throws {
    try save(100, 101)
    try disk.write("state.new", StateFile(state(102), save: 3).bytes)
    let findings = try loadAndRepair()
    #expect(findings.savedState == state(102) && !findings.isWhole && notice(findings) == nil)
    #expect(disk.fileNames == ["state", "state.previous"])
    let again = try loadAndRepair()
    #expect(again.savedState == state(102) && again.isWhole)
  }

  @Test func tornSaveIsIgnored() throws {
    try save(100, 101)
    try disk.write("state.new", Array(StateFile(state(102), save: 3).bytes.dropLast(5)))
    let findings = try loadAndRepair()
    #expect(findings.savedState == state(101) && findings.isWhole && notice(findings) == nil)
  }

  @Test func stateThatCannotBeReadBackIsNotSaved() throws {
    try save(100, 101)
    let archive = StateArchive(disk)
    _ = archive.load()
    #expect(throws: HardwareError(.saveState, .invalid, detail: "the new state could not be read back")) {
      try archive.save(SavedState(recalled: 500))
    }
    let findings = try loadAndRepair()
    #expect(findings.savedState == state(101) && findings.isWhole)
  }

  /// Nothing is saved before the damaged file is renamed, so a file that cannot be renamed is not overwritten.
  @Test func nothingIsSavedBeforeTheDamagedFileIsRenamed() throws {
    try disk.write("state", [1])
    var options = SimulatedBoard.Options()
    options.stateFolder = disk
    options.faults.fail(.saveState, .readOnly, errno: 30, on: .call(1))
    options.faults.fail(.saveState, .readOnly, errno: 30, on: .call(2))
    _ = try SimulatedBoard(options, recorder: TraceRecorder(sinks: []))
    let archive = StateArchive(disk)
    _ = archive.load()
    #expect(throws: HardwareError(.saveState, .readOnly, errno: 30)) { try archive.repair() }
    #expect(throws: HardwareError(.saveState, .readOnly, errno: 30)) { try archive.save(SavedState()) }
    let remaining = try disk.read("state")
    #expect(remaining == [1])
    try archive.save(state(99))
    #expect(disk.fileNames == ["state", "state.damaged"])
  }

  /// A recent state is loaded after a cut in any step of a few saves. Each step is cut in many ways; after each cut another
  /// state is saved and loaded.
  @Test(arguments: SimulatedDisk.Cut.allCases)
  func recentStateIsLoadedAfterACutInAnyStep(cut: SimulatedDisk.Cut) throws {
    try save(100, 101, 102, 103)
    let steps = disk.steps
    for step in 0..<steps {
      for seed in 0..<20 as Range<UInt64> {
        let disk = SimulatedDisk()
        disk.cutStep = step
        let archive = StateArchive(disk)
        var begun = 99
        do {
          for bpm in 100...103 {
            begun = bpm
            try archive.save(state(bpm))
          }
        } catch {}
        var random = SeededRandom(seed: seed)
        let survivor = disk.survivor(of: cut, using: &random)
        let second = StateArchive(survivor)
        let findings = second.load()
        // The state that was being saved, or the state before it.
        let bpm = findings.savedState.map { Int($0.tempo.milliBPM) / 1_000 } ?? 99
        #expect((begun - 1...begun).contains(bpm), "\(cut) in step \(step), seed \(seed): \(bpm) of \(begun)")
        #expect(notice(findings) == nil)
        try second.repair()
        try second.save(state(bpm + 50))
        #expect(StateArchive(survivor).load().savedState == state(bpm + 50))
      }
    }
  }
}
