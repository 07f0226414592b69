import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// The notes of the hits on MIDI ports, against instants that are computed here from fractions.
@Suite struct MIDINotesTests {
  @Test func aNotePerBeatAndItsEnd() throws {
    let rig = try MIDINotesRig(MIDINotesRig.settings("120", "3/4"), ports: [MIDINotesRig.port()])
    rig.simulation.perform(.start)
    rig.run(until: 2_000)
    #expect(
      rig.messages() == [
        "3000 99 4C 7F", "23000 89 4C 00", "503000 99 4D 50", "523000 89 4D 00", "1003000 99 4D 50", "1023000 89 4D 00",
        "1503000 99 4C 7F", "1523000 89 4C 00",
      ])
  }

  /// The hits of a bar, written as `numerator/denominator` of a beat, with their note and velocity.
  struct Music: CustomTestStringConvertible {
    var bpm: String
    var milliBPM: Int64
    var signature: String
    var rhythm: String
    /// Beats in the bar, each a fraction of the note that the tempo counts.
    var beats: Int64
    var beat: (Int64, Int64)
    var hits: [(Int64, Int64, String)]

    var testDescription: String { "\(bpm) \(signature) \(rhythm)" }
  }

  static let music = [
    Music(
      bpm: "133.7", milliBPM: 133_700, signature: "4/4", rhythm: "", beats: 4, beat: (1, 1),
      hits: [(0, 1, "4C 7F"), (1, 1, "4D 50"), (2, 1, "4D 50"), (3, 1, "4D 50")]),
    Music(
      bpm: "61.333", milliBPM: 61_333, signature: "2+2+3/8", rhythm: "", beats: 7, beat: (1, 2),
      hits: [
        (0, 1, "4C 7F"), (1, 1, "4D 50"), (2, 1, "4D 64"), (3, 1, "4D 50"), (4, 1, "4D 64"), (5, 1, "4D 50"),
        (6, 1, "4D 50"),
      ]),
    Music(
      bpm: "97", milliBPM: 97_000, signature: "4/4", rhythm: "X.x. sub=2 swing=2:1 & 3:4", beats: 4, beat: (1, 1),
      hits: [
        (0, 1, "4C 7F"), (0, 1, "38 7F"), (2, 3, "4D 28"), (4, 3, "38 50"), (2, 1, "4D 50"), (8, 3, "4D 28"),
        (8, 3, "38 50"),
      ]),
    Music(
      bpm: "240", milliBPM: 240_000, signature: "3/4", rhythm: "sub=3", beats: 3, beat: (1, 1),
      hits: [
        (0, 1, "4C 7F"), (1, 3, "4D 28"), (2, 3, "4D 28"), (1, 1, "4D 50"), (4, 3, "4D 28"), (5, 3, "4D 28"),
        (2, 1, "4D 50"), (7, 3, "4D 28"), (8, 3, "4D 28"),
      ]),
  ]

  @Test(arguments: music)
  func everyNoteIsExact(music: Music) throws {
    let settings = try MIDINotesRig.settings(music.bpm, music.signature, music.rhythm)
    let rig = try MIDINotesRig(settings, ports: [MIDINotesRig.port(clock: true, latency: .milliseconds(-2))])
    rig.simulation.perform(.start)
    rig.run(until: 60_000)
    var wanted: [String] = []
    // The first beat falls 3 ms after the start, and the port is sent 2 ms late.
    for bar in 0... {
      for (numerator, denominator, bytes) in music.hits {
        let beats = Int128(Int64(bar) * music.beats * denominator + numerator) * Int128(music.beat.0)
        let time = beats * 60_000_000_000_000 / (Int128(denominator * music.beat.1) * Int128(music.milliBPM))
        if time + 5_000_000 <= 60_000_000_000 { wanted.append("\(time + 5_000_000) 99 \(bytes)") }
      }
      if wanted.count < (bar + 1) * music.hits.count { break }
    }
    #expect(wanted.count > 60)
    #expect(rig.notes() == wanted)
    // Each note ends once, and none before it began.
    var sounding: Set<String> = []
    for message in rig.messages().map({ $0.split(separator: " ") }) where message[1] == "99" || message[1] == "89" {
      let key = String(message[2])
      let isRight = message[1] == "99" ? sounding.insert(key).inserted : sounding.remove(key) != nil
      #expect(isRight, "\(message)")
    }
    #expect(sounding.count <= 2)
  }

  @Test func clockComesFirstAndIsTheSameWithAndWithoutNotes() throws {
    var clocks: [[String]] = []
    for notes in [nil, MIDINotes()] {
      let rig = try MIDINotesRig(
        MIDINotesRig.settings("120", "4/4", "sub=4"),
        ports: [MIDIOutputRequest(.named("a"), notes: notes)])
      rig.simulation.perform(.start)
      rig.at(2_200, .stop)
      rig.run(until: 3_000)
      let sent = rig.trace.events.compactMap { event -> String? in
        guard case .midi(let message, _) = event.what else { return nil }
        return "\(event.time.count) \(message.text)"
      }
      clocks.append(sent.filter { !$0.contains(" 99 ") && !$0.contains(" 89 ") })
      if notes != nil {
        let first = try #require(sent.firstIndex { $0.contains(" 99 ") })
        #expect(sent[..<first] == ["1000000 F2 00 00 FA", "3000000 F8"])
      }
    }
    #expect(clocks[0] == clocks[1] && clocks[0].count > 100)
  }

  @Test func eachVoiceAndLevelHasItsNote() throws {
    var notes = MIDINotes()
    notes.channel = 3
    notes[0, .strong] = 60
    notes[0, .weak] = nil
    notes[1, .strong] = 62
    notes[1, .weak] = 0
    notes.velocities.strong = 1
    let rig = try MIDINotesRig(MIDINotesRig.settings("60", "2/4", "& 3:2"), ports: [MIDINotesRig.port(notes)])
    rig.simulation.perform(.start)
    rig.run(until: 2_000)
    #expect(
      rig.messages() == [
        "3000 92 3C 01", "3000 92 3E 01", "23000 82 3C 00", "23000 82 3E 00", "669666 92 00 50", "689666 82 00 00",
        "1336333 92 00 50", "1356333 82 00 00",
      ])
  }

  @Test func twoVoicesWithOneNoteAreOneNote() throws {
    var notes = MIDINotes()
    for level in Level.sounding { notes[1, level] = notes[0, level] }
    notes[0, .strong] = 77
    notes[1, .strong] = 77
    let rig = try MIDINotesRig(MIDINotesRig.settings("120", "2/4", "xX & 2:2"), ports: [MIDINotesRig.port(notes)])
    rig.simulation.perform(.start)
    rig.run(until: 900)
    // The louder of the two, whichever voice has it.
    #expect(rig.notes() == ["3000000 99 4D 7F", "503000000 99 4D 7F"])
  }

  @Test func aNoteEndsBeforeItSoundsAgain() throws {
    var notes = MIDINotes()
    notes.length = .seconds(1)
    let rig = try MIDINotesRig(MIDINotesRig.settings("120", "4/4", "xXxx"), ports: [MIDINotesRig.port(notes)])
    rig.simulation.perform(.start)
    rig.at(1_600, .stop)
    rig.run(until: 2_000)
    #expect(
      rig.messages() == [
        "3000 99 4D 50", "503000 99 4C 7F", "1002000 89 4D 00", "1003000 99 4D 50", "1502000 89 4D 00",
        "1503000 99 4D 50", "1503000 89 4C 00", "1600000 89 4D 00",
      ])
  }

  @Test func aSilentHitDoesNotEndANote() throws {
    var notes = MIDINotes()
    notes.length = .seconds(1)
    var settings = try MIDINotesRig.settings("120", "2/4")
    settings.trainer = Trainer(gap: Trainer.Gap(sounding: 1, silent: 1))
    let rig = try MIDINotesRig(settings, ports: [MIDINotesRig.port(notes)])
    rig.simulation.perform(.start)
    rig.run(until: 1_900)
    #expect(rig.messages() == ["3000 99 4C 7F", "503000 99 4D 50", "1003000 89 4C 00", "1503000 89 4D 00"])
  }

  @Test func volumeScalesTheVelocity() throws {
    let rig = try MIDINotesRig(MIDINotesRig.settings("120"), ports: [MIDINotesRig.port()])
    rig.simulation.perform(.start)
    for _ in 0..<8 { rig.at(100, .volumeDown) }
    rig.run(until: 600)
    // Eight steps of 1.5 dB: 80 · 10^(-12/40).
    #expect(rig.notes() == ["3000000 99 4C 7F", "503000000 99 4D 28"])
  }

  @Test func silentModeAndGapsHaveNoNotes() throws {
    var settings = try MIDINotesRig.settings("120", "2/4")
    settings.trainer = Trainer(gap: Trainer.Gap(sounding: 1, silent: 1))
    let rig = try MIDINotesRig(settings, ports: [MIDINotesRig.port()])
    rig.simulation.perform(.start)
    rig.at(2_010, .toggleSilence)
    rig.at(4_500, .toggleSilence)
    rig.run(until: 6_900)
    #expect(
      rig.messages() == [
        "3000 99 4C 7F", "23000 89 4C 00", "503000 99 4D 50", "523000 89 4D 00", "2003000 99 4C 7F", "2023000 89 4C 00",
        "4503000 99 4D 50", "4523000 89 4D 00", "6003000 99 4C 7F", "6023000 89 4C 00", "6503000 99 4D 50",
        "6523000 89 4D 00",
      ])
  }

  @Test func theCountInHasNotes() throws {
    let rig = try MIDINotesRig(
      MIDINotesRig.settings("120", "2/4", "X. & 3:2"), countIn: 1, ports: [MIDINotesRig.port()])
    rig.simulation.perform(.start)
    rig.run(until: 1_300)
    #expect(
      rig.notes() == [
        "3000000 99 4C 7F", "503000000 99 4D 50", "1003000000 99 4C 7F", "1003000000 99 38 7F",
      ])
  }

  @Test func aStopEndsTheNotes() throws {
    var notes = MIDINotes()
    notes.length = .milliseconds(200)
    let rig = try MIDINotesRig(MIDINotesRig.settings("120"), ports: [MIDINotesRig.port(notes, clock: true)])
    rig.simulation.perform(.start)
    rig.at(530, .stop)
    rig.run(until: 2_000)
    #expect(
      rig.messages() == [
        "1000 F2 00 00 FA", "3000 99 4C 7F", "203000 89 4C 00", "503000 99 4D 50", "530000 FC", "530000 89 4D 00",
      ])
  }
}
