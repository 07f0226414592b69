import MetronomeCore
import MetronomeTerminal
import Testing

@Suite struct FingersTests {
  @Test func keysTypedInARowAreNoChord() {
    var fingers = Fingers()
    let edges = fingers.press(.play, at: .zero) + fingers.press(.faster, at: .zero)
    #expect(commands(edges) == ["0: togglePlaying", "30: stepTempo(byMilliBPM: 1000)"])
  }

  /// The first release falls into the lock-out, so it takes effect 100 ms after the press.
  @Test func keysTypedInARowAreNoChordWithALongLockOut() {
    let lockOut = Nanoseconds.milliseconds(100)
    var fingers = Fingers(lockOut: lockOut)
    let edges =
      fingers.press(.play, at: .zero) + fingers.press(.faster, at: .zero)
      + fingers.press(.play, at: .zero)
    #expect(
      commands(edges, lockOut: lockOut) == [
        "0: togglePlaying", "100: stepTempo(byMilliBPM: 1000)", "200: togglePlaying",
      ])
  }

  @Test func chordKeyPressesBothButtonsAtOnce() {
    var fingers = Fingers()
    #expect(
      commands(fingers.chord(.slower, .faster, at: .zero)) == [
        "0: stepTempo(byMilliBPM: -1000)", "20: resetTempo, taking back 0",
      ])
    #expect(commands(fingers.press(.tap, at: .zero)) == ["100: tap"])
  }

  @Test func heldKeyRepeatsUntilItIsReleased() {
    var fingers = Fingers()
    let held = fingers.press(.numerator, .open, at: .zero)
    #expect(held.map(\.direction) == [.down])
    #expect(fingers.heldButton == .numerator)
    let edges = held + fingers.release(at: .zero + .milliseconds(1_100))
    #expect(fingers.heldButton == nil)
    #expect(commands(edges) == ["500: previousNumerator", "800: previousNumerator", "1040: previousNumerator"])
    #expect(fingers.release(at: .zero + .seconds(3)) == [])
  }

  /// The tempo once ran from 129 to 435 BPM because keys without a function did not release the held key.
  @Test func releasedKeyStopsTheTempoChange() {
    var fingers = Fingers()
    let edges = fingers.press(.faster, .open, at: .zero) + fingers.release(at: .zero + .milliseconds(510))
    #expect(commands(edges) == ["0: stepTempo(byMilliBPM: 1000)", "500: stepTempo(byMilliBPM: 1000)"])
  }

  @Test func heldKeyReleasedAtOnceIsAShortPress() {
    var fingers = Fingers()
    let edges = fingers.press(.numerator, .open, at: .zero) + fingers.release(at: .zero)
    #expect(commands(edges) == ["30: nextNumerator"])
  }

  @Test func longPressIsReleasedAutomatically() {
    var fingers = Fingers()
    let edges = fingers.press(.preset1, .long, at: .zero)
    #expect(fingers.heldButton == nil)
    #expect(commands(edges) == ["500: storePreset(1)"])
  }

  @Test func longPressIsShownUntilItsRelease() throws {
    var fingers = Fingers()
    let release = try #require(fingers.press(.play, .long, at: .zero).last?.instant)
    #expect(fingers.longPressedButton(at: .zero) == .play)
    #expect(fingers.longPressedButton(at: release - Nanoseconds(1)) == .play)
    #expect(fingers.longPressedButton(at: release) == nil)
    #expect(fingers.heldButton == nil)
  }

  @Test func keysTypedTooFastAreDelayedOrDropped() {
    var fingers = Fingers()
    let pressed = (0..<100).map { _ in fingers.press(.tap, at: .zero) }
    #expect(pressed.filter { !$0.isEmpty }.count == 4)
    #expect(commands(pressed.flatMap(\.self)) == ["0: tap", "55: tap", "110: tap", "165: tap"])
    #expect(fingers.press(.tap, at: Instant.zero + .milliseconds(20)).count == 2)
  }

  /// The commands that follow from edges, each with its time in milliseconds.
  private func commands(_ edges: [ButtonEdge], lockOut: Nanoseconds = Debouncer.standardLockOut) -> [String] {
    var machine = GestureMachine(GestureTable.standard, lockOut: lockOut)
    var found: [String] = []
    func record(_ event: GestureEvent) {
      let back = event.undoes.map { ", taking back \($0.instant.nanoseconds / 1_000_000)" } ?? ""
      found.append("\(event.instant.nanoseconds / 1_000_000): \(event.command)\(back)")
    }
    let ordered = edges.enumerated().sorted { ($0.element.instant, $0.offset) < ($1.element.instant, $1.offset) }
    for (place, (_, edge)) in ordered.enumerated() {
      machine.process(edge, record)
      let next = place + 1 < ordered.count ? ordered[place + 1].element.instant : .zero + .seconds(2)
      func isDown(_ button: Button, _ origin: Origin) -> Bool? {
        ordered[...place].last { $0.element.button == button }.map { $0.element.direction == .down }
      }
      if edge.instant < next { machine.settle(at: edge.instant, level: isDown, record) }
      while let deadline = machine.deadline, deadline < next { machine.settle(at: deadline, level: isDown, record) }
    }
    return found
  }
}
