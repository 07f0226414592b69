import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// What is saved is found again, whatever became of a file or two.
@Suite struct StateArchiveTests {
  private let disk = SimulatedDisk()

  private func memory(_ bpm: Int) -> SavedState { SavedState(tempo: Tempo(bpm: bpm)!) }

  private func saved(_ tempi: Int...) throws {
    let archive = StateArchive(disk)
    _ = archive.load()
    for bpm in tempi { try archive.save(memory(bpm)) }
  }

  private func found() throws -> StateFindings {
    let archive = StateArchive(disk)
    var findings = archive.load()
    try archive.repair()
    findings.isSetAside = true
    return findings
  }

  private func notice(_ findings: StateFindings) -> String? { findings.notice { "error \($0)" } }

  private func read(_ name: String) throws -> [UInt8]? { try disk.read(name) }

  @Test func inAnEmptyFolderNothingIsFound() throws {
    let findings = try found()
    #expect(findings.savedState == nil && !findings.isWhole && notice(findings) == nil)
    #expect(disk.steps == 0, "nothing is written before there is something to save")
  }

  @Test func theNewestIsFoundAndThePreviousKept() throws {
    try saved(100, 101, 102)
    let findings = try found()
    #expect(findings.savedState == memory(102) && findings.isWhole && notice(findings) == nil)
    #expect(disk.fileNames == ["state", "state.previous"])
    let previous = try StateFile(try #require(try disk.read("state.previous")))
    #expect(previous == StateFile(memory(101), save: 2))
  }

  static let troubles: [([UInt8], String)] = [
    (Array("hello".utf8), "is no state of a metronome"),
    (Array("metronome state 2\n".utf8), "was written by a newer version of this program (form 2)"),
    (Array(StateFile(SavedState(), save: 9).bytes.dropLast()), "breaks off"),
    ([0, 0, 0], "is damaged"),
  ]

  @Test(arguments: troubles) func whatIsNoGoodIsSetAside(bytes: [UInt8], trouble: String) throws {
    try saved(100, 101)
    try disk.write("state", bytes)
    let findings = try found()
    #expect(findings.savedState == memory(100) && !findings.isWhole)
    #expect(
      notice(findings)
        == "state \(trouble), and is set aside as state.damaged; the good one before it is restored")
    try saved(102)
    // The good one before it was not lost by the save, nor what is set aside.
    let aside = try disk.read("state.damaged")
    #expect(aside == bytes)
    #expect(disk.fileNames == ["state", "state.damaged", "state.previous"])
    try disk.write("state", [])
    let again = try found()
    #expect(again.savedState == memory(100))
  }

  @Test func whatIsSetAsideIsNeverWrittenOver() throws {
    for count in 1...4 as ClosedRange<UInt8> {
      try saved(100)
      try disk.write("state", [count])
      _ = try found()
    }
    let kept = [try read("state.damaged"), try read("state.damaged.2"), try read("state.damaged.4")]
    #expect(kept == [[1], [2], [4]])
    for count in 5...99 { try disk.write("state.damaged.\(count)", []) }
    try disk.write("state", [7])
    let archive = StateArchive(disk)
    var findings = archive.load()
    let error = HardwareError(.saveState, errno: 17, detail: "state cannot be set aside")
    #expect(throws: error) { try archive.save(memory(120)) }
    findings.refusal = error
    #expect(notice(findings)?.contains("cannot be set aside (there are 99 of the kind already)") == true)
    let left = try read("state")
    #expect(left == [7])
    // It is tried again, and there is room.
    try disk.rename("state.damaged.3", to: "elsewhere")
    try archive.save(memory(120))
    let (aside, newest) = (try read("state.damaged.3"), try found().savedState)
    #expect(aside == [7] && newest == memory(120))
  }

  @Test func withoutAGoodOneThereIsNothingToRestore() throws {
    try disk.write("state", [1])
    try disk.write("state.previous", [])
    let findings = try found()
    #expect(findings.savedState == nil)
    #expect(
      notice(findings)
        == "state is no state of a metronome, state.previous breaks off, and is set aside as state.damaged, "
        + "state.previous.damaged; there is no other, so what the configuration says holds")
    #expect(disk.fileNames == ["state.damaged", "state.previous.damaged"])
  }

  @Test func aDamagedPreviousOneLeavesTheNewest() throws {
    try saved(100, 101)
    try disk.write("state.previous", [1])
    let findings = try found()
    #expect(findings.savedState == memory(101) && findings.isWhole)
    #expect(notice(findings)?.hasSuffix("; the newest state is whole") == true)
  }

  @Test func whatCannotBeReadIsSetAside() throws {
    try saved(100, 101)
    var options = SimulatedBoard.Options()
    options.store = disk
    options.faults.fail(.loadState, errno: 13, on: .call(1))
    _ = try SimulatedBoard(options, recorder: TraceRecorder(sinks: []))
    let findings = try found()
    #expect(findings.savedState == memory(100))
    #expect(notice(findings)?.hasPrefix("state cannot be read (error 13), and is set aside as state.damaged") == true)
  }

  /// The renames of a save did not all happen: the new state has still its first name.
  @Test func aSaveThatWasBrokenOffIsEnded() throws {
    try saved(100, 101)
    try disk.write("state.new", StateFile(memory(102), save: 3).bytes)
    let findings = try found()
    #expect(findings.savedState == memory(102) && !findings.isWhole && notice(findings) == nil)
    #expect(disk.fileNames == ["state", "state.previous"])
    let again = try found()
    #expect(again.savedState == memory(102) && again.isWhole)
  }

  @Test func aSaveThatWasTornIsForgotten() throws {
    try saved(100, 101)
    try disk.write("state.new", Array(StateFile(memory(102), save: 3).bytes.dropLast(5)))
    let findings = try found()
    #expect(findings.savedState == memory(101) && findings.isWhole && notice(findings) == nil)
  }

  @Test func whatCouldNotBeReadAgainIsNotSaved() throws {
    try saved(100, 101)
    let archive = StateArchive(disk)
    _ = archive.load()
    #expect(throws: HardwareError(.saveState, errno: 22, detail: "what is written could not be read again")) {
      try archive.save(SavedState(recalled: 500))
    }
    let findings = try found()
    #expect(findings.savedState == memory(101) && findings.isWhole)
  }

  /// What cannot be set aside is not written over either.
  @Test func nothingIsSavedBeforeTheDamagedIsSetAside() throws {
    try disk.write("state", [1])
    var options = SimulatedBoard.Options()
    options.store = disk
    options.faults.fail(.saveState, errno: 30, on: .call(1))
    options.faults.fail(.saveState, errno: 30, on: .call(2))
    _ = try SimulatedBoard(options, recorder: TraceRecorder(sinks: []))
    let archive = StateArchive(disk)
    _ = archive.load()
    #expect(throws: HardwareError(.saveState, errno: 30)) { try archive.repair() }
    #expect(throws: HardwareError(.saveState, errno: 30)) { try archive.save(SavedState()) }
    let left = try disk.read("state")
    #expect(left == [1])
    try archive.save(memory(99))
    #expect(disk.fileNames == ["state", "state.damaged"])
  }

  /// The power goes in every step of a few saves, each in many ways; after each something is saved and found again.
  @Test(arguments: SimulatedDisk.Cut.allCases) func whereverThePowerGoesALateStateIsFound(cut: SimulatedDisk.Cut) throws
  {
    try saved(100, 101, 102, 103)
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
            try archive.save(memory(bpm))
          }
        } catch {}
        var random = SeededRandom(seed: seed)
        let survivor = disk.survivor(of: cut, using: &random)
        let second = StateArchive(survivor)
        let findings = second.load()
        // What was being saved, or what was saved before it.
        let bpm = findings.savedState.map { Int($0.tempo.milliBPM) / 1_000 } ?? 99
        #expect((begun - 1...begun).contains(bpm), "\(cut) in step \(step), seed \(seed): \(bpm) of \(begun)")
        #expect(notice(findings) == nil)
        try second.repair()
        try second.save(memory(bpm + 50))
        #expect(StateArchive(survivor).load().savedState == memory(bpm + 50))
      }
    }
  }
}
