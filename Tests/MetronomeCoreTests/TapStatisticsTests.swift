import MetronomeCore
import Testing

/// What a thousand fingers make of a tempo, each of which errs by 2.5 % of a beat from tap to tap.
@Suite struct TapStatisticsTests {
  static let tempi: [Double] = [30, 41, 60, 87.5, 120, 200, 280, 333, 400]
  private static let seeds = 0..<1_000 as Range<UInt64>

  enum Fault: Hashable {
    case none
    /// The tap at this place, from 0, is not felt.
    case missed(Int)
    /// The tap at this place is felt twice.
    case doubled(Int)
  }

  /// What taps of so many beats say; nil if they make no tempo.
  private func estimate(_ bpm: Double, seed: UInt64, beats: Int, _ fault: Fault = .none) -> TapTempo.Estimate? {
    var finger = Finger(bpm: bpm, seed: seed)
    var taps = TapTempo()
    var estimate: TapTempo.Estimate?
    for beat in 0..<beats {
      let tap = finger.tap(beat)
      let after = Nanoseconds(25_000_000 + Int64(finger.fraction() * 34_000_000))
      if fault == .missed(beat) { continue }
      estimate = taps.take(tap)
      if fault == .doubled(beat) { #expect(taps.take(tap + after) == nil) }
    }
    return estimate
  }

  private func medianError(_ bpm: Double, beats: Int, _ fault: Fault = .none) -> Double {
    let exact = 60_000_000_000 / bpm
    let errors = TapStatisticsTests.seeds.compactMap { seed in
      estimate(bpm, seed: seed, beats: beats, fault).map { abs(exact / $0.period - 1) }
    }.sorted()
    #expect(errors.count == TapStatisticsTests.seeds.count, "a run was lost")
    return errors.isEmpty ? .infinity : (errors[(errors.count - 1) / 2] + errors[errors.count / 2]) / 2
  }

  @Test(arguments: tempi) func fourTapsMakeATempoAndEightAGoodOne(bpm: Double) {
    #expect(medianError(bpm, beats: 4) <= 0.015)
    #expect(medianError(bpm, beats: 8) <= 0.006)
  }

  @Test(arguments: tempi) func aDoubleTapCostsNothing(bpm: Double) {
    for seed in TapStatisticsTests.seeds {
      let (clean, place) = (estimate(bpm, seed: seed, beats: 8), Int(seed % 8))
      #expect(clean != nil && estimate(bpm, seed: seed, beats: 8, .doubled(place)) == clean)
    }
  }

  @Test(arguments: tempi) func aMissedTapCostsHalfAsMuchAgainAtTheMost(bpm: Double) {
    let clean = medianError(bpm, beats: 8)
    for place in 0..<8 {
      let error = medianError(bpm, beats: 8, .missed(place))
      // Two slow beats are longer than any two taps of a run may be apart before there is an estimate. The first tap is lost
      // with the second, and six taps are left.
      let isTorn = place == 1 && 120_000 / bpm > 2_800
      #expect(error <= (isTorn ? 0.006 : clean) * 1.5, "without the tap at \(place): \(error), with it \(clean)")
    }
  }
}
