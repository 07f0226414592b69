import ClockTrials
import Testing

/// One seed of each trial that `sound-benchmark` runs many of.
@Suite struct ClockTrialTests {
  @Test(arguments: Noise.allCases)
  func theMapIsBetterThanTheFormulasOfJACKAndZita(noise: Noise) {
    let trial = ClockTrial(noise: noise, seed: 7)
    let better = min(trial.worst(.jack), trial.worst(.zita))
    #expect(trial.worst(.map) <= better * noise.allowedShare)
    #expect(trial.worst(.map, from: noise.lockSpan) <= noise.lockError)
  }

  @Test func aSlewOf500PPMCostsAtMost100Microseconds() {
    let calm = ClockTrial(noise: .quiet, seed: 7)
    let slewed = ClockTrial(noise: .quiet, card: Card(slewPPM: 500), seed: 7)
    #expect(slewed.excess(.map, over: calm) <= ClockTrial.allowedSlew)
    #expect(slewed.excess(.jack, over: calm) > ClockTrial.allowedSlew)
  }
}
