import BoardCheck
import MetronomeCore
import Testing

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
        "UMONE: controller 16, channel 1", "UMONE: program changes, channel 1",
      ])
    #expect(trial.findings.map(\.verdict.state) == [.right, .right, .right, .right, .right])
    #expect(
      trial.entry == """
          - midi: "UMONE"
            channel: 1
            cc: {64: play, 65: slower}
            note: {60: tap}
            relative: {16: tempo}
            program: recall

        """)
  }

  @Test func aPedalWithoutReleaseIsDoubtful() throws {
    let (trial, _) = trial([0xB3, 80, 127, 80, 127])
    let verdict = try #require(trial.findings.first?.verdict)
    #expect(verdict.state == .doubtful)
    #expect(verdict.text == "on channel 4, pressed, but never released")
    #expect(verdict.remedy?.contains("momentary") == true)
  }

  @Test func anExpressionPedalIsAButton() {
    let (trial, _) = trial([0xB0] + (0..<128).flatMap { [11, UInt8($0)] })
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
    let (trial, _) = trial((0..<20).flatMap { [0xB0, UInt8($0) + 40, 127, UInt8($0) + 40, 0] })
    #expect(trial.findings.count == 20)
    #expect(try #require(trial.entry).split(separator: ",").count == Button.allCases.count)
  }
}
