import MetronomeConfiguration
import Testing

/// Files with several problems.
@Suite struct SeveralProblemsTests {
  private func lines(_ yaml: String) -> [String] {
    (complaint(yaml) ?? "").split(separator: "\n").map(String.init)
  }

  @Test func everyProblemIsReportedInTheOrderOfTheFile() {
    let yaml = """
      tempo: fast
      signature: 4/4
      outputs:
        light: {line: 9999, active: lo}
        lamp: {}
      buttons: []
      audio:
        volume: 2
      volume: 1
      """
    #expect(
      lines(yaml).map { String($0.prefix(40)) } == [
        "m.yaml:1:8: tempo: invalid value \"fast\";",
        "m.yaml:4:17: outputs.light.line: invalid",
        "m.yaml:4:31: outputs.light.active: inval",
        "m.yaml:5:3: outputs.lamp has no line; ad",
        "m.yaml:6:10: buttons cannot be a list; w",
        "m.yaml:8:11: audio.volume: invalid value",
        "m.yaml:9:1: unknown key \"volume\"; write ",
      ])
  }

  @Test func firstProblemIsThatOfTheError() {
    do throws(ConfigurationError) {
      _ = try configuration("tempo: a\nautoplay: b\nrestore: c")
      Issue.record("accepted")
    } catch {
      #expect(error.line == 1)
      #expect(error.further.map(\.line) == [2, 3])
      #expect(error.further.map(\.problem) == ["autoplay: invalid value \"b\"", "restore: invalid value \"c\""])
      #expect(error.further.allSatisfy { $0.further.isEmpty })
    }
  }

  /// A pattern of five notes does not fit the initial signature, 4/4.
  @Test func keysThatDependOnAnInvalidOneAreNotReported() {
    #expect(lines("rhythm: X.x.x").count == 1)
    #expect(lines("signature: 5-4\nrhythm: X.x.x") == lines("signature: 5-4"))
    #expect(lines("signatur: 5/4\nrhythm: X.x.x").count == 1)
    // Other sections are still read.
    #expect(lines("signature: 5-4\nrgb: {gren: 5}\ndisplay: {clokc: 6}").count == 3)
  }

  @Test func eachUseOfALineByTwoPartsIsReported() {
    let clashes = "outputs: {light: {line: GPIO4}, buzzer: {line: GPIO4}}\nbuttons: {play: {line: GPIO4}}"
    let used = "GPIO4 is already used by outputs.light on line 1 of the file"
    let other = "use another GPIO line, or set"
    #expect(
      lines(clashes) == [
        "m.yaml:1:48: \(used); \(other) outputs.buzzer.line or outputs.light.line to none",
        "m.yaml:2:24: \(used); \(other) buttons.play.line or outputs.light.line to none",
      ])
    #expect(lines(clashes + "\ntempo: fast").count == 3)
  }

  /// The pendulum, whose line is invalid, has `GPIO27` by default.
  @Test func lineOfADefaultIsNotReportedBesideOtherProblems() {
    #expect(lines("outputs: {light: {line: GPIO27}}").count == 1)
    #expect(lines("outputs: {light: {line: GPIO27}, pendulum: {line: 9999}}").count == 1)
  }

  @Test func everyProblemOfAListIsReported() {
    let yaml = """
      inputs:
        - device: pedal
          keys: {KEY_PAGEDWN: play, KEY_PAGEUP: stopp, KEY_B: faster}
          grap: true
        - pedal
        - {midi: PAD, channel: 17, cc: {200: play, 64: plai}}
        - {device: knob, relative: {REL_X: tempo}}
        - {device: knob, relative: {REL_Y: tempo}}
        - {device: knob, relative: {REL_Z: tempo}}
      midi:
        out:
          - {device: A, latency_us: x, clock: maybe}
          - {device: B, notes: {strong: 128, voices: [56, 200], velocity: {weak: 0, loud: 3}}}
          - {device: C, clock: false}
      audio:
        numbers: {0: {file: a.wav}, 1: {fill: b.wav, onset_ms: x}}
      """
    let places = lines(yaml).map { $0.dropFirst("m.yaml:".count).prefix { $0 != " " } }
    #expect(
      places == [
        "3:12:", "3:43:", "4:5:", "5:5:", "6:26:", "6:35:", "6:50:", "8:14:", "9:14:", "12:31:", "12:41:",
        "13:35:", "13:53:", "13:76:", "13:79:", "14:7:", "16:13:", "16:35:", "16:58:",
      ])
    // Of three equal devices, the first is named.
    #expect(lines(yaml).filter { $0.contains("duplicate device, first used on line 7") }.count == 2)
  }

  @Test func atMostTwentyProblemsOfAListAreReported() {
    let found = lines("inputs:\n" + String(repeating: "- {}\n", count: 30))
    #expect(found.count == 20 && found.last?.hasPrefix("m.yaml:21:") == true)
  }

  @Test func tooManyEntriesAreOneProblem() {
    let outputs = (1...30).map { "{device: a\($0)}" }.joined(separator: ", ")
    #expect(lines("midi: {out: [\(outputs)]}").count == 1)
    let voices = String(repeating: "56, ", count: 30)
    #expect(lines("midi: {out: [{device: a, notes: {voices: [\(voices)]}}]}").count == 1)
  }

  @Test func atMostTwentyProblemsAreReported() {
    let keys = (1...30).map { "zz\($0): 1\n" }.joined()
    #expect(lines(keys).count == 20)
    #expect(lines(keys).last?.hasPrefix("m.yaml:20:1: ") == true)
  }
}
