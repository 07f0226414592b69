import BoardCheck
import HardwareAbstraction
import MetronomeCore
import Testing

@Suite struct ButtonTrialTests {
  /// What is found after edges of `play`, as `d0 u80.5`: down at 0 and up at 80.5 ms; other buttons' as `faster:d10`.
  private func found(_ text: String) -> String {
    var trial = ButtonTrial(.play, lockOut: .milliseconds(25))
    for word in text.split(separator: " ") {
      let parts = word.split(separator: ":")
      let button = parts.count > 1 ? Button(rawValue: String(parts[0])) ?? .play : .play
      let edge = parts[parts.count - 1]
      let time = Double(edge.dropFirst()) ?? 0
      trial.take(
        ButtonEdge(button, edge.first == "d" ? .down : .up, at: .zero + .microseconds(Int64((time * 1_000).rounded()))))
    }
    let finding = trial.finding("buttons.play", waitedFor: .seconds(15), in: "box.yaml")
    return "\(finding.state): \(finding.text)" + (finding.remedy.map { " → \($0)" } ?? "")
  }

  @Test func aCleanPress() {
    #expect(found("d0 u80.5") == "right: one press, held for 80.5 ms, 2 edges; it did not bounce")
  }

  @Test func aBouncingPress() {
    #expect(
      found("d0 u0.4 d1.2 u80 d80.3 u83.1") == "right: one press, held for 83.1 ms, 6 edges; it bounced for 3.1 ms")
  }

  @Test func aWornContact() {
    #expect(
      found("d0 u8 d20 u90")
        == "doubtful: one press, held for 90 ms, 4 edges; it bounced for 20 ms, which is nearly as long"
        + " as debounce_ms allows → set debounce_ms in box.yaml to 41, or take another button")
  }

  @Test func severalPresses() {
    #expect(found("d0 u80 d200 u280") == "right: 2 presses within 280 ms, 4 edges; it did not bounce")
  }

  @Test func nothing() {
    #expect(
      found("")
        == "doubtful: no edge within 15 s → look after the wire from its line to the button, and from the button to"
        + " ground; buttons.play.line in box.yaml says which line")
  }

  @Test func anotherButton() {
    #expect(
      found("faster:d0 faster:u80")
        == "doubtful: no edge within 15 s; faster moved instead → if that was this button, exchange"
        + " the two wires, or buttons.play.line and buttons.faster.line in box.yaml")
  }

  @Test func aButtonThatIsTheWrongWayRound() {
    #expect(
      found("u0 d80") == "doubtful: its first edge was that of letting go → if it was not held, it rests closed: set"
        + " buttons.play.active the other way round in box.yaml")
  }

  @Test func aButtonThatStaysDown() {
    #expect(
      found("d0")
        == "doubtful: pressed, and not let go again within 15 s → let go of it; if it stays down, the contact sticks"
        + " or its wire is shorted")
  }

  @Test func itIsOverWhenTheContactHasComeToRestOpen() {
    var trial = ButtonTrial(.play, lockOut: .milliseconds(25))
    #expect(trial.end == nil)
    trial.take(ButtonEdge(.faster, .up, at: .zero))
    trial.take(ButtonEdge(.play, .down, at: .zero))
    #expect(trial.end == nil)
    trial.take(ButtonEdge(.play, .up, at: .zero + .milliseconds(80)))
    #expect(trial.end == .zero + .milliseconds(380))
  }
}
