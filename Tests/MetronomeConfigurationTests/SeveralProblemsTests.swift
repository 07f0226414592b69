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
        "m.yaml:5:3: unknown key \"lamp\" in output",
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

  @Test func usesOfOneLineAreReportedWhenAllKeysAreRight() {
    let clash = "outputs: {light: {line: GPIO4}, buzzer: {line: GPIO4}}"
    #expect(lines(clash).count == 1)
    let fast = "tempo: invalid value \"fast\"; write \(MalformedDocument.tempo)"
    #expect(lines(clash + "\ntempo: fast") == ["m.yaml:2:8: \(fast)"])
  }

  @Test func atMostTwentyProblemsAreReported() {
    let keys = (1...30).map { "zz\($0): 1\n" }.joined()
    #expect(lines(keys).count == 20)
    #expect(lines(keys).last?.hasPrefix("m.yaml:20:1: ") == true)
  }
}
