import Foundation
import MetronomeCore
import SignalSupport
import Testing

@Suite struct ClickVoiceTests {
  static let rates = [44_100, 48_000, 96_000]

  /// The built-in voices that differ in more than their gain.
  static let voices: [(level: Level, sound: Voice.Sound)] = [
    (.strong, .click), (.medium, .click), (.weak, .click), (.strong, .cowbell), (.weak, .cowbell),
  ]

  @Test(arguments: voices, [8_000, 22_050, 44_100, 48_000, 96_000, 192_000])
  func clickIsShortReachesItsPeakAndIsSilentAtBothEnds(voice: (level: Level, sound: Voice.Sound), rate: Int) {
    let samples = ClickVoice(voice.level, of: voice.sound, rate: rate).samples
    #expect(samples.count * 1_000 <= rate * 40)
    let peak: Float = voice == (.medium, .click) ? -2.4 : voice == (.weak, .click) ? -3.75 : 0
    #expect(samples.map(\.magnitude).max() == Float(pow(10, Double(peak) / 20)))
    #expect(samples[0].magnitude < 1e-6)
    // Value and slope are below one least significant bit at 16 bits.
    #expect(samples.suffix(2).allSatisfy { $0.magnitude < 1e-5 })
  }

  @Test(arguments: voices, rates)
  func clickHasNoDCOffsetAndNoEnergyAboveTheBand(voice: (level: Level, sound: Voice.Sound), rate: Int) {
    let levels = Levels(ClickVoice(voice.level, of: voice.sound, rate: rate).samples, above: 0.42)
    #expect(levels.direct < -120)
    #expect(levels.above < -100)
  }

  /// The first 5 ms of a click identify its pitch. `metronome-bench` identifies recorded clicks in this way.
  @Test(arguments: [Level.strong, .medium, .weak], rates)
  func firstFiveMillisecondsIdentifyThePitch(accent: Level, rate: Int) {
    let samples = ClickVoice(accent, rate: rate).samples
    let onset = samples.firstIndex { $0.magnitude > 0.01 * samples.map(\.magnitude).max()! }!
    let signs = samples[onset..<onset + rate / 200].map { $0 < 0 }
    let crossings = zip(signs, signs.dropFirst()).count { $0 != $1 }
    switch accent {
    case .strong: #expect(crossings >= 18)
    case .medium: #expect((14...17).contains(crossings))
    case .weak, .ghost, .rest: #expect(crossings <= 13)
    }
    #expect(onset * 20_000 <= 3 * rate)
  }

  /// A click has energy above 1.8 kHz. Laptop speakers, and even more so buzzers, reproduce little below this frequency.
  @Test(arguments: zip(voices, [0.9, 0.15, 0.15, 0.15, 0.15]))
  func clickHasEnergyInTheRangeOfASmallSpeaker(voice: (level: Level, sound: Voice.Sound), share: Double) {
    let samples = ClickVoice(voice.level, of: voice.sound, rate: 48_000).samples
    let frequencies = (0...480).map { Double($0) / 960 }
    let energies = spectrum(samples, at: frequencies).map { $0 * $0 }
    let audible = zip(frequencies, energies).filter { $0.0 * 48_000 > 1_800 }.map(\.1).reduce(0, +)
    #expect(audible > share * energies.reduce(0, +))
  }

  /// The frequency of a voice's highest level, in hertz and in steps of 10 Hz, and this level.
  private func dominant(_ level: Level, _ sound: Voice.Sound, above lowest: Int) -> (hertz: Int, magnitude: Double) {
    let (source, gain) = ClickSounds().source(of: level, in: sound)
    let frequencies = Array(stride(from: lowest, through: 8_000, by: 10))
    let samples = source.channels(rate: 48_000)[0].map { $0 * gain }
    let levels = spectrum(samples, at: frequencies.map { Double($0) / 48_000 })
    let highest = levels.indices.max { levels[$0] < levels[$1] }!
    return (frequencies[highest], levels[highest])
  }

  /// All levels of both sounds differ by a tenth of their dominant frequency, or by 10 dB: on a loudspeaker, and on a small
  /// one, which plays little below 2 kHz.
  @Test(arguments: [50, 1_800]) func levelsAndSoundsAreToldApart(lowest: Int) {
    let levels: [Level] = [.strong, .medium, .weak, .ghost]
    let clicks = levels.map { dominant($0, .click, above: lowest) }
    // The medium and the weak cowbell are the same.
    let cowbells = [Level.strong, .weak, .ghost].map { dominant($0, .cowbell, above: lowest) }
    let all = clicks + cowbells
    for (index, voice) in all.enumerated() {
      for other in all[..<index] {
        let ratio = Double(max(voice.hertz, other.hertz)) / Double(min(voice.hertz, other.hertz))
        let decibels = 20 * log10(voice.magnitude / other.magnitude)
        #expect(ratio > 1.1 || decibels.magnitude > 9.9, "\(voice) and \(other)")
      }
    }
  }

  @Test func mediumClickIsInTheMiddleOfStrongAndWeak() {
    let pitches = [Level.strong, .medium, .weak].map { Double(dominant($0, .click, above: 50).hertz) }
    #expect((pitches[1] / (pitches[0] * pitches[2]).squareRoot() - 1).magnitude < 0.02)
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
    #expect((sounds.factor - 1.25).magnitude < 1e-6)
  }
}
