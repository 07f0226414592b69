import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import TestSupport
import Testing

/// The ends of MIDI ports: of the program, and of a port that a reload removes. The other ports notice nothing.
@Suite struct MIDIReloadTests {
  private static func port(_ name: String, latency: Nanoseconds = .zero, _ notes: MIDINotes? = nil) -> MIDIOutputRequest
  {
    MIDIOutputRequest(.named(name), latency: latency, notes: notes)
  }

  /// Clock k at 120 BPM: the first falls 3 ms after the start, if no latency is positive.
  private static func clocks(until end: Int64, lead: Int64 = 3_000_000) -> [Int64] {
    (0...).lazy.map { lead + $0 * 500_000_000 / 24 }.prefix { $0 < end * 1_000_000 }.map(\.self)
  }

  private func clocks(_ rig: MIDINotesRig, on number: (Int64) -> Int) -> [Int64] {
    rig.trace.events.compactMap { event in
      event.what == .midi(.clock, port: number(event.time.count)) ? event.time.count : nil
    }
  }

  private func lost(_ rig: MIDINotesRig) -> Int64 {
    rig.trace.events.reduce(0) { if case .lostClocks(let count, _) = $1.what { $0 + count } else { $0 } }
  }

  @Test func aRemovedPortIsStoppedAndTheOtherGoesOn() throws {
    let (a, b) = (MIDIReloadTests.port("a", MIDINotes()), MIDIReloadTests.port("b"))
    var rig = try MIDINotesRig(MIDINotesRig.settings("120"), ports: [a, b])
    rig.simulation.perform(.start)
    rig.run(until: 510)
    rig.reconfigure([b])
    rig.run(until: 2_100)
    #expect(
      rig.messages(0) == [
        "1000 F2 00 00 FA", "3000 99 4C 7F", "23000 89 4C 00", "503000 99 4D 50", "510000 89 4D 00", "510000 FC",
      ])
    #expect(rig.messages(1) == ["1000 F2 00 00 FA"])
    #expect(clocks(rig) { $0 < 510_000_000 ? 1 : 0 } == MIDIReloadTests.clocks(until: 2_100))
    #expect(lost(rig) == 0 && rig.simulation.board.midi?.opening(of: 0) == 1)
    rig.at(2_100, .stop)
    rig.run(until: 2_200)
    #expect(rig.messages(0).last == "2100000 FC")
  }

  @Test func otherSettingsAndAnotherOrderKeepThePort() throws {
    let a = MIDIReloadTests.port("a")
    var rig = try MIDINotesRig(MIDINotesRig.settings("120"), ports: [a, MIDIReloadTests.port("b")])
    rig.simulation.perform(.start)
    rig.run(until: 510)
    rig.reconfigure([MIDIReloadTests.port("b", latency: .milliseconds(-2), MIDINotes()), a])
    rig.run(until: 1_100)
    #expect(clocks(rig) { $0 < 510_000_000 ? 0 : 1 } == MIDIReloadTests.clocks(until: 1_100))
    let sent = clocks(rig) { $0 < 510_000_000 ? 1 : 0 }
    #expect(sent == MIDIReloadTests.clocks(until: 1_098).map { $0 < 510_000_000 ? $0 : $0 + 2_000_000 })
    #expect(rig.messages(0).suffix(2) == ["1005000 99 4D 50", "1025000 89 4D 00"])
    #expect(lost(rig) == 0)
    #expect((0...1).allSatisfy { rig.simulation.board.midi?.opening(of: $0) == 1 })
  }

  /// At 510 ms a latency of 20 ms makes the clock at 523.8 ms due at once.
  @Test func aHigherLatencyLosesNoClock() throws {
    var rig = try MIDINotesRig(
      MIDINotesRig.settings("120"), ports: [MIDIReloadTests.port("a", latency: .milliseconds(-20))])
    rig.simulation.perform(.start)
    rig.run(until: 510)
    rig.reconfigure([MIDIReloadTests.port("a", latency: .milliseconds(20))])
    rig.run(until: 1_000)
    let late = MIDIReloadTests.clocks(until: 490)
    let early = MIDIReloadTests.clocks(until: 1_020).dropFirst(late.count)
    #expect(
      clocks(rig) { _ in 0 } == late.map { $0 + 20_000_000 } + early.map { max($0 - 20_000_000, 510_000_000) })
    #expect(rig.messages() == ["21000 F2 00 00 FA"])
    #expect(lost(rig) == 0)
  }

  /// One of three ports is another device after each reload, and the order is random.
  @Test(arguments: Seeds.few(5, of: 40))
  func aStormOfReloadsLosesNoClock(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let (a, b) = (MIDIReloadTests.port("a"), MIDIReloadTests.port("b"))
    var rig = try MIDINotesRig(MIDINotesRig.settings("120"), ports: [a, b, MIDIReloadTests.port("c0")])
    var orders: [(since: Int64, numbers: [Int])] = [(0, [0, 1])]
    rig.simulation.perform(.start)
    for reload in 1...100 {
      let instant = Int64(reload) * 20 + Int64.random(in: 0..<20, using: &random)
      rig.run(until: instant)
      let ports = [a, b, MIDIReloadTests.port("c\(reload)")].shuffled(using: &random)
      rig.reconfigure(ports)
      orders.append((instant * 1_000_000, [a, b].compactMap(ports.firstIndex(of:))))
    }
    rig.run(until: 2_100)
    for port in 0...1 {
      let sent = clocks(rig) { time in orders.last { $0.since <= time }?.numbers[port] ?? -1 }
      #expect(sent == MIDIReloadTests.clocks(until: 2_100))
    }
    // Of the other devices only the first had been started.
    let stops = rig.trace.events.compactMap { if case .midi(.stop, let port) = $0.what { port } else { nil } }
    #expect(stops == [2])
    #expect(lost(rig) == 0)
    let midi = try #require(rig.simulation.board.midi)
    #expect((0..<3).map { midi.opening(of: $0) }.filter { $0 == 1 }.count >= 2)
  }

  /// The loop does not run between the stop and the end of the program.
  @Test func theProgramEndsNotesAndFollowers() throws {
    let rig = try MIDINotesRig(MIDINotesRig.settings("120"), ports: [MIDIReloadTests.port("a", MIDINotes())])
    rig.simulation.perform(.start)
    rig.run(until: 510)
    var random = SeededRandom(seed: 1)
    rig.simulation.end(.order, using: &random)
    rig.run(until: 600)
    #expect(rig.messages().suffix(3) == ["503000 99 4D 50", "510000 89 4D 00", "510000 FC"])
  }

  /// Whatever ends the program: here the timeline still plays, as after an error.
  @Test func theLastStepSendsNothingTwice() throws {
    let rig = try MIDINotesRig(MIDINotesRig.settings("120"), ports: [MIDIReloadTests.port("a", MIDINotes())])
    rig.simulation.perform(.start)
    rig.run(until: 510)
    for _ in 0..<2 { rig.simulation.engine.midi.end(at: rig.simulation.board.clock.now) }
    #expect(rig.messages().suffix(3) == ["503000 99 4D 50", "510000 89 4D 00", "510000 FC"])
  }

  @Test func aStoppedMetronomeEndsWithoutAMessage() throws {
    let rig = try MIDINotesRig(MIDINotesRig.settings("120"), ports: [MIDIReloadTests.port("a", MIDINotes())])
    rig.simulation.perform(.start)
    rig.at(700, .stop)
    rig.run(until: 800)
    rig.simulation.engine.midi.end(at: rig.simulation.board.clock.now)
    #expect(rig.messages().last == "700000 FC" && rig.messages().filter { $0.hasSuffix("FC") }.count == 1)
  }
}

/// The numbers, ids and places of MIDI ports.
@Suite struct MIDIPortListTests {
  @Test(arguments: Seeds.few(20, of: 500))
  func aPortKeepsItsIDWhileItsDeviceIsConfigured(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let all = (0..<12).map { MIDIDevice.named("\($0)") }
    var (list, devices) = (MIDIPortList(), [MIDIDevice]())
    var earlier: Set<UInt32> = []
    for _ in 0..<50 {
      let new = Array(all.shuffled(using: &random).prefix(Int.random(in: 0...8, using: &random)))
      let former = list
      list.replace(devices, with: new)
      for (port, device) in new.enumerated() {
        if let before = devices.firstIndex(of: device) {
          #expect(list[port] == former[before])
        } else {
          #expect(!earlier.contains(list[port]) && list[port] != 0)
        }
        #expect(list.port(of: list[port]) == port)
      }
      #expect(list.count == new.count)
      #expect(Set((0..<list.count).map { MIDIPortList.place(of: list[$0]) }).count == list.count)
      earlier.formUnion((0..<list.count).map { list[$0] })
      devices = new
    }
  }
}
