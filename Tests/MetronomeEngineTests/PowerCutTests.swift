import BoardSimulation
import HandLife
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import TestSupport
import Testing

/// A box in busy hands, and somebody pulls the plug.
@Suite struct PowerCutTests {
  private static let lives = 4

  /// What is restored was in force, and not longer ago than the time between two saves and the delay of one.
  @Test(arguments: Seeds.few(60, of: 500)) func whatIsRestoredWasInForceAMomentAgo(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var disk = SimulatedDisk()
    var before = SavedState()
    for life in 0..<PowerCutTests.lives {
      let cut: SimulatedDisk.Cut = Bool.random(using: &random) ? .power : .kill
      disk.cutStep = Int.random(in: 0...50, using: &random)
      let hands = try HandLife(disk, seed: random.next(), length: .seconds(20))
      var moments: [HandLife.Moment] = []
      while disk.isAlive, hands.simulation.board.clock.now < .zero + .seconds(20), let news = hands.next() {
        moments += news
      }
      hands.simulation.breakOff()
      var restored = before
      restored.isPlaying = false
      // None if the power went before it was switched on altogether.
      #expect(moments.isEmpty || moments[0].savedState == restored, "seed \(seed), life \(life)")
      disk = disk.survivor(of: cut, using: &random)
      let findings = StateArchive(disk).load()
      #expect(findings.losses == [])
      let age = ([HandLife.Moment(.zero, before)] + moments)
        .age(of: findings.savedState ?? before, at: hands.simulation.board.clock.now)
      let longest = Nanoseconds.seconds(2) + HandLife.latest
      #expect(age.map { $0 <= longest } == true, "seed \(seed), life \(life), \(cut): \(String(describing: age))")
      before = findings.savedState ?? before
    }
  }
}
