import MetronomeCore
import TestSupport
import Testing

/// During a run of taps, the metronome places its beats on the regression line through the taps.
@Suite struct TapPhaseTests {
  /// The tapped tempo, the lead in milliseconds, and by how many percent the metronome's tempo is above the tapped tempo before
  /// the taps.
  private static let cases: [(Double, Int64, Int)] = TapStatisticsTests.tempi.flatMap { bpm in
    [(bpm, 1, 0), (bpm, 24, 8), (bpm, 24, -30)] as [(Double, Int64, Int)]
  }

  /// The period and the time of the last tap, by the textbook formulas of linear regression in floating point. Beats are
  /// counted from 0.
  private func line(_ taps: [Instant]) -> (period: Double, last: Double) {
    let times = taps.map { Double(($0 - taps[0]).count) }
    let (meanBeat, meanTime) = (Double(taps.count - 1) / 2, times.reduce(0, +) / Double(taps.count))
    var (covariance, variance) = (0.0, 0.0)
    for (beat, time) in times.enumerated() {
      covariance += (Double(beat) - meanBeat) * (time - meanTime)
      variance += (Double(beat) - meanBeat) * (Double(beat) - meanBeat)
    }
    let period = covariance / variance
    return (period, meanTime + period * (Double(taps.count - 1) - meanBeat))
  }

  @Test(arguments: cases) func beatFollowsTheTaps(bpm: Double, lead: Int64, percent: Int) {
    for seed in Seeds.few(200, of: 1_000) {
      var finger = Finger(bpm: bpm, seed: seed)
      let taps = (0..<8).map { finger.tap($0) }
      let start = taps[0] - Nanoseconds(Int64(3 * finger.period * finger.fraction()))
      let tempo = Tempo(clampingMilliBPM: Int(bpm * 1_000) * (100 + percent) / 100)
      var metronome = Metronome(Settings(Music(tempo: tempo)))
      metronome.apply(.start, pressed: start, effective: start, now: start)
      for (number, tap) in taps.enumerated() {
        let effective = tap + .milliseconds(lead)
        metronome.apply(.tap, pressed: tap, effective: effective, now: tap)
        guard number >= 2 else { continue }
        let fit = line([Instant](taps[...number]))
        let next = metronome.timeline.firstBeat(atOrAfter: effective + Nanoseconds(1))!
        // The second beat also shows the rounding of the tempo.
        for beat in [next, metronome.timeline.knownBeat(next.index + 1)] {
          let beats = (Double((beat.instant - taps[0]).count) - fit.last) / fit.period
          let isNear = abs(beats - beats.rounded()) <= 0.025 && beats > 0.5
          if !isNear { Issue.record("seed \(seed), tap \(number): \(beats) beats after the tap") }
        }
      }
    }
  }
}
