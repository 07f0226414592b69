import MetronomeCore
import Testing

/// Estimates from a thousand simulated fingers. The standard deviation of their taps is 2.5 % of a beat.
@Suite struct TapStatisticsTests {
  static let tempi: [Double] = [30, 41, 60, 87.5, 120, 200, 280, 333, 400]
  private static let seeds = 0..<1_000 as Range<UInt64>

  enum Fault: Hashable {
    case none
    /// The tap at this index, from 0, is missing.
    case missed(Int)
    /// The tap at this index registers twice, 25 ms to 59 ms apart.
    case bounced(Int)
    /// The tap at this index registers twice, between 60 ms and 45 % of a beat apart.
    case doubled(Int)
  }

  /// The estimate after taps over `beats` beats; nil if the taps give no estimate.
  private func estimate(_ bpm: Double, seed: UInt64, beats: Int, _ fault: Fault = .none) -> TapTempo.Estimate? {
    var finger = Finger(bpm: bpm, seed: seed)
    var taps = TapTempo()
    var estimate: TapTempo.Estimate?
    for beat in 0..<beats {
      let (tap, fraction) = (finger.tap(beat), finger.fraction())
      if fault == .missed(beat) { continue }
      estimate = taps.add(tap) ?? estimate
      if fault == .bounced(beat) {
        let again = taps.add(tap + Nanoseconds(25_000_000 + Int64(fraction * 34_000_000)))
        #expect(again == nil)
      } else if fault == .doubled(beat) {
        let again = 60_000_000 + fraction * (0.45 * finger.period - 60_000_000)
        estimate = taps.add(tap + Nanoseconds(Int64(again))) ?? estimate
      }
    }
    return estimate
  }

  private func medianError(_ bpm: Double, beats: Int, fault: (UInt64) -> Fault = { _ in .none }) -> Double {
    let exact = 60_000_000_000 / bpm
    let errors = TapStatisticsTests.seeds.map { seed in
      estimate(bpm, seed: seed, beats: beats, fault(seed)).map { abs(exact / $0.period - 1) } ?? .infinity
    }.sorted()
    return (errors[(errors.count - 1) / 2] + errors[errors.count / 2]) / 2
  }

  @Test(arguments: tempi) func fourTapsGiveATempoAndEightAnAccurateOne(bpm: Double) {
    #expect(medianError(bpm, beats: 4) <= 0.015)
    let clean = medianError(bpm, beats: 8)
    #expect(clean <= 0.006)
    let missed = medianError(bpm, beats: 8) { .missed(Int($0 % 8)) }
    #expect(missed <= clean * 1.5)
    let doubled = medianError(bpm, beats: 8) { .doubled(Int($0 % 8)) }
    #expect(doubled <= clean * 1.5)
  }

  /// A missed tap increases the median error by at most half, whichever tap is missed. Below 42.9 BPM two beats are longer than
  /// the longest first interval.
  @Test(arguments: [30, 42.8, 42.9, 400]) func missedTapIncreasesTheErrorByAtMostHalf(bpm: Double) {
    let clean = medianError(bpm, beats: 8)
    for place in 0..<8 {
      let error = medianError(bpm, beats: 8) { _ in .missed(place) }
      #expect(error <= clean * 1.5, "error without tap \(place): \(error), with all taps: \(clean)")
    }
  }

  /// A late double tap increases the median error by at most half, whichever tap is doubled. From 333 BPM on, 60 ms is a third
  /// of a beat or more.
  @Test(arguments: [30, 333, 400]) func lateDoubleTapIncreasesTheErrorByAtMostHalf(bpm: Double) {
    let clean = medianError(bpm, beats: 8)
    for place in 0..<8 {
      let error = medianError(bpm, beats: 8) { _ in .doubled(place) }
      #expect(error <= clean * 1.5, "error with tap \(place) doubled: \(error), with single taps: \(clean)")
    }
  }

  @Test(arguments: [30, 120, 400] as [Double]) func bouncedTapDoesNotChangeTheEstimate(bpm: Double) {
    for seed in TapStatisticsTests.seeds {
      let (clean, place) = (estimate(bpm, seed: seed, beats: 8), Int(seed % 8))
      #expect(clean != nil && estimate(bpm, seed: seed, beats: 8, .bounced(place)) == clean)
    }
  }
}
