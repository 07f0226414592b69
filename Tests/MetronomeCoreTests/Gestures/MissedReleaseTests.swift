import MetronomeCore
import Testing

/// Releases that nobody saw when they happened: a level finds them, or an edge tells of them that may have been a bounce.
@Suite struct MissedReleaseTests {
  /// A machine, and what came of it, as ``Fingers`` writes it.
  private struct Box {
    var machine: GestureMachine<Command>
    var events: [String] = []

    init(_ table: GestureTable<Command> = .standard) { machine = GestureMachine(table) }

    mutating func edge(_ button: Button, _ direction: ButtonEdge.Direction, at millisecond: Int64) {
      machine.take(ButtonEdge(button, direction, at: .zero + .milliseconds(millisecond))) {
        events.append(Fingers.text($0))
      }
    }

    /// Looks at the lines, of which one may be down.
    mutating func look(at instant: Instant, down: Button? = nil) {
      machine.settle(at: instant, level: { button, _ in button == down }) { events.append(Fingers.text($0)) }
    }

    mutating func look(at milliseconds: Int64..., down: Button? = nil) {
      for millisecond in milliseconds { look(at: .zero + .milliseconds(millisecond), down: down) }
    }

    var deadline: Int64? { machine.deadline.map { ($0 - .zero).count / 1_000_000 } }
  }

  private func ms(_ count: Int64) -> Instant { .zero + .milliseconds(count) }

  /// The tap button went down at 0 and up at 24 ms. At the end of its lock-out nobody looked, because another button's edge
  /// was read, and others may have been lost. A lock-out after the edge up ends at 49 ms.
  private func doubtful() -> Box {
    var box = Box(GestureTable(shorts: [.tap: .tap]))
    box.machine.mayHaveLost(until: ms(26))
    box.edge(.tap, .down, at: 0)
    box.edge(.tap, .up, at: 24)
    box.edge(.play, .up, at: 26)
    #expect(!box.machine.isDown(.tap))
    return box
  }

  @Test func aLevelWithinTheLockOutSaysThatItWasARelease() {
    var box = doubtful()
    box.look(at: 27)
    var other = box
    // A bounce.
    box.edge(.tap, .down, at: 30)
    box.look(at: 60, down: .tap)
    #expect(box.events == ["0 tap"])
    #expect(box.machine.isDown(.tap))
    // A press.
    other.edge(.tap, .down, at: 50)
    #expect(other.events == ["0 tap", "50 tap"])
  }

  @Test func aLevelAtTheEndOfTheLockOutMaySeeAContactThatHasJustOpened() {
    var box = doubtful()
    box.look(at: 49)
    box.edge(.tap, .down, at: 60)
    box.look(at: 74, down: .tap)
    #expect(box.events == ["0 tap"])
    #expect(box.machine.isDown(.tap))
  }

  @Test func aContactThatIsDownYetIsLookedAtUntilItIsUp() {
    var box = doubtful()
    box.look(at: 27, 51, down: .tap)
    #expect(box.deadline == 151)
    box.look(at: 151, 176)
    #expect(box.deadline == nil)
    box.edge(.tap, .down, at: 200)
    #expect(box.events == ["0 tap", "200 tap"])
  }

  @Test func whatALevelSawOpenIsOpenUntilAnEdge() {
    var box = Box()
    box.edge(.tap, .down, at: 0)
    box.look(at: 25, down: .tap)
    box.look(at: 125)
    #expect(box.deadline == 150)
    // At the end of the lock-out nobody looks.
    box.edge(.play, .up, at: 160)
    #expect(!box.machine.isDown(.tap))
    box.edge(.tap, .down, at: 200)
    #expect(box.events == ["0 tap", "200 tap"])
  }

  /// Its release is seen when it is due to repeat.
  @Test func whatIsUpIsNotLookedAtAnyMore() {
    var box = Box()
    box.edge(.numerator, .down, at: 0)
    box.look(at: 25, 125, 225, 325, 425, down: .numerator)
    box.look(at: 500)
    #expect(box.deadline == 525)
    // At the end of the lock-out nobody looks.
    box.edge(.play, .up, at: 530)
    box.look(at: 555)
    #expect(box.deadline == nil)
    #expect(box.events == [])
  }

  /// Pressed at 0; at 125 ms its level says that it is up.
  private func missed() -> Box {
    var box = Box()
    box.edge(.numerator, .down, at: 0)
    box.look(at: 25, down: .numerator)
    box.look(at: 125)
    #expect(!box.machine.isDown(.numerator))
    return box
  }

  @Test func nothingComesOfAMissedReleaseOnceItIsDownAgain() {
    var box = missed()
    box.edge(.numerator, .down, at: 140)
    box.look(at: 150, down: .numerator)
    #expect(box.machine.isDown(.numerator))
    box.edge(.numerator, .up, at: 300)
    box.look(at: 400)
    #expect(box.events == [])
  }

  @Test func nothingComesOfAMissedReleaseAfterAChord() {
    var box = missed()
    box.edge(.play, .down, at: 200)
    box.edge(.numerator, .down, at: 210)
    box.edge(.numerator, .up, at: 300)
    box.edge(.play, .up, at: 310)
    #expect(box.events == ["200 play", "210 tellSignature not 200"])
  }

  /// The level was read a nanosecond before the edge.
  @Test func aMissedReleaseMayHaveBeenLate() {
    var box = Box()
    box.edge(.preset1, .down, at: 0)
    box.look(at: 25, down: .preset1)
    box.look(at: ms(500) - Nanoseconds(1))
    box.edge(.preset1, .up, at: 500)
    #expect(box.events == [])
  }
}
