import HardwareAbstraction
import MetronomeCore
import Testing

@testable import BoardCheck

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Findings on the files in the state folder.
@Suite struct MemoryTests {
  private static let damaged = UnusableStateFile(
    name: "state", reason: .content(.damaged), newName: "state.damaged")

  private func box(_ files: [UnusableStateFile], _ rest: StateFacts.Rest) -> BoardFacts {
    Box.bare.with { $0.state.contents = .read(unusable: files, rest: rest) }
  }

  @Test func wholeStateIsRight() {
    #expect(box([], .newest(presets: 2)).text(.state, "memory") == ["right: intact, 2 presets"])
    #expect(box([], .older(presets: 1)).text(.state, "memory") == ["right: intact, 1 preset"])
    #expect(box([], .nothing).text(.state, "memory") == ["right: no state is saved yet"])
  }

  private let save = "sudo metronome presets --state /var/lib/metronome save NAME"

  @Test func damagedStateWithoutACopyIsDoubtful() {
    let facts = box([MemoryTests.damaged], .nothing)
    let what =
      "doubtful state memory: state is damaged, and no other copy exists: the next start renames"
      + " state to state.damaged, and presets and tempo are lost → "
    #expect(
      facts.complaints == [
        what + "copy a backup to /var/lib/metronome/state before the metronome starts; or, to start afresh, \(save)"
      ])
    let running = facts.with { $0.processes.running = [ProcessFacts.Process(number: 400, name: "metronome")] }
    #expect(
      running.complaints == [
        what + "run \(save) before the running metronome ends: the metronome still has the state in memory, and this"
          + " makes it save the state"
      ])
  }

  @Test func damagedStateWithACopyIsDoubtful() {
    let older = box([MemoryTests.damaged], .older(presets: 2))
    #expect(
      older.complaints == [
        "doubtful state memory: state is damaged; the previous copy is intact, but lacks the last change; the next"
          + " start renames state to state.damaged → end the metronome, then metronome run --state /var/lib/metronome"
      ])
    let previous = UnusableStateFile(
      name: "state.previous", reason: .content(.truncated), newName: "state.previous.damaged.2")
    #expect(
      box([previous], .newest(presets: 2)).with { $0.service = Box.facts.service }.complaints == [
        "doubtful state memory: state.previous is truncated; the newest state is intact, and the next start renames"
          + " state.previous to state.previous.damaged.2 → sudo systemctl restart metronome"
      ])
  }

  @Test func severalDamagedFilesAreReportedTogether() {
    let previous = UnusableStateFile(
      name: "state.previous", reason: .content(.foreign), newName: "state.previous.damaged")
    #expect(
      box([MemoryTests.damaged, previous], .nothing).text(.state, "memory") == [
        "doubtful: state is damaged, state.previous is not a metronome state file, and no other copy exists: the next"
          + " start renames state to state.damaged, state.previous to state.previous.damaged, and presets and tempo are"
          + " lost"
      ])
  }

  @Test func stateOfANewerVersionIsReported() {
    let newer = UnusableStateFile(name: "state", reason: .content(.future(version: 5)), newName: "state.damaged")
    #expect(
      box([newer], .nothing).complaints == [
        "doubtful state memory: state was written by a newer version of this program (format 5), and no other copy"
          + " exists: the next start renames state to state.damaged, and presets and tempo are lost → install the"
          + " newer version again; or, to start afresh, \(save)"
      ])
  }

  @Test func damagedFileThatCannotBeRenamedIsWrong() {
    let stuck = UnusableStateFile(
      name: "state", reason: .refused(HardwareError(.loadState, .other, errno: EISDIR)), newName: nil)
    #expect(
      box([stuck], .nothing).complaints == [
        "wrong state memory: state cannot be read (Is a directory), and cannot be renamed, because all names for"
          + " damaged files are in use: no state can be saved → sudo rm -r /var/lib/metronome/state.damaged*"
      ])
  }

  @Test func stateReadableOnlyByTheServiceIsNotAFault() {
    let expected = ["absent: not checked: pi may not read the state (Permission denied)"]
    #expect(Box.facts.with { $0.state.contents = .unread(errno: EACCES) }.text(.state, "memory") == expected)
    let loss = UnusableStateFile(
      name: "state", reason: .refused(HardwareError(.loadState, .denied, errno: EACCES)), newName: nil)
    let facts = box([loss], .nothing)
    #expect(facts.with { $0.service = Box.facts.service }.text(.state, "memory") == expected)
    #expect(
      facts.complaints == [
        "wrong state memory: state cannot be read (Permission denied): the file is kept, and no state is saved until"
          + " the file is readable → sudo chown pi /var/lib/metronome/state, then restart the metronome"
      ])
  }
}
