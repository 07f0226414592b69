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

  @Test func devicesThatComeLaterHaveTheNewShapeAndLockOutToo() {
    var machine = GestureMachine(GestureTable<Command>())
    machine.rebind(to: .standard, lockOut: .milliseconds(40))
    machine.renew(origins: 2)
    var instants: [Instant] = []
    machine.take(ButtonEdge(.faster, .down, at: ms(100), from: Origin(number: 1))) { instants.append($0.instant) }
    #expect(machine.deadline == ms(140))
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

  /// Held since 100 ms, it would repeat at 600.
  @Test func whatIsUnderWayIsDueForNothingButALook() {
    var machine = GestureMachine(GestureTable<Command>.standard)
    machine.take(ButtonEdge(.faster, .down, at: ms(100))) { _ in }
    for now in [125, 225, 325, 425, 525] as [Int64] { machine.settle(at: ms(now), level: { _, _ in true }) { _ in } }
    #expect(machine.deadline == ms(600))
    machine.rebind(to: .standard, lockOut: .milliseconds(25))
    #expect(machine.deadline == ms(625))
  }

  /// The other device's button went down before, so that all of it would be due before.
  @Test func whatIsDueOfTheBoxStaysDueWhenDevicesChange() {
    var machine = GestureMachine(GestureTable<Command>.standard, origins: 2)
    machine.take(ButtonEdge(.numerator, .down, at: ms(90), from: Origin(number: 1))) { _ in }
    machine.take(ButtonEdge(.faster, .down, at: ms(100))) { _ in }
    #expect(machine.deadline == ms(115))
    machine.renew(origins: 3)
    #expect(machine.deadline == ms(125))
    for now in [125, 225, 325, 425, 525] as [Int64] { machine.settle(at: ms(now), level: { _, _ in true }) { _ in } }
    machine.renew(origins: 2)
    #expect(machine.deadline == ms(600))
    machine.settle(at: ms(600), level: { _, _ in true }) { _ in }
    machine.renew(origins: 3)
    #expect(machine.deadline == ms(700))
    machine.take(ButtonEdge(.faster, .up, at: ms(640))) { _ in }
    machine.settle(at: ms(665), level: { _, _ in false }) { _ in }
    #expect(machine.deadline == nil)
    machine.take(ButtonEdge(.faster, .down, at: ms(670), from: Origin(number: 2))) { _ in }
    #expect(machine.deadline == ms(695))
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
