import MetronomeCore
import MetronomeTerminal
import Testing

@Suite struct FingersTests {
  @Test func whatIsTypedInARowIsNoChord() {
    var fingers = Fingers()
    let edges = fingers.press(.play, isHeld: false, at: .zero) + fingers.press(.faster, isHeld: false, at: .zero)
    #expect(commands(edges) == ["0: togglePlaying", "30: stepTempo(byMilliBPM: 1000)"])
  }

  /// Here the first release falls into the lock-out, and counts 100 ms after the press.
  @Test func norWhereTheLockOutIsLong() {
    let lockOut = Nanoseconds.milliseconds(100)
    var fingers = Fingers(lockOut: lockOut)
    let edges =
      fingers.press(.play, isHeld: false, at: .zero) + fingers.press(.faster, isHeld: false, at: .zero)
      + fingers.press(.play, isHeld: false, at: .zero)
    #expect(
      commands(edges, lockOut: lockOut) == [
        "0: togglePlaying", "100: stepTempo(byMilliBPM: 1000)", "200: togglePlaying",
      ])
  }

  @Test func aChordIsOne() {
    var fingers = Fingers()
    #expect(
      commands(fingers.chord(.slower, .faster, at: .zero)) == [
        "0: stepTempo(byMilliBPM: -1000)", "20: resetTempo, taking back 0",
      ])
    #expect(commands(fingers.press(.tap, isHeld: false, at: .zero)) == ["100: tap"])
  }

  @Test func aHeldKeyIsHeldUntilTheNext() {
    var fingers = Fingers()
    let held = fingers.press(.numerator, isHeld: true, at: .zero)
    #expect(held.map(\.direction) == [.down])
    let edges = held + fingers.press(.tap, isHeld: false, at: .zero + .milliseconds(1_100))
    #expect(
      commands(edges) == [
        "500: previousNumerator", "800: previousNumerator", "1040: previousNumerator", "1100: tap",
      ])
    #expect(fingers.letGo(at: .zero + .seconds(3)) == [])
  }

  @Test func aHeldKeyIsALongPressHoweverSoonTheNextComes() {
    var fingers = Fingers()
    let edges =
      fingers.press(.preset1, isHeld: true, at: .zero) + fingers.press(.faster, isHeld: false, at: .zero)
    #expect(commands(edges) == ["500: storePreset(1)", "500: stepTempo(byMilliBPM: 1000)"])
  }

  @Test func keysThatComeTooFastWaitOrAreLeftOut() {
    var fingers = Fingers()
    let pressed = (0..<100).map { _ in fingers.press(.tap, isHeld: false, at: .zero) }
    #expect(pressed.filter { !$0.isEmpty }.count == 4)
    #expect(commands(pressed.flatMap(\.self)) == ["0: tap", "55: tap", "110: tap", "165: tap"])
    #expect(fingers.press(.tap, isHeld: false, at: Instant.zero + .milliseconds(20)).count == 2)
  }

  /// What comes of edges, with the milliseconds at which it does.
  private func commands(_ edges: [ButtonEdge], lockOut: Nanoseconds = Debouncer.standardLockOut) -> [String] {
    var machine = GestureMachine(GestureTable<Command>.standard, lockOut: lockOut)
    var said: [String] = []
    func say(_ event: GestureEvent<Command>) {
      let back = event.takesBack.map { ", taking back \($0.instant.nanoseconds / 1_000_000)" } ?? ""
      said.append("\(event.instant.nanoseconds / 1_000_000): \(event.meaning)\(back)")
    }
    let ordered = edges.enumerated().sorted { ($0.element.instant, $0.offset) < ($1.element.instant, $1.offset) }
    for (place, (_, edge)) in ordered.enumerated() {
      machine.take(edge, say)
      let next = place + 1 < ordered.count ? ordered[place + 1].element.instant : .zero + .seconds(2)
      func isDown(_ button: Button, _ origin: Origin) -> Bool? {
        ordered[...place].last { $0.element.button == button }.map { $0.element.direction == .down }
      }
      if edge.instant < next { machine.settle(at: edge.instant, level: isDown, say) }
      while let deadline = machine.deadline, deadline < next { machine.settle(at: deadline, level: isDown, say) }
    }
    return said
  }
}
