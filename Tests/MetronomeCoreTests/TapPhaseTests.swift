import MetronomeCore
import TestSupport
import Testing

/// While fingers tap along, the beat falls where a line through their taps has it.
@Suite struct TapPhaseTests {
  /// The tempo tapped, the lead in milliseconds, and how far the metronome is from that tempo before, in percent.
  private static let cases: [(Double, Int64, Int)] = TapStatisticsTests.tempi.flatMap { bpm in
    [(bpm, 1, 0), (bpm, 24, 8), (bpm, 24, -30)] as [(Double, Int64, Int)]
  }

  /// Period and place of the last tap, by the formulas of the means, in floating point; beats from 0 on.
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

  @Test(arguments: cases) func theBeatFallsUnderTheFinger(bpm: Double, lead: Int64, percent: Int) {
    for seed in Seeds.few(200, of: 1_000) {
      var finger = Finger(bpm: bpm, seed: seed)
      let taps = (0..<8).map { finger.tap($0) }
      let start = taps[0] - Nanoseconds(Int64(3 * finger.period * finger.fraction()))
      let tempo = Tempo(clampingMilliBPM: Int(bpm * 1_000) * (100 + percent) / 100)
      var metronome = Metronome(Settings(tempo: tempo))
      metronome.apply(.start, pressed: start, effective: start, now: start)
      for (number, tap) in taps.enumerated() {
        let effective = tap + .milliseconds(lead)
        metronome.apply(.tap, pressed: tap, effective: effective, now: tap)
        guard number >= 2 else { continue }
        let fit = line([Instant](taps[...number]))
        let next = metronome.timeline.firstBeat(atOrAfter: effective + Nanoseconds(1))!
        // Where the beat after it falls the tempo's rounding shows.
        for beat in [next, metronome.timeline.knownBeat(next.index + 1)] {
          let beats = (Double((beat.instant - taps[0]).count) - fit.last) / fit.period
          let isNear = abs(beats - beats.rounded()) <= 0.025 && beats > 0.5
          if !isNear { Issue.record("seed \(seed), tap \(number): \(beats) beats after the tap") }
        }
      }
    }
  }
}
