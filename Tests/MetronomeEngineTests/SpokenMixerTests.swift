import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import SignalSupport
import Testing

@Suite struct SpokenMixerTests {
  private static let format = AudioFormat(
    rate: 48_000, channels: 1, sampleFormat: .float, periodFrames: 256, bufferFrames: 1_024)

  private func play(_ mixer: ClickMixer, periods: Int) -> [Double] {
    (0..<periods).flatMap { _ in Tape.channel(0, of: mixer.nextPeriod(), format: SpokenMixerTests.format) }
  }

  /// At 1,000 BPM a word begins five beats before its own. Each is heard from its onset to the middle between two beats.
  @Test func everyNumberIsHeardAtTheFastestTempo() throws {
    var sounds = ClickSounds(volume: 1)
    for number in 1...32 {
      sounds.numbers[number] = try Words.word(number, onset: .milliseconds(300), frames: 9_600, attack: 0)
    }
    let mixer = ClickMixer(format: SpokenMixerTests.format, sounds: sounds)
    let (interval, count) = (2_880, 32)
    var (next, played) = (0, [Double]())
    while played.count < 14_400 + count * interval {
      while next < count, 14_400 + next * interval < played.count + 256 + ClickMixer.leadIn + 14_400 {
        #expect(mixer.say(next + 1, at: .weak, onsetAtFrame: 14_400 + next * interval - played.count, fraction: 0))
        next += 1
      }
      played += play(mixer, periods: 1)
    }
    for number in 1..<count {
      let onset = 14_400 + (number - 1) * interval
      let value = Double(Words.rest(number) * ClickMixer.headroom)
      #expect(played[onset..<onset + interval / 2].allSatisfy { $0 == value })
      #expect(played[onset + interval / 2 + 96..<onset + interval].allSatisfy { $0 == 0 })
    }
  }

  /// A word between two frames is interpolated like a click with the same samples.
  @Test(arguments: [0.001, 0.25, 0.5, 0.999]) func wordMayBeginBetweenFrames(fraction: Double) throws {
    var sounds = try Words.sounds(onset: .milliseconds(10), frames: 1_000)
    sounds.recordings.strong = sounds.numbers[1]?.recording
    let (spoken, clicked) = (
      ClickMixer(format: SpokenMixerTests.format, sounds: sounds),
      ClickMixer(format: SpokenMixerTests.format, sounds: sounds)
    )
    #expect(spoken.say(1, at: .weak, onsetAtFrame: 700, fraction: fraction))
    clicked.start(.strong, atFrame: 700 - 480, fraction: fraction)
    let played = play(spoken, periods: 10)
    let isSame = played == play(clicked, periods: 10)
    #expect(isSame && played.contains { $0 != 0 })
  }

  @Test func clicksDoNotEndAWord() throws {
    let sounds = try Words.sounds(onset: .zero, frames: 9_600)
    let mixer = ClickMixer(format: SpokenMixerTests.format, sounds: sounds)
    #expect(mixer.say(1, at: .strong, onsetAtFrame: 0, fraction: 0))
    for click in 0..<200 { mixer.start(.strong, atFrame: click, fraction: 0.5) }
    // The clicks last 36 ms.
    _ = play(mixer, periods: 8)
    let value = Double(Words.rest(1) * ClickMixer.headroom)
    #expect(play(mixer, periods: 20).allSatisfy { $0 == value })
  }

  @Test func moreWordsThanTheMixerHoldsAreRefused() throws {
    let mixer = ClickMixer(
      format: SpokenMixerTests.format, sounds: try Words.sounds(onset: .milliseconds(300), frames: 9_600))
    let spoken = (0..<12).map { mixer.say(1, at: .weak, onsetAtFrame: 14_400 + $0, fraction: 0) }
    #expect(spoken == (0..<12).map { $0 < ClickMixer.words })
    mixer.stop()
    #expect(mixer.say(1, at: .weak, onsetAtFrame: 14_400, fraction: 0))
  }

  /// Up to 1 ms of a word's beginning may be missing; the onset stays.
  @Test func lateWordIsRefused() throws {
    let mixer = ClickMixer(format: SpokenMixerTests.format, sounds: try Words.sounds(onset: .milliseconds(40)))
    #expect(!mixer.say(1, at: .weak, onsetAtFrame: 1_920 - 49, fraction: 0))
    #expect(!mixer.say(5, at: .weak, onsetAtFrame: 1_920, fraction: 0))
    #expect(!mixer.say(33, at: .weak, onsetAtFrame: 1_920, fraction: 0))
    #expect(play(mixer, periods: 8).allSatisfy { $0 == 0 })
    #expect(mixer.say(1, at: .weak, onsetAtFrame: 1_920 - 48, fraction: 0))
    let played = play(mixer, periods: 8)
    let attack = Double(Words.attack * ClickMixer.headroom)
    let rest = Double(Words.rest(1) * ClickMixer.headroom)
    #expect(played[..<1_872].allSatisfy { $0 == attack })
    #expect(played[1_872...].allSatisfy { $0 == rest })
  }

  @Test func ghostIsSpokenSofter() throws {
    let mixer = ClickMixer(format: SpokenMixerTests.format, sounds: try Words.sounds(onset: .zero))
    #expect(mixer.say(2, at: .ghost, onsetAtFrame: 10, fraction: 0))
    let played = play(mixer, periods: 1)
    #expect(played[..<10].allSatisfy { $0 == 0 })
    let value = Double(Words.rest(2) * ClickMixer.headroom * ClickSounds.ghostGain)
    #expect(played[10...].allSatisfy { $0 == value })
  }

  /// The onset is rounded to a frame of the card, whatever the rate of the file.
  @Test(arguments: [(44_100, 1_764), (48_000, 1_920), (8_000, 320), (192_000, 7_680)])
  func onsetIsAFrameOfTheCard(rate: Int, frames: Int) throws {
    #expect(try Words.word(1, onset: .milliseconds(40)).onset(rate: rate) == frames)
    #expect(try Words.word(1, onset: .microseconds(40_011), frames: 10).onset(rate: 48_000) == 1_921)
  }
}
