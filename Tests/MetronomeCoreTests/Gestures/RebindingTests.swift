import MetronomeCore
import Testing

/// Changes of the gesture table and of the devices while the box is running.
@Suite struct RebindingTests {
  private func ms(_ count: Int64) -> Instant { .zero + .milliseconds(count) }

  @Test func rebindingChangesAButtonsGestures() {
    var machine = GestureMachine(GestureTable())
    machine.rebind(to: .standard, lockOut: .milliseconds(25))
    var instants: [Instant] = []
    machine.process(ButtonEdge(.faster, .down, at: ms(100))) { instants.append($0.instant) }
    machine.settle(at: ms(600), level: { _, _ in true }) { instants.append($0.instant) }
    #expect(instants == [ms(100), ms(600)])
  }

  @Test func devicesAddedLaterUseTheNewTableAndLockOut() {
    var machine = GestureMachine(GestureTable())
    machine.rebind(to: .standard, lockOut: .milliseconds(40))
    machine.renew(origins: 2)
    var instants: [Instant] = []
    machine.process(ButtonEdge(.faster, .down, at: ms(100), from: Origin(number: 1))) { instants.append($0.instant) }
    #expect(machine.deadline == ms(140))
    machine.settle(at: ms(600), level: { _, _ in true }) { instants.append($0.instant) }
    #expect(instants == [ms(100), ms(600)])
  }

  @Test func rebindingCancelsAPressInProgress() {
    var machine = GestureMachine(GestureTable.standard)
    var count = 0
    machine.process(ButtonEdge(.faster, .down, at: ms(100))) { _ in count += 1 }
    machine.rebind(to: .standard, lockOut: .milliseconds(25))
    machine.settle(at: ms(2_000), level: { _, _ in true }) { _ in count += 1 }
    #expect(count == 1)
    #expect(machine.isDown(.faster))
  }

  /// A cancelled press is only polled. The button has been held since 100 ms and would repeat at 600 ms.
  @Test func cancelledPressIsOnlyPolled() {
    var machine = GestureMachine(GestureTable.standard)
    machine.process(ButtonEdge(.faster, .down, at: ms(100))) { _ in }
    for now in [125, 225, 325, 425, 525] as [Int64] { machine.settle(at: ms(now), level: { _, _ in true }) { _ in } }
    #expect(machine.deadline == ms(600))
    machine.rebind(to: .standard, lockOut: .milliseconds(25))
    #expect(machine.deadline == ms(625))
  }

  /// The deadlines of the box survive a change of the devices. The other device's button went down first, so all its deadlines
  /// would come first.
  @Test func boxDeadlinesSurviveADeviceChange() {
    var machine = GestureMachine(GestureTable.standard, origins: 2)
    machine.process(ButtonEdge(.numerator, .down, at: ms(90), from: Origin(number: 1))) { _ in }
    machine.process(ButtonEdge(.faster, .down, at: ms(100))) { _ in }
    #expect(machine.deadline == ms(115))
    machine.renew(origins: 3)
    #expect(machine.deadline == ms(125))
    for now in [125, 225, 325, 425, 525] as [Int64] { machine.settle(at: ms(now), level: { _, _ in true }) { _ in } }
    machine.renew(origins: 2)
    #expect(machine.deadline == ms(600))
    machine.settle(at: ms(600), level: { _, _ in true }) { _ in }
    machine.renew(origins: 3)
    #expect(machine.deadline == ms(700))
    machine.process(ButtonEdge(.faster, .up, at: ms(640))) { _ in }
    machine.settle(at: ms(665), level: { _, _ in false }) { _ in }
    #expect(machine.deadline == nil)
    machine.process(ButtonEdge(.faster, .down, at: ms(670), from: Origin(number: 2))) { _ in }
    #expect(machine.deadline == ms(695))
  }

  @Test(arguments: [(25, 2), (40, 1)]) func newLockOutApplies(lockOut: Int64, presses: Int) {
    let table = GestureTable(shorts: [.play: .togglePlaying])
    var machine = GestureMachine(table)
    machine.rebind(to: table, lockOut: .milliseconds(lockOut))
    var count = 0
    let edges: [(ButtonEdge.Direction, Int64)] = [(.down, 100), (.up, 130), (.down, 160)]
    for (direction, time) in edges {
      machine.process(ButtonEdge(.play, direction, at: ms(time))) { _ in count += 1 }
    }
    #expect(count == presses)
  }
}
