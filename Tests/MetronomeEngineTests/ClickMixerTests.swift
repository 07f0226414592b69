import Foundation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import SignalSupport
import Testing

@Suite struct ClickMixerTests {
  private func format(_ sampleFormat: SampleFormat = .float, channels: Int = 1, period: Int = 256) -> AudioFormat {
    AudioFormat(
      rate: 48_000, channels: channels, sampleFormat: sampleFormat, periodFrames: period, bufferFrames: 4 * period)
  }

  /// The samples of one channel in the next periods; full scale is 1.
  private func play(_ mixer: ClickMixer, periods: Int, format: AudioFormat, channel: Int = 0) -> [Double] {
    (0..<periods).flatMap { _ in Tape.channel(channel, of: mixer.nextPeriod(), format: format) }
  }

  private let loud = ClickSounds(volume: 1)

  private func voice(_ accent: Level) -> [Float] {
    ClickVoice(accent, rate: 48_000).samples.map { $0 * ClickMixer.headroom }
  }

  private static let places: [(offset: Int, fraction: Double)] = [
    (100, 0.5), (255, 0.1), (256 + 30, 0.9), (5, 0.25), (0, 0.7), (31, 0.999), (32, 0.001),
  ]

  @Test(arguments: places, [Level.strong, .weak])
  func clickBetweenFramesIsTheDelayedVoice(place: (offset: Int, fraction: Double), accent: Level) {
    let format = format()
    let mixer = ClickMixer(format: format, sounds: loud)
    let voice = voice(accent)
    mixer.start(accent, atFrame: place.offset, fraction: place.fraction)
    let played = play(mixer, periods: 10, format: format)
    // The part before the first period is cut off.
    let from = max(0, place.offset - ClickMixer.leadIn)
    let end = place.offset + voice.count + 32
    let expected = ideallyDelayed(voice, by: place.fraction, frames: from - place.offset..<end - place.offset)
    let error = zip(played[from..<end], expected).map { ($0 - $1).magnitude }.max()!
    #expect(20 * log10(error / Double(ClickMixer.headroom)) < -95)
    #expect(played[..<from].allSatisfy { $0 == 0 })
    #expect(played[end...].allSatisfy { $0 == 0 })
  }

  @Test(arguments: SampleFormat.allCases, [1, 2, 3, 4, 8, 10, 32])
  func everyFormatHasTheSoundInTheFirstTwoChannels(sampleFormat: SampleFormat, channels: Int) {
    let format = format(sampleFormat, channels: channels, period: 100)
    let voice = voice(.strong)
    let steps: [SampleFormat: Double] = [.s16: 0x1p-16, .s24: 0x1p-24, .s32: 0x1p-32, .float: 0]
    for channel in 0..<channels {
      let mixer = ClickMixer(format: format, sounds: loud)
      mixer.start(.strong, atFrame: 42, fraction: 0)
      let played = play(mixer, periods: 19, format: format, channel: channel)
      if channel >= 2 {
        #expect(played.allSatisfy { $0 == 0 }, "channel \(channel + 1)")
        continue
      }
      let expected = Array(repeating: 0.0, count: 42) + voice.map(Double.init)
      #expect(played.count == 1_900)
      #expect(played[..<42].allSatisfy { $0 == 0 } && played[expected.count...].allSatisfy { $0 == 0 })
      let error = zip(played, expected).map { ($0 - $1).magnitude }.max()!
      #expect(error <= steps[sampleFormat]!, "samples must be rounded, not truncated")
    }
  }

  @Test func lateClickLosesItsBeginning() {
    let format = format()
    let voice = voice(.weak).map(Double.init)
    let mixer = ClickMixer(format: format, sounds: loud)
    mixer.start(.weak, atFrame: -20, fraction: 0)
    #expect(play(mixer, periods: 6, format: format) == Array(voice[20..<20 + 6 * 256]))
    let delayed = ClickMixer(format: format, sounds: loud)
    delayed.start(.weak, atFrame: -31, fraction: 0.5)
    let expected = ideallyDelayed(self.voice(.weak), by: 0.5, frames: 31..<31 + 256)
    let error = zip(play(delayed, periods: 1, format: format), expected).map { ($0 - $1).magnitude }.max()!
    #expect(error < 1e-5)
  }

  @Test func stereoSoundsKeepTheirChannels() throws {
    let left: [Float] = [0.5, 0.25, -0.5]
    let right: [Float] = [-0.125, 0, 0.25]
    let audio = try WAVSound(WAVFile.bytes(channels: [left, right], rate: 48_000))
    let sounds = ClickSounds(PerLevel(strong: audio, weak: nil), volume: 1)
    func play(_ channels: Int, _ accent: Level = .strong) -> [[Double]] {
      let format = format(channels: channels, period: 3)
      return (0..<channels).map { channel in
        let mixer = ClickMixer(format: format, sounds: sounds)
        mixer.start(accent, atFrame: 0, fraction: 0)
        return self.play(mixer, periods: 1, format: format, channel: channel)
      }
    }
    let (l, r) = ([0.375, 0.187_5, -0.375], [-0.093_75, 0, 0.187_5])
    #expect(play(2) == [l, r])
    let silence = [0.0, 0, 0]
    #expect(play(5) == [l, r, silence, silence, silence])
    #expect(play(1) == [zip(l, r).map { ($0 + $1) / 2 }])
    let regular = play(2, .weak)
    #expect(regular[0] == regular[1])
  }

  @Test func loudSoundsAreLimitedBelowFullScale() {
    for sampleFormat in SampleFormat.allCases {
      let format = format(sampleFormat)
      let mixer = ClickMixer(format: format, sounds: ClickSounds(volume: 1, gainDB: 20))
      for click in 0..<20 { mixer.start(.strong, atFrame: click * 7, fraction: Double(click) / 20) }
      let highest = play(mixer, periods: 10, format: format).map(\.magnitude).max()!
      #expect(highest > 0.95 && highest <= Double(MixedPeriod.ceiling) + 0x1p-16)
    }
  }

  @Test func twoClicksAddUp() {
    let format = format()
    func play(_ clicks: [(Int, Double)]) -> [Double] {
      let mixer = ClickMixer(format: format, sounds: ClickSounds(volume: 0.7))
      for click in clicks { mixer.start(.strong, atFrame: click.0, fraction: click.1) }
      return self.play(mixer, periods: 9, format: format)
    }
    let sum = zip(play([(3, 0.25)]), play([(200, 0)])).map(+)
    let error = zip(play([(3, 0.25), (200, 0)]), sum).map { ($0 - $1).magnitude }.max()!
    #expect(error < 1e-6)
  }

  @Test func oldestOfTooManyClicksFadesOut() throws {
    let format = format(period: 240)
    let steady = try WAVSound(WAVFile.bytes(channels: [Array(repeating: 0.062_5, count: 4_800)], rate: 48_000))
    let mixer = ClickMixer(
      format: format, sounds: ClickSounds(PerLevel(strong: steady, weak: nil), volume: 1))
    for _ in 0..<16 { mixer.start(.strong, atFrame: 0, fraction: 0) }
    let before = play(mixer, periods: 1, format: format)
    mixer.start(.strong, atFrame: 0, fraction: 0)
    let after = play(mixer, periods: 1, format: format)
    #expect(before.allSatisfy { $0 == 0.75 })
    // Sixteen clicks continue; the oldest of the seventeen clicks fades out within 2 ms.
    #expect(after[0] > 0.79 && after[96...].allSatisfy { $0 == 0.75 })
    #expect(zip(after, after.dropFirst()).allSatisfy { $0 >= $1 })
  }

  /// A period's clicks are placed voice by voice. With too many, the one that begins first is left out, not the one placed first.
  @Test func theEarliestOfTooManyClicksIsLeftOut() throws {
    let format = format(period: 240)
    let pulse = try WAVSound(WAVFile.bytes(channels: [[0.5]], rate: 48_000))
    let mixer = ClickMixer(format: format, sounds: ClickSounds(PerLevel(strong: pulse, weak: nil), volume: 1))
    mixer.start(.strong, atFrame: 200, fraction: 0)
    for frame in 1...16 { mixer.start(.strong, atFrame: frame, fraction: 0) }
    let played = play(mixer, periods: 1, format: format)
    #expect(played.indices.filter { played[$0] != 0 } == Array(2...16) + [200])
  }

  /// Thirty-second notes at 300 BPM in four voices: no click ends before its end.
  @Test(arguments: [64, 256, 1_024, 4_096]) func fourFastVoicesSoundToTheirEnds(period: Int) {
    let format = format(period: period)
    let sounds = ClickSounds(volume: 0.4)
    let voices: [(Level, Voice.Sound)] = [
      (.strong, .click), (.medium, .click), (.strong, .cowbell), (.ghost, .cowbell),
    ]
    let periods = 14_400 / period + 1
    let mixer = ClickMixer(format: format, sounds: sounds)
    var expected = [Double](repeating: 0, count: periods * period)
    var played: [Double] = []
    var next = 0
    for _ in 0..<periods {
      while next * 1_200 < played.count + period, next < 10 {
        for (level, sound) in voices {
          mixer.start(level, of: sound, atFrame: next * 1_200 - played.count, fraction: 0)
          let (source, gain) = sounds.source(of: level, in: sound)
          for (index, sample) in source.channels(rate: 48_000)[0].enumerated() {
            expected[next * 1_200 + index] += Double(sample * gain * sounds.factor * ClickMixer.headroom)
          }
        }
        next += 1
      }
      played += play(mixer, periods: 1, format: format)
    }
    #expect(zip(played, expected).allSatisfy { ($0 - $1).magnitude < 1e-6 })
  }

  @Test(arguments: Voice.Sound.allCases, [Level.strong, .medium, .weak, .ghost])
  func everyLevelIsItsVoiceTimesItsGain(sound: Voice.Sound, level: Level) {
    let format = format()
    let (source, gain) = loud.source(of: level, in: sound)
    let voice = source.channels(rate: 48_000)[0].map { Double($0 * ClickMixer.headroom * gain) }
    let mixer = ClickMixer(format: format, sounds: loud)
    mixer.start(level, of: sound, atFrame: 0, fraction: 0)
    #expect(play(mixer, periods: 6, format: format) == Array(voice[..<(6 * 256)]))
    mixer.silence()
    mixer.start(level, of: sound, atFrame: 40, fraction: 0.5)
    let delayed = ideallyDelayed(voice.map(Float.init), by: 0.5, frames: -40..<216)
    let error = zip(play(mixer, periods: 1, format: format), delayed).map { ($0 - $1).magnitude }.max()!
    #expect(error < 1e-5)
  }

  /// Each set begins on the beat at odd tempi, wherever in a frame it falls: the shift that brings an ideally delayed voice nearest to
  /// what is played, by least squares.
  @Test(arguments: Voice.Sound.sets, [Level.strong, .medium, .weak])
  func clicksOfASetBeginOnTheBeat(set: Voice.Sound, level: Level) {
    let format = format()
    let voice = ClickVoice(level, of: set, rate: 48_000).samples.map { $0 * ClickMixer.headroom }
    let mixer = ClickMixer(format: format, sounds: loud)
    // The fourth beats at 91.7, 133.7 and 217.3 BPM.
    for tempo in [91.7, 133.7, 217.3] {
      let place = 4 * 60 / tempo * 48_000
      let fraction = place.truncatingRemainder(dividingBy: 1)
      mixer.silence()
      mixer.start(level, set: set, atFrame: 40, fraction: fraction)
      let played = play(mixer, periods: 2, format: format)
      func ideal(_ shift: Double) -> [Double] { ideallyDelayed(voice, by: fraction + shift, frames: -40..<472) }
      let slope = zip(ideal(0.001), ideal(-0.001)).map { ($0 - $1) / 0.002 }
      let error = zip(zip(played, ideal(0)), slope).reduce(0) { $0 + ($1.0.0 - $1.0.1) * $1.1 }
      #expect((error / slope.reduce(0) { $0 + $1 * $1 }).magnitude <= 0.02)
    }
  }

  /// A file wins over a beat, a beat over a level, and a level over the set. A voice has its own sound.
  @Test func nearestChoiceOfASoundWins() throws {
    var sounds = loud
    sounds.recordings.medium = try WAVSound(WAVFile.bytes(channels: [[0.5, 0, -0.5]], rate: 48_000))
    sounds.levels.weak = .rim
    sounds.beats = [2: .dry, 3: .cowbell]
    let mixer = ClickMixer(format: format(), sounds: sounds)
    func played(_ level: Level, of sound: Voice.Sound = .click, beat: Int = 0) -> [Float] {
      mixer.silence()
      mixer.start(level, of: sound, set: .wood, beat: beat, atFrame: 0, fraction: 0)
      return play(mixer, periods: 1, format: format()).map { Float($0) }
    }
    func voice(_ level: Level, _ sound: Voice.Sound) -> [Float] {
      ClickVoice(level, of: sound, rate: 48_000).samples[..<256].map { $0 * ClickMixer.headroom }
    }
    #expect(played(.strong) == voice(.strong, .wood) && played(.strong, beat: 1) == voice(.strong, .wood))
    #expect(played(.weak) == voice(.weak, .rim) && played(.weak, beat: 2) == voice(.weak, .dry))
    #expect(played(.weak, beat: 3) == voice(.weak, .cowbell) && played(.strong, beat: 33) == voice(.strong, .wood))
    #expect(played(.medium, beat: 2)[0] == 0.5 * ClickMixer.headroom)
    #expect(played(.weak, of: .soft, beat: 2) == voice(.weak, .soft))
    #expect(played(.ghost) == voice(.weak, .rim).map { $0 * ClickSounds.ghostGain })
  }

  /// Resampling a recording takes long, so that each is resampled once.
  @Test func levelsWithTheSameSoundShareItsSamples() throws {
    let format = format()
    func recording(_ sample: Float) throws -> WAVSound {
      try WAVSound(WAVFile.bytes(channels: [[sample, 0, -sample]], rate: 44_100))
    }
    func count(_ recordings: PerLevel<WAVSound?>) -> Int { ClickBank(ClickSounds(recordings), format: format).count }
    let (tick, tock) = try (recording(0.5), recording(0.25))
    #expect(count(PerLevel(repeating: nil)) == 26)
    #expect(count(PerLevel(repeating: tick)) == 27)
    #expect(count(PerLevel { [.strong, .weak].contains($0) ? tick : nil }) == 27)
    #expect(count(PerLevel { $0 == .strong ? tick : $0 == .weak ? tock : nil }) == 28)
    #expect(count(PerLevel { $0 == .ghost ? tick : nil }) == 27)
  }

  @Test func stopFadesWithin2MillisecondsAndTheNextClickIsComplete() {
    let format = format(period: 96)
    let mixer = ClickMixer(format: format, sounds: loud)
    mixer.start(.weak, atFrame: 0, fraction: 0)
    let voice = voice(.weak).map(Double.init)
    #expect(play(mixer, periods: 1, format: format) == Array(voice[..<96]))
    mixer.stop()
    let fading = play(mixer, periods: 1, format: format)
    #expect(zip(fading, voice[96...]).allSatisfy { $0.magnitude <= $1.magnitude })
    #expect((fading[0] / voice[96] - 1).magnitude < 0.01)
    #expect(play(mixer, periods: 1, format: format).allSatisfy { $0 == 0 })
    mixer.start(.weak, atFrame: 0, fraction: 0)
    #expect(play(mixer, periods: 1, format: format) == Array(voice[..<96]))
  }

  @Test func stopDropsClicksThatHaveNotBegun() {
    let format = format()
    let mixer = ClickMixer(format: format, sounds: loud)
    mixer.start(.strong, atFrame: 270, fraction: 0)
    #expect(play(mixer, periods: 1, format: format).allSatisfy { $0 == 0 })
    mixer.stop()
    #expect(play(mixer, periods: 8, format: format).allSatisfy { $0 == 0 })
  }

  @Test func silenceDropsAllClicksAtOnce() {
    let format = format()
    let mixer = ClickMixer(format: format, sounds: loud)
    mixer.start(.strong, atFrame: 0, fraction: 0.5)
    #expect(play(mixer, periods: 1, format: format).contains { $0 != 0 })
    mixer.silence()
    #expect(play(mixer, periods: 8, format: format).allSatisfy { $0 == 0 })
  }

  @Test func moreClicksThanTheMixerHoldsMayStartAtOnce() {
    let format = format()
    let mixer = ClickMixer(format: format, sounds: loud)
    for round in 0..<50 {
      for click in 0..<20 { mixer.start(.strong, atFrame: click - 10, fraction: Double(round) / 50) }
      #expect(play(mixer, periods: 1, format: format).allSatisfy { $0.magnitude <= 1 })
    }
    #expect(play(mixer, periods: 8, format: format).last == 0)
  }
}

/// Makes WAV files with float samples.
enum WAVFile {
  static func bytes(channels: [[Float]], rate: UInt32) -> [UInt8] {
    let count = UInt16(channels.count)
    var samples: [UInt8] = []
    for frame in channels[0].indices {
      for channel in channels { samples += little(channel[frame].bitPattern) }
    }
    var bytes = Array("RIFF".utf8)
    bytes += little(36 + UInt32(samples.count))
    bytes += Array("WAVEfmt ".utf8)
    bytes += little(16 as UInt32)
    bytes += little(3 as UInt16)
    bytes += little(count)
    bytes += little(rate)
    bytes += little(rate * 4 * UInt32(count))
    bytes += little(4 * count)
    bytes += little(32 as UInt16)
    bytes += Array("data".utf8)
    bytes += little(UInt32(samples.count))
    return bytes + samples
  }

  private static func little(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian, Array.init)
  }
}
