import Foundation
import MetronomeCore
import SignalSupport
import Testing

@Suite struct InterpolationTests {
  static let fractions = [1e-9, 0.01, 0.1, 0.25, 1 / 3.0, 0.5, 0.7, 0.9, 0.999, 1 - 1e-9]

  private func kernel(_ fraction: Double) -> [Float] {
    [Float](unsafeUninitializedCapacity: FractionalDelay.taps) { buffer, count in
      FractionalDelay.compute(fraction: fraction, into: buffer.baseAddress!)
      count = FractionalDelay.taps
    }
  }

  @Test func zeroFractionIsTheIdentity() {
    var identity = [Float](repeating: 0, count: FractionalDelay.taps)
    identity[FractionalDelay.leadIn] = 1
    #expect(kernel(0) == identity)
  }

  /// The filter delays every tone in the band correctly: a filtered tone is compared with an ideally delayed tone.
  @Test(arguments: fractions) func tonesInTheBandAreDelayedCorrectly(fraction: Double) {
    let kernel = kernel(fraction)
    let centre = Double(FractionalDelay.leadIn) + fraction
    for frequency in stride(from: 0, through: 0.44, by: 0.002) {
      var (real, imaginary) = (-1.0, 0.0)
      for (tap, weight) in kernel.enumerated() {
        let angle = 2 * .pi * frequency * (Double(tap) - centre)
        real += Double(weight) * cos(angle)
        imaginary += Double(weight) * sin(angle)
      }
      #expect((real * real + imaginary * imaginary).squareRoot() < 7e-6, "at \(frequency)")
    }
  }

  @Test(arguments: ClickVoiceTests.voices, [44_100, 48_000, 96_000])
  func clickBetweenFramesIsAccurateTo100Decibels(voice: (level: Level, sound: Voice.Sound), rate: Int) {
    let samples = ClickVoice(voice.level, of: voice.sound, rate: rate).samples
    let lead = FractionalDelay.leadIn
    for fraction in [0.1, 0.5, 0.77] {
      let kernel = kernel(fraction)
      let ideal = ideallyDelayed(samples, by: fraction, frames: -lead..<samples.count + 32)
      for (index, expected) in ideal.enumerated() {
        var sum = 0.0
        for (tap, weight) in kernel.enumerated() where samples.indices.contains(index - tap) {
          sum += Double(weight) * Double(samples[index - tap])
        }
        #expect((sum - expected).magnitude < 1e-5)
      }
    }
  }

  @Test func equalRatesLeaveSamplesUnchanged() {
    let samples: [Float] = [0.5, -1, 0.25]
    #expect(Resampler(from: 48_000, to: 48_000).resampled(samples) == samples)
    #expect(Resampler(from: 44_100, to: 48_000).resampled([]) == [])
  }

  /// A tone that fades in and out within 40 ms.
  private func tone(_ frequency: Double, rate: Int) -> [Float] {
    let count = rate / 25
    return (0..<count).map { n in
      let part = Double(n) / Double(count)
      let swell =
        0.358_75 - 0.488_29 * cos(2 * .pi * part) + 0.141_28 * cos(4 * .pi * part) - 0.011_68 * cos(6 * .pi * part)
      return Float(swell * sin(2 * .pi * frequency * Double(n) / Double(rate)))
    }
  }

  @Test(arguments: [(44_100, 48_000), (48_000, 44_100), (96_000, 48_000), (8_000, 48_000), (384_000, 44_100)])
  func resamplingKeepsTonesInTheBand(from: Int, to: Int) {
    let lowest = Double(min(from, to))
    for part in [0.02, 0.1, 0.25, 0.4] {
      let expected = tone(part * lowest, rate: to)
      let resampled = Resampler(from: from, to: to).resampled(tone(part * lowest, rate: from))
      #expect(resampled.count >= expected.count)
      let error = zip(resampled, expected).map { ($0 - $1).magnitude }.max()!
      #expect(error < 5e-5, "\(part)")
    }
  }

  @Test(arguments: [(96_000, 48_000), (48_000, 8_000), (44_100, 32_000)])
  func tonesAboveTheBandOfTheLowerRateAreRemoved(from: Int, to: Int) {
    for part in [0.53, 0.6, 0.7] where part * Double(to) < 0.48 * Double(from) {
      let rest = Resampler(from: from, to: to).resampled(tone(part * Double(to), rate: from))
      #expect(rest.map(\.magnitude).max()! < 3.2e-5, "\(part)")
    }
  }

  @Test(arguments: [(44_100, 48_000), (8_000, 192_000)])
  func imagesAreAttenuatedBy90Decibels(from: Int, to: Int) {
    let resampled = Resampler(from: from, to: to).resampled(tone(0.43 * Double(min(from, to)), rate: from))
    #expect(Levels(resampled, above: 0.5 * Double(min(from, to)) / Double(to) * 1.02).above < -90)
  }
}
