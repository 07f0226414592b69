import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import RealModule
import SignalSupport
import Testing

@testable import MetronomeEngine

/// Clicks on the channels of their routes, with the gains of these, and nothing on any other channel.
@Suite struct ClickRoutesTests {
  private typealias Source = ClickRoutes.Source

  private func format(_ channels: Int) -> AudioFormat {
    AudioFormat(rate: 48_000, channels: channels, sampleFormat: .float, periodFrames: 128, bufferFrames: 512)
  }

  private func channels(_ mixer: ClickMixer, _ format: AudioFormat, periods: Int = 20) -> [[Double]] {
    var channels = [[Double]](repeating: [], count: format.channels)
    for _ in 0..<periods {
      let frames = mixer.nextPeriod()
      for channel in 0..<format.channels {
        channels[channel] += Tape.channel(channel, of: frames, format: format)
      }
    }
    return channels
  }

  /// What a source plays alone, at a volume at which nothing is limited.
  private func sounds(_ routes: [ClickRoutes.Route]) -> ClickSounds {
    ClickSounds(volume: 0.5).routed(ClickRoutes(routes))
  }

  private func start(_ mixer: ClickMixer, _ source: Source, fraction: Double = 0) {
    mixer.start(.weak, source: source, atFrame: 40, fraction: fraction)
  }

  @Test(arguments: [1, 2, 4, 8, 10, 32], [0, 0.4])
  func eachSourceIsHeardOnlyWhereItIsRouted(channelCount: Int, fraction: Double) throws {
    let format = format(channelCount)
    let plain = ClickMixer(format: self.format(1), sounds: sounds([ClickRoutes.Route(1)]))
    start(plain, .weak, fraction: fraction)
    let reference = channels(plain, self.format(1))[0]
    var random = SystemRandomNumberGenerator()
    for _ in 0..<20 {
      // Each channel belongs to at most one route, and each route plays some sources, with gains of its own.
      var free = Array(1...32).shuffled(using: &random)[...]
      var gains = [[Source: Double]](repeating: [:], count: 33)
      let routes = (0..<Int.random(in: 1...6, using: &random)).map { _ in
        let pair = (free.removeFirst(), Bool.random(using: &random) ? free.removeFirst() : nil)
        let played = Source.allCases.filter { _ in Bool.random(using: &random) }
        let route = ClickRoutes.Route(
          pair.0, pair.1,
          decibels: Dictionary(
            uniqueKeysWithValues: played.map { ($0, Double(Int.random(in: -40...0, using: &random))) }))
        for channel in route.channels { gains[channel] = route.decibels }
        return route
      }
      for source in Source.allCases {
        let mixer = ClickMixer(format: format, sounds: sounds(routes))
        start(mixer, source, fraction: fraction)
        for (index, played) in channels(mixer, format).enumerated() {
          guard let gain = gains[index + 1][source] else {
            #expect(played.allSatisfy { $0 == 0 }, "\(source) on channel \(index + 1) of \(routes)")
            continue
          }
          let power = { (samples: [Double]) in samples.map { $0 * $0 }.reduce(0, +) }
          let measured = decibels(power(played) / power(reference))
          #expect((measured - gain).magnitude < 0.01, "\(source) on channel \(index + 1): \(measured) of \(gain) dB")
        }
      }
    }
  }

  private func decibels(_ ratio: Double) -> Double { 10 * Double.log10(ratio) }

  @Test func oneChannelGetsBothSidesOfAStereoSound() throws {
    let (left, right): ([Float], [Float]) = ([0.5, 0.25, -0.5], [-0.125, 0, 0.25])
    var sounds = sounds([ClickRoutes.Route(3), ClickRoutes.Route(2, 1)])
    sounds.volume = 1
    sounds.recordings.strong = try WAVSound(WAVFile.bytes(channels: [left, right], rate: 48_000))
    let format = AudioFormat(rate: 48_000, channels: 4, sampleFormat: .float, periodFrames: 3, bufferFrames: 12)
    let mixer = ClickMixer(format: format, sounds: sounds)
    mixer.start(.strong, atFrame: 0, fraction: 0)
    let (l, r) = ([0.375, 0.187_5, -0.375], [-0.093_75, 0, 0.187_5])
    #expect(channels(mixer, format, periods: 1) == [r, l, zip(l, r).map { ($0 + $1) / 2 }, [0, 0, 0]])
  }

  /// A reload of the configuration, also within a click.
  @Test func otherRoutesTakeEffectWithTheNextPeriod() {
    let format = format(4)
    let mixer = ClickMixer(format: format, sounds: sounds([ClickRoutes.Route(1, 2)]))
    let other = ClickBank(sounds([ClickRoutes.Route(3)]), format: format)
    start(mixer, .weak)
    let before = channels(mixer, format, periods: 2)
    #expect(before[0].contains { $0 != 0 } && before[0] == before[1] && before[2].allSatisfy { $0 == 0 })
    mixer.begin(with: other.readable)
    let after = channels(mixer, format, periods: 20)
    #expect(after[0].allSatisfy { $0 == 0 } && after[1].allSatisfy { $0 == 0 } && after[3].allSatisfy { $0 == 0 })
    #expect(after[2].contains { $0 != 0 })
    withExtendedLifetime(other) {}
  }

  /// The card may have accepted only a part of a period before the change.
  @Test func aChangeOfRoutesLeavesThePeriodThatIsNotWrittenYet() {
    let format = format(4)
    let mixer = ClickMixer(format: format, sounds: sounds([ClickRoutes.Route(1, 2)]))
    let other = ClickBank(sounds([ClickRoutes.Route(3)]), format: format)
    start(mixer, .weak)
    let frames = mixer.nextPeriod()
    let before = Array(frames)
    #expect(before.contains { $0 != 0 })
    mixer.begin(with: other.readable)
    #expect(Array(frames) == before)
    withExtendedLifetime(other) {}
  }

  /// The engine knows which click is of a count-in, and of which voice.
  @Test func theEngineNamesTheSources() throws {
    let signature = try #require(Signature(4, over: 4, limit: .none))
    let rhythm = try Rhythm(text: "Xxxx & 3:4 sound=cowbell", for: Metre(signature))
    let format = AudioFormat(rate: 48_000, channels: 2, sampleFormat: .s32, periodFrames: 240, bufferFrames: 960)
    func heard(_ source: Source) -> [Int] {
      let tape = Tape()
      var script = Script()
      script.press(.play, at: .milliseconds(4))
      let bench = Bench(
        Settings(Music(signature: signature, rhythm: rhythm)), audio: true, script: script, format: format,
        recording: tape, rules: Rules(countIn: 1), sounds: sounds([ClickRoutes.Route(1, decibels: [source: 0])]))
      bench.ended(after: .milliseconds(3_900))
      var (onsets, silence) = ([Int](), 480)
      for (frame, sample) in tape.samples.enumerated() {
        if sample != 0, silence >= 480 { onsets.append(frame) }
        silence = sample != 0 ? 0 : silence + 1
      }
      return onsets
    }
    // Four beats of the count-in, four of the bar, and three of the other voice, of which the first is with the first beat.
    let (countIn, strong, weak, voice) = (heard(.countIn), heard(.strong), heard(.weak), heard(.voice1))
    #expect([countIn.count, strong.count, weak.count, voice.count] == [4, 1, 3, 3])
    #expect(heard(.voice2).isEmpty && heard(.words).isEmpty && heard(.ghost).isEmpty)
    let beats = countIn + strong + weak
    #expect(zip(beats, beats.dropFirst()).allSatisfy { abs($1 - $0 - 24_000) < 48 }, "\(beats)")
    #expect(abs(voice[0] - strong[0]) < 48 && abs(voice[1] - voice[0] - 32_000) < 2)
  }
}
