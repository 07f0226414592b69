import BoardCheck
import MetronomeCore
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What is said of the files in the state folder.
@Suite struct MemoryTests {
  private static let damaged = StateFacts.Loss(
    name: "state", trouble: .content(.damaged), newName: "state.damaged")

  private func box(_ losses: [StateFacts.Loss], _ rest: StateFacts.Rest) -> BoardFacts {
    Box.bare.with { $0.state.contents = .read(losses: losses, rest: rest) }
  }

  @Test func whatIsWhole() {
    #expect(box([], .newest(presets: 2)).said(.state, "memory") == ["right: whole, 2 presets"])
    #expect(box([], .older(presets: 1)).said(.state, "memory") == ["right: whole, 1 preset"])
    #expect(box([], .nothing).said(.state, "memory") == ["right: nothing is remembered yet"])
  }

  private let save = "sudo metronome presets --state /var/lib/metronome save NAME"

  @Test func allThatIsRememberedIsDamaged() {
    let facts = box([MemoryTests.damaged], .nothing)
    let what =
      "doubtful state memory: state is damaged, and there is no other: the next start sets it aside as state.damaged, and"
      + " presets and tempo are lost → "
    #expect(
      facts.complaints == [
        what + "copy a good one to /var/lib/metronome/state before it starts; or, to begin anew, \(save)"
      ])
    let running = facts.with { $0.processes.running = [ProcessFacts.Process(number: 400, name: "metronome")] }
    #expect(
      running.complaints == [
        what + "before it ends, \(save): the metronome that runs still knows all, and writes it"
      ])
  }

  @Test func aGoodOneIsLeft() {
    let older = box([MemoryTests.damaged], .older(presets: 2))
    #expect(
      older.complaints == [
        "doubtful state memory: state is damaged; the good one before it holds, without the last change, and the next start"
          + " sets it aside as state.damaged → end the metronome, and metronome run --state /var/lib/metronome again"
      ])
    let previous = StateFacts.Loss(
      name: "state.previous", trouble: .content(.truncated), newName: "state.previous.damaged.2")
    #expect(
      box([previous], .newest(presets: 2)).with { $0.service = Box.facts.service }.complaints == [
        "doubtful state memory: state.previous breaks off; the newest state is whole, and the next start sets it aside as"
          + " state.previous.damaged.2 → sudo systemctl restart metronome"
      ])
  }

  @Test func severalAtOnce() {
    let previous = StateFacts.Loss(
      name: "state.previous", trouble: .content(.foreign), newName: "state.previous.damaged")
    #expect(
      box([MemoryTests.damaged, previous], .nothing).said(.state, "memory") == [
        "doubtful: state is damaged, state.previous is no state of a metronome, and there is no other: the next start sets"
          + " them aside as state.damaged, state.previous.damaged, and presets and tempo are lost"
      ])
  }

  @Test func whatANewerProgramWrote() {
    let newer = StateFacts.Loss(name: "state", trouble: .content(.future(version: 2)), newName: "state.damaged")
    #expect(
      box([newer], .nothing).complaints == [
        "doubtful state memory: state was written by a newer version of this program (form 2), and there is no other: the next"
          + " start sets it aside as state.damaged, and presets and tempo are lost → install the newer version again; or, to"
          + " begin anew, \(save)"
      ])
  }

  @Test func whatCannotBeSetAside() {
    let stuck = StateFacts.Loss(name: "state", trouble: .refused(errno: EISDIR), newName: nil)
    #expect(
      box([stuck], .nothing).complaints == [
        "wrong state memory: state cannot be read (Is a directory), and cannot be set aside, as so many have been: nothing can"
          + " be saved → sudo rm -r /var/lib/metronome/state.damaged*"
      ])
  }

  @Test func whatOnlyTheServiceMayReadIsNoFault() {
    let said = ["absent: not looked at: pi may not read it (Permission denied)"]
    #expect(Box.facts.with { $0.state.contents = .unread(errno: EACCES) }.said(.state, "memory") == said)
    let loss = StateFacts.Loss(name: "state", trouble: .refused(errno: EACCES), newName: "state.damaged")
    let facts = box([loss], .nothing)
    #expect(facts.with { $0.service = Box.facts.service }.said(.state, "memory") == said)
    #expect(facts.findings.exitCode == 1)
  }
}
