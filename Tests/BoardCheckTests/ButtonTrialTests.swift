import HardwareAbstraction
import MetronomeCore
import Testing

@testable import BoardCheck

@Suite struct ButtonTrialTests {
  /// The verdict after edges of `play`, written as `d0 u80.5`: down at 0 and up at 80.5 ms; other buttons as `faster:d10`.
  private func found(_ text: String) -> String {
    var trial = ButtonTrial(.play, lockOut: .milliseconds(25))
    for word in text.split(separator: " ") {
      let parts = word.split(separator: ":")
      let button = parts.count > 1 ? BoxNames.standard.button(named: String(parts[0])) ?? .play : .play
      let edge = parts[parts.count - 1]
      let time = Double(edge.dropFirst()) ?? 0
      trial.record(
        ButtonEdge(button, edge.first == "d" ? .down : .up, at: .zero + .microseconds(Int64((time * 1_000).rounded()))))
    }
    let verdict = trial.verdict("buttons.play", waitedFor: .seconds(15), in: "box.yaml")
    return "\(verdict.state): \(verdict.text)" + (verdict.remedy.map { " → \($0)" } ?? "")
  }

  @Test func cleanPressIsRight() {
    #expect(found("d0 u80.5") == "right: one press, held for 80.5 ms, 2 edges; it did not bounce")
  }

  @Test func bouncingPressIsRight() {
    #expect(
      found("d0 u0.4 d1.2 u80 d80.3 u83.1") == "right: one press, held for 83.1 ms, 6 edges; it bounced for 3.1 ms")
  }

  @Test func longBounceIsDoubtful() {
    #expect(
      found("d0 u8 d20 u90")
        == "doubtful: one press, held for 90 ms, 4 edges; it bounced for 20 ms, which is nearly as long as"
        + " debounce_ms allows → set debounce_ms in box.yaml to 41, or use another button")
  }

  @Test func severalPressesAreCounted() {
    #expect(found("d0 u80 d200 u280") == "right: 2 presses within 280 ms, 4 edges; it did not bounce")
  }

  @Test func missingEdgesAreDoubtful() {
    #expect(
      found("")
        == "doubtful: no edge within 15 s → check the wires from its line to the button and from the button to"
        + " ground; buttons.play.line in box.yaml names the line")
  }

  @Test func edgesOfAnotherButtonAreReported() {
    #expect(
      found("faster:d0 faster:u80")
        == "doubtful: no edge within 15 s; faster had edges instead → if that was this button, swap the two wires,"
        + " or swap buttons.play.line and buttons.faster.line in box.yaml")
  }

  @Test func invertedButtonIsDoubtful() {
    #expect(
      found("u0 d80") == "doubtful: the first edge was a release → if it was not held, its contact is normally"
        + " closed: invert buttons.play.active in box.yaml")
  }

  @Test func unreleasedButtonIsDoubtful() {
    #expect(
      found("d0")
        == "doubtful: pressed, but not released within 15 s → release it; if it stays down, the contact sticks or"
        + " its wire is shorted")
  }

  @Test func trialEndsWhenTheContactStaysOpen() {
    var trial = ButtonTrial(.play, lockOut: .milliseconds(25))
    #expect(trial.end == nil)
    trial.record(ButtonEdge(.faster, .up, at: .zero))
    trial.record(ButtonEdge(.play, .down, at: .zero))
    #expect(trial.end == nil)
    trial.record(ButtonEdge(.play, .up, at: .zero + .milliseconds(80)))
    #expect(trial.end == .zero + .milliseconds(380))
  }
}
