import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import Testing

@Suite struct MIDIKeysTests {
  private func configuration(_ yaml: String) throws -> Configuration {
    try Configuration(yaml: Array(yaml.utf8), file: "m.yaml")
  }

  private func complaint(_ yaml: String) -> String? {
    do {
      _ = try configuration(yaml)
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test func outputsAreReadAndWritten() throws {
    let read = try configuration(
      """
      midi:
        out:
          - device: UMONE
          - {device: "hw:CARD=VirMIDI,DEV=1", latency_us: -20000}
          - device: /dev/ttyAMA0
            latency_us: 320
        clock_when_stopped: false
      """)
    #expect(
      read.wiring.midi == [
        MIDIOutputRequest(.named("UMONE")),
        MIDIOutputRequest(.address("hw:CARD=VirMIDI,DEV=1"), latency: .milliseconds(-20)),
        MIDIOutputRequest(.serial("/dev/ttyAMA0"), latency: .microseconds(320)),
      ])
    #expect(!read.clockWhenStopped)
    #expect(try configuration(read.yaml) == read)
    #expect(read.changes(from: .standard) == ["midi.out", "midi.clock_when_stopped"])
    #expect(Configuration.standard.wiring.midi.isEmpty && Configuration.standard.clockWhenStopped)
  }

  @Test func notesAreReadAndWritten() throws {
    let read = try configuration(
      """
      midi:
        out:
          - {device: A, notes: {}}
          - device: B
            clock: false
            notes:
              channel: 1
              strong: 0
              weak: 127
              ghost: none
              voices: [75, {strong: 56, weak: none}]
              velocity: {strong: 1, ghost: 127}
              length_ms: 1000
      """)
    var notes = MIDINotes()
    (notes.channel, notes.length) = (1, .seconds(1))
    (notes[0, .strong], notes[0, .weak], notes[0, .ghost]) = (0, 127, nil)
    for level in Level.sounding { notes[1, level] = 75 }
    notes[2, .weak] = nil
    (notes.velocities.strong, notes.velocities.ghost) = (1, 127)
    #expect(
      read.wiring.midi == [
        MIDIOutputRequest(.named("A"), notes: MIDINotes()),
        MIDIOutputRequest(.named("B"), sendsClock: false, notes: notes),
      ])
    #expect(try configuration(read.yaml) == read)
    #expect(
      read.yaml.contains(
        """
              notes: {channel: 10, strong: 76, medium: 77, weak: 77, ghost: 77, voices: [56, 56, 56], \
        velocity: {strong: 127, medium: 100, weak: 80, ghost: 40}, length_ms: 20}

        """))
    #expect(read.engineOptions(ClickSounds()).midi == read.wiring.midi)
    let other = try configuration("midi: {out: [{device: A, notes: {length_ms: 21}}]}")
    #expect(other.changes(from: try configuration("midi: {out: [{device: A, notes: {}}]}")) == ["midi.out"])
  }

  @Test(arguments: [
    ("midi: {out: UMONE}", "1:13"),
    ("midi: {out: [UMONE]}", "1:14"),
    ("midi: {out: [{latency_us: 1}]}", "1:14"),
    ("midi: {out: [{device: A, latency_us: 20001}]}", "1:38"),
    ("midi: {out: [{device: A}, {device: A}]}", "1:36"),
    ("midi: {out: [{device: A, channel: 1}]}", "1:26"),
    ("midi: {outs: []}", "1:8"),
    ("midi: {out: [{device: A, clock: false}]}", "1:14"),
    ("midi: {out: [{device: A, clock: 1}]}", "1:33"),
    ("midi: {out: [{device: A, notes: 60}]}", "1:33"),
    ("midi: {out: [{device: A, notes: {channel: 0}}]}", "1:43"),
    ("midi: {out: [{device: A, notes: {strong: 128}}]}", "1:42"),
    ("midi: {out: [{device: A, notes: {rest: 1}}]}", "1:34"),
    ("midi: {out: [{device: A, notes: {velocity: {weak: 0}}}]}", "1:51"),
    ("midi: {out: [{device: A, notes: {velocity: 100}}]}", "1:44"),
    ("midi: {out: [{device: A, notes: {voices: 56}}]}", "1:42"),
    ("midi: {out: [{device: A, notes: {voices: [off]}}]}", "1:43"),
    ("midi: {out: [{device: A, notes: {voices: [1, 2, 3, 4]}}]}", "1:52"),
    ("midi: {out: [{device: A, notes: {length_ms: 1001}}]}", "1:45"),
  ])
  func errorsNameTheirPlace(yaml: String, place: String) {
    #expect(complaint(yaml)?.hasPrefix("m.yaml:\(place): ") == true, "\(complaint(yaml) ?? "none")")
  }

  @Test func controllersAreReadAndWritten() throws {
    let read = try configuration(
      """
      inputs:
        - midi: FCB1010
          channel: 2
          cc: {64: play, 65: tap}
          note: {60: numerator}
          relative: {16: tempo}
          program: recall
        - {midi: "hw:CARD=nano,DEV=0", note: {127: play}, latching: true}
        - {midi: BCR2000, relative: {1: volume}, encoding: sign-magnitude}
        - {midi: UC4, relative: {2: preset}, encoding: twos-complement}
        - {midi: BeatStep, relative: {3: tempo}, encoding: offset-64}
      midi: {in: FCB1010, in_latency_us: -300, transport: follow}
      """)
    var pedal = InputRequest(
      .midi(.named("FCB1010")), keys: [.controller(64): .play, .controller(65): .tap, .note(60): .numerator],
      relative: [.controller(16): .tempo])
    (pedal.channel, pedal.recallsPrograms) = (2, true)
    var other = InputRequest(.midi(.address("hw:CARD=nano,DEV=0")), keys: [.note(127): .play])
    other.isLatching = true
    var dials = [
      InputRequest(.midi(.named("BCR2000")), relative: [.controller(1): .volume]),
      InputRequest(.midi(.named("UC4")), relative: [.controller(2): .preset]),
      InputRequest(.midi(.named("BeatStep")), relative: [.controller(3): .tempo]),
    ]
    (dials[0].encoding, dials[2].encoding) = (.signMagnitude, .offset64)
    #expect(read.wiring.inputs == [pedal, other] + dials)
    // The encoding that is usual is left out.
    #expect(read.yaml.split(separator: "\n").filter { $0.contains("    encoding: ") }.count == 2)
    #expect(read.wiring.midiClock == .named("FCB1010"))
    #expect(read.engineOptions(ClickSounds()).source == SourceOptions(latency: .microseconds(-300), hasTransport: true))
    #expect(try configuration(read.yaml) == read)
    #expect(read.presentButtons.isSuperset(of: [.play, .tap, .numerator]))
  }

  @Test(arguments: [
    ("inputs: [{midi: A}]", "1:10"),
    ("inputs: [{midi: A, cc: {128: play}}]", "1:25"),
    ("inputs: [{midi: A, note: {60: hit}}]", "1:31"),
    ("inputs: [{midi: A, channel: 17, cc: {1: play}}]", "1:29"),
    ("inputs: [{midi: A, keys: {KEY_A: play}}]", "1:20"),
    ("inputs: [{midi: A, cc: {1: play}, latching: 2}]", "1:45"),
    ("inputs: [{midi: A, encoding: offset-64}]", "1:10"),
    ("inputs: [{midi: A, relative: {1: tempo}, encoding: 2}]", "1:52"),
    ("inputs: [{midi: A, cc: {1: play}}, {midi: A, cc: {2: play}}]", "1:43"),
  ])
  func errorsOfControllersNameTheirPlace(yaml: String, place: String) {
    #expect(complaint(yaml)?.hasPrefix("m.yaml:\(place): ") == true, "\(complaint(yaml) ?? "none")")
  }

  @Test func atMostEightOutputs() {
    let devices = (0..<9).map { "{device: P\($0)}" }
    #expect(complaint("midi: {out: [\(devices.dropLast().joined(separator: ", "))]}") == nil)
    #expect(complaint("midi: {out: [\(devices.joined(separator: ", "))]}")?.contains("at most 8") == true)
  }
}
