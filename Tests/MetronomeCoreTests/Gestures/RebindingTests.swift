import MetronomeCore
import Testing

/// Gestures come to mean something else while the box is on.
@Suite struct RebindingTests {
  private func ms(_ count: Int64) -> Instant { .zero + .milliseconds(count) }

  @Test func whatAButtonIsForIsItsNewShape() {
    var machine = GestureMachine(GestureTable<Command>())
    machine.rebind(to: .standard, lockOut: .milliseconds(25))
    var instants: [Instant] = []
    machine.take(ButtonEdge(.faster, .down, at: ms(100))) { instants.append($0.instant) }
    machine.settle(at: ms(600), level: { _, _ in true }) { instants.append($0.instant) }
    #expect(instants == [ms(100), ms(600)])
  }

  @Test func devicesThatComeLaterHaveTheNewShapeToo() {
    var machine = GestureMachine(GestureTable<Command>())
    machine.rebind(to: .standard, lockOut: .milliseconds(25))
    machine.renew(origins: 2)
    var instants: [Instant] = []
    machine.take(ButtonEdge(.faster, .down, at: ms(100), from: Origin(number: 1))) { instants.append($0.instant) }
    #expect(machine.deadline == ms(125))
    machine.settle(at: ms(600), level: { _, _ in true }) { instants.append($0.instant) }
    #expect(instants == [ms(100), ms(600)])
  }

  @Test func nothingComesOfAPressThatIsUnderWay() {
    var machine = GestureMachine(GestureTable<Command>.standard)
    var count = 0
    machine.take(ButtonEdge(.faster, .down, at: ms(100))) { _ in count += 1 }
    machine.rebind(to: .standard, lockOut: .milliseconds(25))
    machine.settle(at: ms(2_000), level: { _, _ in true }) { _ in count += 1 }
    #expect(count == 1)
    #expect(machine.isDown(.faster))
  }

  @Test(arguments: [(25, 2), (40, 1)]) func theNewLockOutCounts(lockOut: Int64, presses: Int) {
    let table = GestureTable(shorts: [.play: "play"])
    var machine = GestureMachine(table)
    machine.rebind(to: table, lockOut: .milliseconds(lockOut))
    var count = 0
    let edges: [(ButtonEdge.Direction, Int64)] = [(.down, 100), (.up, 130), (.down, 160)]
    for (direction, time) in edges {
      machine.take(ButtonEdge(.play, direction, at: ms(time))) { _ in count += 1 }
    }
    #expect(count == presses)
  }
}
