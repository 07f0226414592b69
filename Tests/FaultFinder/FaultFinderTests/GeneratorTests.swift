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

  @Test(arguments: [UInt64](0..<4)) func aSixteenthOfTheLivesOnlyJoinsASession(number: UInt64) {
    let life = Life(seed: number * 16 + 3)
    let words = life.lines.map { $0.split(separator: " ").dropFirst().map(String.init) }
    #expect(words.first?.starts(with: ["link", "join"]) == true)
    #expect(words.allSatisfy { $0[0] == "link" || $0.starts(with: ["do", "signature"]) })
    #expect(Judgement(life, isDigested: false).outcome == .kept)
  }

  @Test(arguments: [UInt64](0..<4)) func aSixteenthOfTheLivesOnlyPressesButtons(number: UInt64) {
    let life = Life(seed: number * 16 + 11)
    #expect(!life.lines.isEmpty)
    #expect(life.lines.allSatisfy { $0.contains(" press ") })
    #expect(Judgement(life, isDigested: false).outcome == .kept)
  }

  @Test(arguments: [UInt64](1...100)) func livesForTheKernelHaveOnlyWhatItCanPlay(seed: UInt64) {
    let life = Life(onKernel: seed)
    #expect(life == Life(onKernel: seed))
    for line in life.lines {
      let words = line.split(separator: " ")
      #expect(["press", "down", "up", "do", "reload"].contains(words[1]))
      #expect(!words[2].contains("@"))
    }
    for file in [life.configuration] + life.reloads { #expect(!file.lines.contains("inputs:")) }
  }
}
