import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import SignalSupport
import Testing

/// A metronome that counts aloud, and what its card plays.
private struct CountingBench {
  let bench: Bench
  private let tape = Tape()
  private let rate: Int

  init(
    _ sounds: ClickSounds, _ settings: Settings = Settings(), rate: Int = 48_000, rules: Rules = Rules(),
    faults: FaultPlan = FaultPlan(), score: SetList? = nil
  ) {
    self.rate = rate
    let format = AudioFormat(
      rate: rate, channels: 1, sampleFormat: .s32, periodFrames: rate / 200, bufferFrames: rate / 50)
    bench = Bench(
      settings, audio: true, faults: faults, format: format, recording: tape, rules: rules, sounds: sounds, score: score
    )
  }

  var samples: [Int32] { tape.samples }

  func start(at milliseconds: Int64 = 4) -> CountingBench {
    bench.simulation.run(until: .zero + .milliseconds(milliseconds))
    bench.simulation.perform(.start)
    return self
  }

  func ended(after time: Nanoseconds) -> CountingBench {
    bench.ended(after: time)
    return self
  }

  /// The beats whose word or click is in the recording, with their frames. All instants of these tests are whole frames.
  func beats(length: Int = 4_800) -> [(beat: Beat, frame: Int)] {
    let frames = bench.beats.map { beat in
      (beat.beat, Int(beat.time.count * Int64(rate) / 1_000_000_000))
    }
    return frames.filter { $0.1 + length <= samples.count }
  }

  /// For each beat `w` for the word of its number, `c` for the click of its level, `.` for silence, otherwise `?`.
  func kinds() -> String {
    beats().map { beat, frame in
      let played = Array(samples[frame..<frame + 4_800])
      let click = ClickVoice(beat.level == .rest ? .weak : beat.level, rate: rate).samples.map(Words.sample)
      let silence = [Int32](repeating: 0, count: 4_800)
      switch played {
      case [Int32](repeating: Words.sample(Words.rest(beat.position + 1)), count: 4_800): return "w"
      case click + silence[click.count...]: return "c"
      case silence: return "."
      default: return "?"
      }
    }.joined()
  }
}

@Suite struct SpokenCountTests {
  /// Without the setting `say: numbers`, only the sections with `say` speak.
  @Test(arguments: [(true, "wwwwwwwwwwww"), (false, "ccccwwwwcccc")])
  func sectionsOfAScoreSpeak(always: Bool, expected: String) throws {
    var sounds = try Words.sounds(onset: .milliseconds(40))
    sounds.speaksAlways = always
    let score = SetList(try Score(text: "1 120\n1 120 say\n1 120"))
    #expect(score.speaks)
    let bench = CountingBench(sounds, score: score).start().ended(after: .milliseconds(6_200))
    #expect(bench.kinds() == expected)
  }

  /// A word of each slot is said if it is at least 115 ms from the beats; other slots click.
  @Test(arguments: [
    (120, "1 e and a 2 trip let 3 and 4"), (150, "1 click and click 2 trip let 3 and 4"),
    (250, "1 click and click 2 click click 3 and 4"), (300, "1 click click click 2 click click 3 click 4"),
  ])
  func subdivisionsAreSpoken(bpm: Int, expected: String) throws {
    var settings = Settings()
    settings.tempo = Tempo(bpm: bpm)!
    settings.rhythm = try Rhythm(text: "Xxxx|xxx|xx|x", for: Metre(settings.signature, unit: settings.unit))
    var sounds = try Words.sounds(Array(1...4) + Array(33...37), onset: .milliseconds(40))
    sounds.speaksSubdivisions = true
    let bench = CountingBench(sounds, settings).start().ended(after: .seconds(6))
    let length = 48_000 * 60 / bpm
    let places = [0, 3, 6, 9, 12, 16, 20, 24, 30, 36]
    let names = Dictionary(
      uniqueKeysWithValues: [(1, "1"), (2, "2"), (3, "3"), (4, "4")] + Syllable.allCases.map { ($0.rawValue, "\($0)") })
    for bar in 0..<2 {
      let first = bench.beats()[bar * 4].frame
      let heard = places.map { place in
        let frame = first + place * length / 12
        let played = bench.samples[frame..<frame + 480]
        let word = names.keys.first { number in played.allSatisfy { $0 == Words.sample(Words.rest(number)) } }
        return word.flatMap { names[$0] } ?? (played.contains { $0 != 0 } ? "click" : "silence")
      }
      #expect(heard.joined(separator: " ") == expected)
    }
  }

  @Test func onlyTheCountInIsSpoken() throws {
    var sounds = try Words.sounds(onset: .milliseconds(40))
    (sounds.speaksAlways, sounds.speaksInCountIn) = (false, true)
    let bench = CountingBench(sounds, rules: Rules(countIn: 1)).start().ended(after: .milliseconds(4_300))
    #expect(bench.kinds().prefix(8) == "wwwwcccc")
  }

  /// Each word is played unchanged, and its onset is in the frame of its beat.
  @Test(arguments: [0, 40, 300] as [Int64], [8_000, 48_000, 192_000])
  func onsetIsInTheFrameOfTheBeat(milliseconds: Int64, rate: Int) throws {
    let sounds = try Words.sounds(onset: .milliseconds(milliseconds), frames: 100, rate: rate)
    let bench = CountingBench(sounds, rate: rate)
      .start().ended(after: .seconds(4))
    let beats = bench.beats(length: 100)
    #expect(beats.count == 8)
    var expected = [Int32](repeating: 0, count: bench.samples.count)
    for (beat, frame) in beats {
      let first = frame - Int(milliseconds) * rate / 1_000
      for index in first..<frame { expected[index] = Words.sample(Words.attack) }
      for index in frame..<frame + 100 { expected[index] = Words.sample(Words.rest(beat.position + 1)) }
    }
    let end = try #require(beats.last).frame + 100
    let isExact = bench.samples[..<end] == expected[..<end]
    #expect(isExact)
  }

  @Test func beatWithoutAWordClicks() throws {
    let sounds = try Words.sounds([1, 3], onset: .milliseconds(40))
    let bench = CountingBench(sounds, Settings(Music(signature: Signature(5, over: 4, limit: .none)!))).start()
      .ended(after: .milliseconds(5_800))
    #expect(bench.kinds() == "wcwccwcwccwc")
    #expect(bench.bench.clicks == bench.bench.beats.map(\.time))
  }

  @Test func restsAreNotSpokenAndTheCountInIs() throws {
    var settings = Settings()
    settings.rhythm = try Rhythm(text: "X.x.", for: Metre(settings.signature, unit: settings.unit))
    let bench = CountingBench(
      try Words.sounds(onset: .milliseconds(40)), settings, rules: Rules(countIn: 1)
    ).start().ended(after: .milliseconds(4_300))
    #expect(bench.kinds() == "wwwww.w.w")
  }

  /// The hits of other voices and between the beats click.
  @Test func onlyBeatsAreSpoken() throws {
    var settings = Settings()
    settings.rhythm = try Rhythm(text: "sub=2", for: Metre(settings.signature, unit: settings.unit))
    let bench = CountingBench(try Words.sounds(onset: .milliseconds(40)), settings).start().ended(after: .seconds(2))
    #expect(bench.kinds() == "wwww")
    let click = ClickVoice(.ghost, rate: 48_000).samples.map { Words.sample($0 * ClickSounds.ghostGain) }
    for (_, frame) in bench.beats(length: 12_000 + 1_728) {
      #expect(bench.samples[frame + 12_000..<frame + 12_000 + click.count].contains { $0 != 0 })
    }
  }

  /// A word that still sounds when the next one begins fades out within 2 ms.
  @Test func nextWordEndsThePrevious() throws {
    let (onset, length) = (1_920, 43_200)
    let bench = CountingBench(try Words.sounds(onset: .milliseconds(40), frames: length)).start().ended(
      after: .seconds(3))
    let beats = bench.beats(length: 24_000)
    #expect(beats.count == 5)
    for ((beat, frame), next) in zip(beats, beats.dropFirst()) {
      let (one, other) = (Words.sample(Words.rest(beat.position + 1)), Words.sample(Words.attack))
      let start = next.frame - onset
      #expect(bench.samples[frame..<start].allSatisfy { $0 == one })
      let fading = Array(bench.samples[start..<start + 96])
      #expect(zip(fading, fading.dropFirst()).allSatisfy { $0 > $1 })
      #expect(fading.allSatisfy { $0 > other && $0 < one + other })
      #expect(bench.samples[start + 96..<next.frame].allSatisfy { $0 == other })
    }
  }

  /// A press takes effect later by the longest onset, so that no word has begun before a beat that the press moves.
  @Test(arguments: Array(stride(from: 1_000, to: 2_100, by: 108)) as [Int64])
  func changesOfTempoMoveNoWordFromItsBeat(milliseconds: Int64) throws {
    let bench = CountingBench(try Words.sounds(onset: .milliseconds(100), frames: 4_800)).start()
    let simulation = bench.bench.simulation
    for (index, tempo) in [240, 60, 120, 240, 120].enumerated() {
      simulation.run(until: .zero + .milliseconds(milliseconds + Int64(index) * 1_732))
      simulation.perform(.setTempo(Tempo(bpm: tempo)!))
    }
    let ended = bench.ended(after: .seconds(11))
    #expect(ended.kinds().allSatisfy { $0 == "w" } && ended.kinds().count > 20)
    for (_, frame) in ended.beats() { #expect(ended.samples[frame - 1] == Words.sample(Words.attack)) }
  }

  @Test func onlyASpokenCountDelaysAPress() throws {
    let format = AudioFormat(rate: 48_000, channels: 2, sampleFormat: .s16, periodFrames: 256, bufferFrames: 1_024)
    #expect(Lead(format).duration == .milliseconds(24))
    #expect(Lead(format, onset: .milliseconds(40)).duration == .milliseconds(64))
    #expect(Lead(nil, onset: .milliseconds(40)).duration == .milliseconds(1))
    let english = try #require(SpokenNumber.english.values.map(\.onset).max())
    #expect(Lead(format, onset: english).duration == .milliseconds(84))
    let first = try [nil, Nanoseconds.milliseconds(40)].map { onset in
      let sounds = try onset.map { try Words.sounds(onset: $0) } ?? ClickSounds()
      return CountingBench(sounds).start().ended(after: .seconds(1)).bench.rises(of: .light).first
    }
    #expect(first == [.milliseconds(27), .milliseconds(67)])
  }

  /// A stop ends the word that has begun, and no later word begins.
  @Test(arguments: [1_500, 1_540, 1_560, 1_600] as [Int64]) func stopEndsTheCount(milliseconds: Int64) throws {
    let bench = CountingBench(try Words.sounds(onset: .milliseconds(40))).start()
    bench.bench.simulation.run(until: .zero + .milliseconds(milliseconds))
    bench.bench.simulation.perform(.stop)
    let samples = bench.ended(after: .seconds(3)).samples
    // The card's buffer, a period and the fade-out.
    #expect(samples[(Int(milliseconds) * 48 + 960 + 240 + 96)...].allSatisfy { $0 == 0 })
    #expect(samples.contains { $0 != 0 })
  }

  /// Each beat has either its word or its click, whenever the numbers are added or removed.
  @Test(arguments: Array(stride(from: 1_000, to: 1_520, by: 39)) as [Int64])
  func reloadNeitherLosesNorDoublesABeat(milliseconds: Int64) throws {
    let sounds = try Words.sounds(onset: .milliseconds(40))
    let bench = CountingBench(ClickSounds(volume: 1)).start()
    let simulation = bench.bench.simulation
    #expect(simulation.engine.lead.current.duration == .milliseconds(23))
    bench.bench.reload(at: .milliseconds(milliseconds)) { $0.sounds = sounds }
    bench.bench.reload(at: .milliseconds(milliseconds + 3_007)) { $0.sounds.numbers = [:] }
    simulation.run(until: .zero + .milliseconds(milliseconds + 2_000))
    #expect(simulation.engine.lead.current.duration == .milliseconds(63))
    simulation.run(until: .zero + .milliseconds(milliseconds + 5_000))
    #expect(simulation.engine.lead.current.duration == .milliseconds(23))
    let kinds = bench.ended(after: .seconds(8)).kinds()
    let added = kinds.drop { $0 == "c" }
    #expect(kinds.hasPrefix("cc") && added.hasPrefix("wwww") && added.drop { $0 == "w" }.allSatisfy { $0 == "c" })
    #expect(kinds.hasSuffix("ccc") && bench.bench.clicks.count == bench.bench.beats.count)
  }

  /// After an underrun the beat whose word was lost clicks, and the next one is spoken.
  @Test func beatClicksIfItsWordWasCutOff() throws {
    var faults = FaultPlan()
    // The beats are at 67, 567 and 1,067 ms. The word of the third begins at 1,027 ms.
    faults.schedule(.stops, at: .zero + .milliseconds(1_035))
    let bench = CountingBench(try Words.sounds(onset: .milliseconds(40)), faults: faults).start()
      .ended(after: .milliseconds(2_400))
    let incidents = bench.bench.lines(per: .milliseconds(1), [.incident])
    #expect(incidents.contains { $0.contains("underrun") } && !incidents.contains { $0.contains("missed") })
    #expect(bench.bench.clicks.count == bench.bench.beats.count)
    // After the underrun a beat need not be in a whole frame: 50 ms after it only a word still sounds.
    let isHeard = bench.beats().map { bench.samples[$0.frame..<$0.frame + 1_728].contains { $0 != 0 } }
    let isSpoken = bench.beats().map { bench.samples[$0.frame + 2_400] != 0 }
    #expect(isHeard == [true, true, true, true, true])
    #expect(isSpoken == [true, true, false, true, true])
  }
}
