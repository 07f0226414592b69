import MetronomeCore
import Testing

/// Releases that were not read when they happened. A level reveals them, or an edge that may have been a bounce.
@Suite struct MissedReleaseTests {
  /// A machine and its events, in the text form of ``PressScript``.
  private struct Box {
    var machine: GestureMachine
    var events: [String] = []

    init(_ table: GestureTable = .standard) { machine = GestureMachine(table) }

    mutating func edge(_ button: Button, _ direction: ButtonEdge.Direction, at millisecond: Int64) {
      machine.process(ButtonEdge(button, direction, at: .zero + .milliseconds(millisecond))) {
        events.append(PressScript.text($0))
      }
    }

    /// Reads the levels; at most one button is down.
    mutating func readLevels(at instant: Instant, down: Button? = nil) {
      machine.settle(at: instant, level: { button, _ in button == down }) { events.append(PressScript.text($0)) }
    }

    mutating func readLevels(at milliseconds: Int64..., down: Button? = nil) {
      for millisecond in milliseconds { readLevels(at: .zero + .milliseconds(millisecond), down: down) }
    }

    var deadline: Int64? { machine.deadline.map { ($0 - .zero).count / 1_000_000 } }
  }

  private func ms(_ count: Int64) -> Instant { .zero + .milliseconds(count) }

  /// A box whose tap button went down at 0 and up at 24 ms. At the end of its lock-out no level was read, because an edge of
  /// another button was read and other edges may have been lost. The next lock-out ends at 51 ms.
  private func boxWithDoubtfulRelease() -> Box {
    var box = Box(GestureTable(shorts: [.tap: .tap]))
    box.machine.mayHaveLost(until: ms(26))
    box.edge(.tap, .down, at: 0)
    box.edge(.tap, .up, at: 24)
    box.edge(.play, .up, at: 26)
    #expect(!box.machine.isDown(.tap))
    return box
  }

  @Test func levelWithinTheLockOutStartsAnotherLockOut() {
    var box = boxWithDoubtfulRelease()
    box.readLevels(at: 27)
    #expect(box.deadline == 52)
    var other = box
    // A bounce.
    box.edge(.tap, .down, at: 30)
    box.readLevels(at: 60, down: .tap)
    #expect(box.events == ["0 tap"])
    #expect(!box.machine.isDown(.tap))
    // A press.
    other.edge(.tap, .down, at: 53)
    #expect(other.events == ["0 tap", "53 tap"])
  }

  @Test func levelAtTheEndOfTheLockOutMayShowANewOpening() {
    var box = boxWithDoubtfulRelease()
    box.readLevels(at: 51)
    box.edge(.tap, .down, at: 60)
    box.readLevels(at: 85, down: .tap)
    #expect(box.events == ["0 tap"])
    #expect(!box.machine.isDown(.tap))
    // A press counts again after a release.
    box.edge(.tap, .up, at: 90)
    box.readLevels(at: 115)
    box.edge(.tap, .down, at: 115)
    #expect(box.events == ["0 tap", "115 tap"])
  }

  @Test func closedContactIsPolledUntilItOpens() {
    var box = boxWithDoubtfulRelease()
    box.readLevels(at: 27, 52, down: .tap)
    #expect(box.deadline == 152)
    box.readLevels(at: 152, 177)
    #expect(box.deadline == nil)
    box.edge(.tap, .down, at: 200)
    #expect(box.events == ["0 tap", "200 tap"])
  }

  @Test func contactSeenOpenStaysOpenUntilAnEdge() {
    var box = Box()
    box.edge(.tap, .down, at: 0)
    box.readLevels(at: 25, down: .tap)
    box.readLevels(at: 125)
    #expect(box.deadline == 150)
    // No level is read at the end of the lock-out.
    box.edge(.play, .up, at: 160)
    #expect(!box.machine.isDown(.tap))
    box.edge(.tap, .down, at: 200)
    #expect(box.events == ["0 tap", "200 tap"])
  }

  /// A contact that was found open is no longer polled. The level reveals the release when the button is due to repeat.
  @Test func releasedContactIsNoLongerPolled() {
    var box = Box()
    box.edge(.numerator, .down, at: 0)
    box.readLevels(at: 25, 125, 225, 325, 425, down: .numerator)
    box.readLevels(at: 500)
    #expect(box.deadline == 525)
    // No level is read at the end of the lock-out.
    box.edge(.play, .up, at: 530)
    box.readLevels(at: 555)
    #expect(box.deadline == nil)
    #expect(box.events == [])
  }

  /// A box whose numerator button was pressed at 0. At 125 ms the level shows that the button is up.
  private func boxWithMissedRelease() -> Box {
    var box = Box()
    box.edge(.numerator, .down, at: 0)
    box.readLevels(at: 25, down: .numerator)
    box.readLevels(at: 125)
    #expect(!box.machine.isDown(.numerator))
    return box
  }

  @Test func missedReleaseIsDroppedAfterANewPress() {
    var box = boxWithMissedRelease()
    box.edge(.numerator, .down, at: 140)
    box.readLevels(at: 150, down: .numerator)
    #expect(box.machine.isDown(.numerator))
    box.edge(.numerator, .up, at: 300)
    box.readLevels(at: 400)
    #expect(box.events == [])
  }

  @Test func missedReleaseIsDroppedAfterAChord() {
    var box = boxWithMissedRelease()
    box.edge(.play, .down, at: 200)
    box.edge(.numerator, .down, at: 210)
    box.edge(.numerator, .up, at: 300)
    box.edge(.play, .up, at: 310)
    #expect(box.events == ["200 play", "210 tellSignature not 200"])
  }

  /// A missed release counts from its edge. The level was read a nanosecond before the edge.
  @Test func missedReleaseCountsFromItsEdge() {
    var box = Box()
    box.edge(.preset1, .down, at: 0)
    box.readLevels(at: 25, down: .preset1)
    box.readLevels(at: ms(500) - Nanoseconds(1))
    box.edge(.preset1, .up, at: 500)
    #expect(box.events == [])
  }
}
