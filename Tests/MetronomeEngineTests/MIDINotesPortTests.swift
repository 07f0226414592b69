import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// Notes on a port that is unplugged, full, late, reloaded or serial.
@Suite struct MIDINotesPortTests {
  @Test func anUnpluggedPortHasItsNotesEndedWhenItReturns() throws {
    var notes = MIDINotes()
    notes.length = .milliseconds(200)
    let rig = try MIDINotesRig(MIDINotesRig.settings("120"), ports: [MIDINotesRig.port(notes)])
    rig.simulation.perform(.start)
    rig.run(until: 1_100)
    rig.simulation.board.midi?.unplug(0)
    rig.simulation.engine.waker.wakeAll()
    rig.run(until: 2_600)
    rig.simulation.board.midi?.plug(0)
    rig.simulation.engine.waker.wakeAll()
    rig.run(until: 3_200)
    #expect(
      rig.messages().dropFirst(4) == ["1003000 99 4D 50", "2600000 89 4D 00", "3003000 99 4D 50"])
  }

  @Test func aFullPortLosesNotesButNoEnd() throws {
    let rig = try MIDINotesRig(MIDINotesRig.settings("120"), ports: [MIDINotesRig.port()])
    rig.simulation.perform(.start)
    rig.run(until: 510)
    rig.simulation.board.midi?.fill(0, until: .zero + .milliseconds(1_010))
    rig.run(until: 1_600)
    #expect(
      rig.messages().dropFirst(2) == ["503000 99 4D 50", "1010000 89 4D 00", "1503000 99 4D 50", "1523000 89 4D 00"])
  }

  @Test func notesLostByAStallAreNotCaughtUp() throws {
    let rig = try MIDINotesRig(MIDINotesRig.settings("120"), ports: [MIDINotesRig.port()])
    rig.simulation.perform(.start)
    rig.simulation.delay(.midi, by: .seconds(2), from: .zero + .milliseconds(1_100))
    rig.run(until: 3_600)
    #expect(
      rig.notes() == [
        "3000000 99 4C 7F", "503000000 99 4D 50", "1003000000 99 4D 50", "3503000000 99 4D 50",
      ])
  }

  @Test func aReloadChangesTheNotes() throws {
    var rig = try MIDINotesRig(MIDINotesRig.settings("120"), ports: [MIDINotesRig.port()])
    rig.simulation.perform(.start)
    rig.run(until: 510)
    var notes = MIDINotes()
    notes.channel = 1
    rig.reconfigure([MIDINotesRig.port(notes)])
    rig.run(until: 1_100)
    rig.reconfigure([MIDIOutputRequest(.named("a"))])
    rig.run(until: 2_100)
    #expect(
      rig.messages() == [
        "3000 99 4C 7F", "23000 89 4C 00", "503000 99 4D 50", "510000 89 4D 00", "1003000 90 4D 50", "1023000 80 4D 00",
      ])
  }

  /// At 999 BPM a clock falls every 2.5 ms. Swing of 57 % moves a sixteenth to 0.285 beats, 0.84 of a clock after the sixth
  /// clock: 0.4 ms before the next, and a note takes 0.96 ms.
  @Test func aSerialPortSendsADueClockBeforeANote() throws {
    var lateness: [Bool: Int64] = [:]
    for serial in [false, true] {
      let rig = try MIDINotesRig(
        MIDINotesRig.settings("999", "1/4", "sub=4 swing=57%@16"),
        ports: [MIDINotesRig.port(clock: true, serial: serial)])
      rig.simulation.perform(.start)
      rig.run(until: 400)
      let clocks = rig.trace.events.compactMap { $0.what == .midi(.clock, port: 0) ? $0.time.count : nil }
      let hits = rig.trace.events.compactMap { event -> Int64? in
        guard case .hit(let hit) = event.what else { return nil }
        return (hit.instant - .zero).count
      }
      let notes = rig.notes().compactMap { Int64($0.prefix { $0 != " " }) }
      #expect(notes.count == hits.count && notes.count > 20)
      // Clocks are at their instants, and no note is being transmitted then.
      #expect(clocks == clocks.indices.map { 3_000_000 + Int64($0) * 60_000_000_000 / (24 * 999) })
      if serial {
        for note in notes { #expect(!clocks.contains { $0 > note && $0 < note + 960_000 }) }
      }
      lateness[serial] = zip(notes, hits).map { $0 - $1 }.max()
    }
    #expect(lateness[false] == 0)
    #expect((1..<960_000).contains(lateness[true] ?? 0))
  }
}
