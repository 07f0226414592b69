import FaultFinder
import Testing

/// Inputs of simulated runs (`Life`) are generated from seeds.
@Suite struct GeneratorTests {
  @Test(arguments: [UInt64](0..<40)) func sameSeedGivesTheSameLife(seed: UInt64) {
    #expect(Life(seed: seed) == Life(seed: seed))
    #expect(Life(seed: seed).script == Life(seed: seed).script)
  }

  @Test func differentSeedsGiveDifferentLives() {
    let scripts = Set((UInt64(0)..<50).map { Life(seed: $0) })
    #expect(scripts.count == 50)
  }
}
