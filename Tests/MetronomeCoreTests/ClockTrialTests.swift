import ClockTrials
import Testing

/// Each clock trial with one seed; `cost-benchmark clocks` runs the trials with many seeds.
@Suite struct ClockTrialTests {
  @Test(arguments: Noise.allCases)
  func mapIsMoreAccurateThanJACKAndZita(noise: Noise) {
    let trial = ClockTrial(noise: noise, seed: 7)
    let better = min(trial.worst(.jack), trial.worst(.zita))
    #expect(trial.worst(.map) <= better * noise.allowedShare)
    #expect(trial.worst(.map, from: noise.lockSpan) <= noise.lockError)
  }

  @Test func slewOf500PPMCausesAtMost100MicrosecondsOfError() {
    let calm = ClockTrial(noise: .quiet, seed: 7)
    let slewed = ClockTrial(noise: .quiet, card: Card(slewPPM: 500), seed: 7)
    #expect(slewed.excess(.map, over: calm) <= ClockTrial.allowedSlew)
    #expect(slewed.excess(.jack, over: calm) > ClockTrial.allowedSlew)
  }
}
