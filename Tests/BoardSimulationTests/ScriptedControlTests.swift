import BoardSimulation
import MetronomeCore
import Testing

/// The script's words for commands of other programs, and for a Link session.
@Suite struct ScriptedControlTests {
  private func script(_ text: String) throws -> Script { try Script(text: Array(text.utf8), file: "test") }

  static let lines = [
    "do tempo 133.7", "do 50ms ago tap", "do rhythm X.x. sub=2 & 3:2 sound=click", "do no such command",
    "do 1s ago 2s ago tap", "link join 133", "link join 20", "link tempo 999", "link step +1500us",
    "link jump 0.37", "link start", "link stop", "link leave", "link vanish",
  ]

  @Test(arguments: lines) func linesAreReadAndWritten(line: String) throws {
    let script = try script("2s \(line)  # a comment")
    #expect(script.text == "2s \(line)\n")
    #expect(script.devices.isEmpty && script.mishaps.isEmpty)
  }

  @Test func valuesAreRead() throws {
    var expected = Script()
    expected.schedule(ScriptedControl.command("tempo 92.5"), at: .seconds(1))
    expected.schedule(ScriptedControl.command("tap", ago: .milliseconds(50)), at: .seconds(2))
    expected.schedule(ScriptedControl.join(milliBPM: 133_500), at: .seconds(3))
    expected.schedule(ScriptedControl.tempo(milliBPM: 20_000), at: .seconds(4))
    expected.schedule(ScriptedControl.step(.microseconds(-1_500)), at: .seconds(5))
    expected.schedule(ScriptedControl.jump(milliQuarters: 1_500), at: .seconds(6))
    let text = """
      1s do   tempo\t92.5
      2s do 50ms ago tap
      3s link join 133.5
      4s link tempo 20
      5s link step -1.5ms
      6s link jump 1.5
      """
    #expect(try script(text) == expected)
  }

  private static let forms =
    "write \"link join 133\", \"link tempo 92.5\", \"link step +1.5ms\", \"link jump 1.5\", \"link start\", \"link stop\", "
    + "\"link leave\" or \"link vanish\""
  private static let missing =
    "missing command after \"do\"; write a command of the configuration, such as \"do tempo 92.5\" or \"do 50ms ago tap\""
  private static let wrong: [(text: String, problem: String)] = [
    ("do", missing), ("do 50ms ago", missing),
    ("do soon ago tap", "invalid time \"soon\"; write \(Nanoseconds.textForm), up to 24 hours"),
    ("do 0s ago tap", "invalid time \"0s\"; write more than 0"),
    ("link", "invalid event of a Link session \"link\"; \(forms)"),
    ("link join", "invalid event of a Link session \"link join\"; \(forms)"),
    ("link start now", "invalid event of a Link session \"link start now\"; \(forms)"),
    ("link join 19.999", "invalid tempo \"19.999\"; write 20 to 999 quarters per minute"),
    ("link tempo 999.001", "invalid tempo \"999.001\"; write 20 to 999 quarters per minute"),
    ("link step 1.5ms", "invalid step \"1.5ms\"; write a sign and a time of up to 1s, such as +1.5ms"),
    ("link step -0s", "invalid step \"-0s\"; write a sign and a time of up to 1s, such as +1.5ms"),
    ("link step +1.1s", "invalid step \"+1.1s\"; write a sign and a time of up to 1s, such as +1.5ms"),
    ("link jump 0", "invalid jump \"0\"; write 0.001 to 1000 quarters, such as 1.5"),
    ("link jump 1000.001", "invalid jump \"1000.001\"; write 0.001 to 1000 quarters, such as 1.5"),
  ]

  @Test(arguments: wrong) func wrongLinesAreReported(text: String, problem: String) {
    do throws(ScriptError) {
      _ = try Script(text: Array("1s \(text)".utf8), file: "test")
      Issue.record("\(text) was accepted")
    } catch { #expect(error.description == "test:1: \(problem)") }
  }
}
