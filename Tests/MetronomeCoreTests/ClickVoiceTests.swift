import Foundation
import MetronomeCore
import SignalSupport
import Testing

@Suite struct ClickVoiceTests {
  static let rates = [44_100, 48_000, 96_000]

  @Test(arguments: [Level.strong, .weak], [8_000, 22_050, 44_100, 48_000, 96_000, 192_000])
  func clickIsShortReachesItsPeakAndIsSilentAtBothEnds(accent: Level, rate: Int) {
    let samples = ClickVoice(accent, rate: rate).samples
    #expect(samples.count * 1_000 <= rate * 40)
    #expect(samples.map(\.magnitude).max() == ClickVoice.peak)
    #expect(samples[0].magnitude < 1e-6)
    // Value and slope are below one least significant bit at 16 bits.
    #expect(samples.suffix(2).allSatisfy { $0.magnitude < 1e-5 })
  }

  @Test(arguments: [Level.strong, .weak], rates)
  func clickHasNoDCOffsetAndNoEnergyAboveTheBand(accent: Level, rate: Int) {
    let levels = Levels(ClickVoice(accent, rate: rate).samples, above: 0.42)
    #expect(levels.direct < -120)
    #expect(levels.above < -100)
  }

  /// The first 5 ms of a click identify its pitch. `metronome-bench` identifies recorded clicks in this way.
  @Test(arguments: [Level.strong, .weak], rates)
  func firstFiveMillisecondsIdentifyThePitch(accent: Level, rate: Int) {
    let samples = ClickVoice(accent, rate: rate).samples
    let onset = samples.firstIndex { $0.magnitude > 0.01 }!
    let signs = samples[onset..<onset + rate / 200].map { $0 < 0 }
    let crossings = zip(signs, signs.dropFirst()).count { $0 != $1 }
    switch accent {
    case .strong, .medium: #expect(crossings >= 18)
    case .weak, .ghost, .rest: #expect(crossings <= 13)
    }
    #expect(onset * 20_000 <= 3 * rate)
  }

  /// A click has energy above 1.8 kHz. Laptop speakers, and even more so buzzers, reproduce little below this frequency.
  @Test(arguments: [(Level.strong, 0.9), (.weak, 0.15)])
  func clickHasEnergyInTheRangeOfASmallSpeaker(accent: Level, share: Double) {
    let samples = ClickVoice(accent, rate: 48_000).samples
    let frequencies = (0...480).map { Double($0) / 960 }
    let energies = spectrum(samples, at: frequencies).map { $0 * $0 }
    let audible = zip(frequencies, energies).filter { $0.0 * 48_000 > 1_800 }.map(\.1).reduce(0, +)
    #expect(audible > share * energies.reduce(0, +))
  }

  @Test func volumeIsCubicAndGainIsInDecibels() {
    #expect(ClickGain.factor(volume: 1) == 1)
    #expect(ClickGain.factor(volume: 0.5) == 0.125)
    #expect(ClickGain.factor(volume: 0, gainDB: 20) == 0)
    #expect(ClickGain.factor(volume: 7) == 1)
    #expect(ClickGain.factor(volume: -1) == 0)
    #expect(ClickGain.factor(volume: .nan) == 0)
    #expect((ClickGain.factor(volume: 1, gainDB: -20) - 0.1).magnitude < 1e-15)
    #expect(ClickGain.factor(volume: 1, gainDB: 100) == 10)
    #expect(ClickGain.factor(volume: 1, gainDB: .nan) == 0.001)
    // A sound that is half as loud has 10 dB less. The volume for it is about two thirds, not half.
    #expect((20 * log10(ClickGain.factor(volume: 0.68)) + 10).magnitude < 0.1)
    let sounds = ClickSounds(volume: 0.5, gainDB: 20)
    let peak = sounds.samples(of: .strong, rate: 48_000)[0].map(\.magnitude).max()!
    #expect((peak - 1.25).magnitude < 1e-6)
  }
}
