import MetronomeCore
import Testing

@testable import BoardCheck

@Suite struct MIDITrialTests {
  /// The trial after the bytes of a cable.
  private func trial(_ bytes: [UInt8]) -> (trial: MIDITrial, lines: [String]) {
    var (trial, parser, lines) = (MIDITrial(device: "UMONE"), MIDIParser(), [String]())
    for byte in bytes { if let event = parser.receive(byte), let line = trial.record(event) { lines.append(line) } }
    return (trial, lines)
  }

  @Test func pedalsAreShownOnceAndGetAnEntry() {
    let (trial, lines) = trial([
      0xB0, 64, 127, 64, 0, 64, 127, 64, 0, 0x90, 60, 100, 60, 0, 0xB0, 65, 127, 65, 0, 16, 1, 16, 2, 16, 127, 0xC0, 4,
      0xC0, 5,
    ])
    #expect(
      lines == [
        "UMONE: controller 64, channel 1", "UMONE: note 60, channel 1", "UMONE: controller 65, channel 1",
        "UMONE: controller 16, channel 1", "UMONE: controller 16, channel 1: a dial, twos-complement",
        "UMONE: program changes, channel 1",
      ])
    #expect(trial.findings.map(\.verdict.state) == [.right, .right, .right, .right, .right])
    #expect(
      trial.entry == """
          - midi: "UMONE"
            channel: 1
            cc: {64: play, 65: slower}
            note: {60: tap}
            relative: {16: tempo}
            encoding: twos-complement
            program: recall

        """)
  }

  @Test func aPedalWithoutReleaseIsDoubtful() throws {
    let (trial, _) = trial([0xB3, 80, 127, 80, 127])
    let verdict = try #require(trial.findings.first?.verdict)
    #expect(verdict.state == .doubtful)
    #expect(verdict.text == "on channel 4, pressed, but never released")
    #expect(verdict.remedy?.contains("momentary") == true)
    #expect(trial.entry == "  - midi: \"UMONE\"\n    channel: 4\n    cc: {80: play}\n    latching: true\n")
  }

  private func turns(_ values: [UInt8]) -> [UInt8] { [0xB0] + values.flatMap { [16, $0] } }

  /// Slow and fast turns, as controllers send them.
  @Test(
    arguments: [
      ([1, 1, 1, 127, 127], "twos-complement"), ([1, 127], "twos-complement"),
      ([127, 126, 120, 127, 1, 3, 9, 1, 1], "twos-complement"),
      ([1, 1, 65, 65], "sign-magnitude"), ([1, 65], "sign-magnitude"), ([65, 65, 70, 1, 4, 12], "sign-magnitude"),
      ([65, 65, 63, 63], "offset-64"), ([63, 63, 60, 52, 63, 65, 66, 75], "offset-64"),
    ] as [([UInt8], String)])
  func aDialThatIsTurnedBothWaysHasItsEncoding(values: [UInt8], encoding: String) {
    let (trial, lines) = trial(turns(values))
    #expect(trial.findings.map(\.verdict) == [.right("on channel 1, turned, \(encoding)")])
    #expect(lines == ["UMONE: controller 16, channel 1", "UMONE: controller 16, channel 1: a dial, \(encoding)"])
    #expect(
      trial.entry
        == "  - midi: \"UMONE\"\n    channel: 1\n    relative: {16: tempo}\n    encoding: \(encoding)\n")
  }

  @Test(arguments: [[1, 1, 1], [1, 2, 2, 1], [65, 65, 66], [63, 62, 62]] as [[UInt8]])
  func aDialThatIsTurnedOneWayMustBeTurnedBack(values: [UInt8]) {
    let (trial, lines) = trial(turns(values))
    #expect(
      trial.findings.map(\.verdict) == [
        .doubtful(
          "on channel 1, turned in one direction only",
          remedy: "turn it in both directions, some detents each, so that its encoding is known")
      ])
    #expect(lines.count == 1)
    #expect(
      trial.entry == """
          - midi: "UMONE"
            channel: 1
            relative: {16: tempo}
            # encoding: unknown until a dial is turned both ways

        """)
  }

  /// Parts of a sweep, slow and fast: near the lower end, around the middle, and one message only.
  @Test(
    arguments: [[1, 2, 3, 4, 3, 2, 1], [60, 61, 62, 63, 65, 66], [50, 57, 66, 75], [3, 30, 70], [63, 65], [1]]
      as [[UInt8]])
  func aKnobThatSendsItsPositionIsNoDial(values: [UInt8]) {
    let (trial, _) = trial(turns(values))
    #expect(
      trial.findings.map(\.verdict) == [
        .doubtful(
          "on channel 1, moved, but not like a dial",
          remedy:
            "turn it slowly, some detents in both directions; a knob that sends its position must be set to relative")
      ])
    #expect(trial.entry == nil)
  }

  /// An entry has one encoding.
  @Test func dialsWithAnotherEncodingAreLeftOut() {
    let (trial, _) = trial([0xB0, 16, 65, 16, 65, 16, 63, 17, 1, 17, 1, 17, 127, 18, 65, 18, 63, 18, 63])
    #expect(trial.findings.map(\.verdict.state) == [.right, .doubtful, .right])
    #expect(trial.findings[1].verdict.text == "on channel 1, turned, twos-complement, unlike other dials")
    #expect(trial.entry?.contains("relative: {16: tempo, 18: numerator}\n    encoding: offset-64\n") == true)
  }

  @Test func anExpressionPedalIsAButton() {
    let sweep: [UInt8] = (0..<128).flatMap { (value: UInt8) -> [UInt8] in [11, value] }
    let (trial, _) = trial([0xB0] + sweep)
    #expect(
      trial.findings.map(\.verdict) == [
        .doubtful(
          "on channel 1, sends its position, and is pressed from 64 on",
          remedy: "if it is a knob, set it to relative in the controller, so that it is a dial")
      ])
    #expect(trial.entry?.contains("cc: {11: play}") == true)
  }

  @Test func controlsOnSeveralChannelsHaveNoCommonChannel() {
    let (trial, _) = trial([0xB0, 64, 127, 64, 0, 0xB1, 65, 127, 65, 0])
    #expect(trial.entry == "  - midi: \"UMONE\"\n    cc: {64: play, 65: tap}\n")
  }

  @Test func clocksAreNoControls() {
    let (trial, lines) = trial([0xFA, 0xF8, 0xF8, 0xFC])
    #expect(lines.isEmpty)
    #expect(trial.entry == nil)
    #expect(trial.findings.isEmpty)
  }

  /// There are twelve buttons and six dials to suggest.
  @Test func moreControlsThanButtonsAreNotSuggested() throws {
    let presses: [UInt8] = (40..<60).flatMap { (number: UInt8) -> [UInt8] in [0xB0, number, 127, number, 0] }
    let (trial, _) = trial(presses)
    #expect(trial.findings.count == 20)
    #expect(try #require(trial.entry).split(separator: ",").count == Button.standard.count)
  }
}

@Suite struct MIDIPortTests {
  private let port = MIDIPortFacts(name: "UMONE", uses: [.output, .controls], path: "/dev/snd/midiC1D0")

  private func verdict(_ change: (inout MIDIPortFacts) -> Void, groups: Set<String> = []) -> String {
    var (port, facts) = (port, Box.facts)
    change(&port)
    facts.service?.groups = groups
    facts.midi = [port]
    guard let found = facts.findings.first(where: { $0.area == .midi })?.verdict else { return "" }
    return "\(found.state): \(found.text)" + (found.remedy.map { " → \($0)" } ?? "")
  }

  @Test func aFreePortIsRight() {
    let free = verdict { _ in }
    #expect(free == "right: /dev/snd/midiC1D0, clock out, pedals")
    let own = verdict { $0.holders = [.init(name: "metronome", id: 8)] }
    #expect(own == "right: /dev/snd/midiC1D0, clock out, pedals, used by metronome (8)")
  }

  @Test func aMissingPortIsDoubtfulAndAMissingUARTIsWrong() {
    let missing = verdict { $0.path = nil }
    #expect(missing.hasPrefix("doubtful: is not plugged in (clock out, pedals) → plug it in"))
    let found = verdict {
      $0.path = nil
      $0.isSerial = true
    }
    #expect(found.hasPrefix("wrong: does not exist (clock out, pedals) → on a Raspberry Pi switch the UART"))
  }

  @Test func aConsoleIsWrong() {
    let found = verdict { $0.isConsole = true }
    #expect(found.hasPrefix("wrong: the kernel's console writes to /dev/snd/midiC1D0 →"))
  }

  @Test func anotherProgramIsDoubtful() {
    let found = verdict { $0.holders = [.init(name: "midish", id: 9)] }
    #expect(
      found == "doubtful: /dev/snd/midiC1D0, clock out, pedals: another program uses it, midish (9) → end that program;"
        + " the metronome opens the port as soon as it is free")
  }

  @Test func missingPermissionIsWrongUnlessTheServiceHasIt() {
    let refused = verdict { $0.isUsable = false }
    #expect(
      refused == "wrong: pi has no permission to use /dev/snd/midiC1D0 → sudo usermod -aG audio pi, and log in again")
    let service = verdict({ $0.isUsable = false }, groups: ["audio"])
    #expect(service.hasPrefix("absent: not checked: pi has no permission"))
    let serial = verdict {
      $0.isUsable = false
      $0.isSerial = true
    }
    #expect(serial.contains("-aG dialout pi"))
  }
}
