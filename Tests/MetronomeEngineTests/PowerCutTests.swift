import BoardSimulation
import HandLife
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import TestSupport
import Testing

/// Power cuts and kills of the program while the buttons are pressed at random.
@Suite struct PowerCutTests {
  private static let launches = 4

  /// The restored state is recent: it stopped being current at most one save interval plus the delay of a save before the cut.
  @Test(arguments: Seeds.few(60, of: 500)) func restoredStateIsRecent(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var disk = SimulatedDisk()
    var before = SavedState()
    for launch in 0..<PowerCutTests.launches {
      let cut: SimulatedDisk.Cut = Bool.random(using: &random) ? .power : .kill
      disk.cutStep = Int.random(in: 0...50, using: &random)
      let hands = try HandLife(disk, seed: random.next(), length: .seconds(20))
      var moments: [HandLife.Moment] = []
      while disk.isAlive, hands.simulation.board.clock.now < .zero + .seconds(20), let changes = hands.next() {
        moments += changes
      }
      hands.simulation.endAbruptly()
      var restored = before
      restored.isPlaying = false
      // There are no moments if the cut came before the start was complete.
      #expect(moments.isEmpty || moments[0].savedState == restored, "seed \(seed), launch \(launch)")
      disk = disk.survivor(of: cut, using: &random)
      let findings = StateArchive(disk).load()
      #expect(findings.unusable == [])
      let age = ([HandLife.Moment(.zero, before)] + moments)
        .age(of: findings.savedState ?? before, at: hands.simulation.board.clock.now)
      let longest = Nanoseconds.seconds(2) + HandLife.latest
      #expect(age.map { $0 <= longest } == true, "seed \(seed), launch \(launch), \(cut): \(String(describing: age))")
      before = findings.savedState ?? before
    }
  }
}
