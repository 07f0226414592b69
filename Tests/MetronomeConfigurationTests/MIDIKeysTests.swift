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

  @Test(arguments: [
    ("midi: {out: UMONE}", "1:13"),
    ("midi: {out: [UMONE]}", "1:14"),
    ("midi: {out: [{latency_us: 1}]}", "1:14"),
    ("midi: {out: [{device: A, latency_us: 20001}]}", "1:38"),
    ("midi: {out: [{device: A}, {device: A}]}", "1:36"),
    ("midi: {out: [{device: A, channel: 1}]}", "1:26"),
    ("midi: {outs: []}", "1:8"),
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
      midi: {in: FCB1010, in_latency_us: -300, transport: follow}
      """)
    var pedal = InputRequest(
      .midi(.named("FCB1010")), keys: [.controller(64): .play, .controller(65): .tap, .note(60): .numerator],
      relative: [.controller(16): .tempo])
    (pedal.channel, pedal.recallsPrograms) = (2, true)
    var other = InputRequest(.midi(.address("hw:CARD=nano,DEV=0")), keys: [.note(127): .play])
    other.isLatching = true
    #expect(read.wiring.inputs == [pedal, other])
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
