import ClockTrials
import Testing

/// One seed of each trial that `sound-benchmark` runs many of.
@Suite("Clock trials")
struct ClockTrialTests {
  @Test("The map is better than the formulas of JACK and zita", arguments: Noise.allCases)
  func trial(noise: Noise) {
    let trial = ClockTrial(noise: noise, seed: 7)
    let better = min(trial.worst(.jack), trial.worst(.zita))
    #expect(trial.worst(.map) <= better * noise.allowedShare)
    #expect(trial.worst(.map, from: noise.lockSpan) <= noise.lockError)
    #expect(trial.worst(.sharpened, from: noise.lockSpan) <= noise.lockError)
  }

  @Test("A slew of 500 ppm costs the map at most 100 µs")
  func slew() {
    let calm = ClockTrial(noise: .quiet, seed: 7)
    let slewed = ClockTrial(noise: .quiet, card: Card(slewPPM: 500), seed: 7)
    #expect(slewed.excess(.map, over: calm) <= ClockTrial.allowedSlew)
    #expect(slewed.excess(.jack, over: calm) > ClockTrial.allowedSlew)
  }
}
