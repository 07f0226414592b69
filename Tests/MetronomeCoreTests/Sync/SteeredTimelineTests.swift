import TestSupport
import Testing

@testable import MetronomeCore

/// What a source leaves of a beat that has begun.
@Suite struct SteeredTimelineTests {
  private static let bar = Bar(.initial)

  private func steered(
    _ timeline: Timeline, beat: Int64, at instant: Instant, effective: Instant
  ) throws -> Timeline {
    let moved = timeline.steered(
      from: beat, at: instant, playing: ScoreTempo(.initial), in: SteeredTimelineTests.bar, set: .initial,
      effective: effective, now: effective)
    return try #require(moved)
  }

  private func ms(_ count: Int64) -> Instant { .zero + .milliseconds(count) }

  private func parts(_ timeline: Timeline, ofBeat beat: Int64, in count: Int64) -> [Instant] {
    (0..<count).compactMap { timeline.instant(of: Position(whole: beat) + Position($0, over: count)) }
  }

  @Test func whatIsLeftOfTheBeatIsEven() throws {
    let start = Timeline(session: 1, firstBeat: .zero, tempo: .initial, signature: .initial)
    // Half of beat 2 is left at 1,250 ms. Its end moves from 1,500 to 1,490 ms.
    var timeline = try steered(start, beat: 3, at: ms(1_490), effective: ms(1_250))
    #expect(parts(timeline, ofBeat: 2, in: 4) == [ms(1_000), ms(1_125), ms(1_250), ms(1_370)])
    // A quarter is left at 1,370 ms.
    timeline = try steered(timeline, beat: 3, at: ms(1_510), effective: ms(1_370))
    #expect(parts(timeline, ofBeat: 2, in: 8).suffix(4) == [ms(1_250), ms(1_310), ms(1_370), ms(1_440)])
    // A beat that has not begun is even from its beginning.
    timeline = try steered(timeline, beat: 4, at: ms(2_030), effective: ms(1_400))
    #expect(parts(timeline, ofBeat: 3, in: 2) == [ms(1_510), ms(1_770)])
  }

  /// The beat was to end at the instant itself, so that nothing is left of it, and ends later after all.
  @Test func aBeatOfWhichNothingIsLeftOnlyEndsLater() throws {
    let start = Timeline(session: 1, firstBeat: .zero, tempo: .initial, signature: .initial)
    var timeline = try steered(start, beat: 3, at: ms(1_520), effective: ms(1_500))
    timeline = try steered(timeline, beat: 3, at: ms(1_530), effective: ms(1_510))
    #expect(parts(timeline, ofBeat: 2, in: 2) == [ms(1_000), ms(1_250)])
    #expect(timeline.knownBeat(3).instant == ms(1_530))
  }

  /// A timeline remembers four parts. A fifth change waits until one of them is over, so that what is committed stays.
  @Test func aPartThatIsToComeIsNotForgotten() throws {
    func steer(_ timeline: Timeline, at instant: Int64, from effective: Int64, now: Int64) -> Timeline? {
      timeline.steered(
        from: 3, at: ms(instant), playing: ScoreTempo(.initial), in: SteeredTimelineTests.bar, set: .initial,
        effective: ms(effective), now: ms(now))
    }
    var timeline = Timeline(session: 1, firstBeat: .zero, tempo: .initial, signature: .initial)
    for (place, end) in [1_510, 1_490, 1_520, 1_480].enumerated() {
      timeline = try #require(steer(timeline, at: Int64(end), from: 1_100 + 50 * Int64(place), now: 1_000))
    }
    #expect(steer(timeline, at: 1_530, from: 1_300, now: 1_149) == nil)
    let changed = try #require(steer(timeline, at: 1_530, from: 1_300, now: 1_150))
    let before = parts(timeline, ofBeat: 2, in: 50).filter { $0 >= ms(1_150) && $0 < ms(1_300) }
    let after = parts(changed, ofBeat: 2, in: 50).filter { $0 >= ms(1_150) && $0 < ms(1_300) }
    #expect(!before.isEmpty && after == before)
  }

  /// A gap that waits for the bar line at beat 4 begins with the bar line that the source has earlier.
  @Test func aGapThatWaitsBeginsWithTheSource() throws {
    var gap = SilenceFilter()
    (gap.sounding, gap.silent) = (1, 1)
    let bar = Bar(Metre(Signature(3, 4)), Rhythm(), filter: gap)
    let start = Timeline(session: 1, firstBeat: .zero, tempo: .initial, signature: .initial)
    let waiting = start.changedAtBarLine(to: .initial, bar, from: ms(100), now: .zero)
    let steered = try #require(
      waiting.steered(
        from: 1, at: ms(490), playing: ScoreTempo(.initial), in: bar, set: .initial, place: (0, 0), effective: ms(400),
        now: .zero))
    #expect((1...9).filter { steered.knownBeat($0).isSilent } == [4, 5, 6])
  }

  /// A tap puts the rest of a beat on a course that begins later than the source moves it.
  @Test func aSourceMovesTheRestOfATappedBeat() throws {
    var run = TapTempo()
    let taps = [0, 400, 800].compactMap { run.add(ms($0)) }
    let start = Timeline(session: 1, firstBeat: .zero, tempo: .initial, signature: .initial)
    let tapped = start.tapped(
      try #require(taps.last), to: Tempo(bpm: 150)!, SteeredTimelineTests.bar, from: ms(1_010), now: ms(800))
    let timeline = try steered(try #require(tapped), beat: 3, at: ms(1_900), effective: ms(1_100))
    for (before, after) in zip(
      parts(try #require(tapped), ofBeat: 2, in: 24), parts(timeline, ofBeat: 2, in: 24))
    {
      #expect(before < ms(1_100) ? after == before : after >= ms(1_100) && after < ms(1_900))
    }
  }

  /// A preset with another bar waits for the bar line of a clock that leads or was lost, also if a gap is set meanwhile.
  @Test(arguments: [2, 3, 7, 10, 12], [false, true])
  func anotherBarBeginsAtTheBarLine(beats: Int, isLost: Bool) throws {
    var presets = PresetList()
    let other = try #require(Signature(beats, over: 4, limit: .none))
    try presets.save(Preset(try #require(PresetName("other")), Music(signature: other)))
    let ten = try #require(Signature(10, over: 4, limit: .none))
    var metronome = Metronome(Settings(Music(signature: ten)), presets: presets)
    metronome.use(SourceOptions())
    metronome.apply(.start, pressed: .zero, effective: .zero, now: .zero)
    func follow(at instant: Instant) {
      let observation = BeatObservation(
        epoch: 1, quarter: 0, instant: instant, period: 500_000_000_000_000, isPlaying: false)
      metronome.follow(observation, effective: instant, soonest: instant, now: instant)
    }
    follow(at: ms(100))
    metronome.show(.locked(.initial), now: ms(100))
    if isLost { metronome.show(.lost, now: ms(3_000)) }
    // Beat 9 falls at 4.5 s, and the bar line at 5 s.
    metronome.apply(.recallPreset(1), pressed: ms(4_100), effective: ms(4_100), now: ms(4_100))
    metronome.apply(.nextGap, pressed: ms(4_200), effective: ms(4_200), now: ms(4_200))
    if !isLost { follow(at: ms(4_600)) }
    let played = (9...12).map { metronome.timeline.knownBeat($0) }
    #expect(played.map(\.instant) == [ms(4_500), ms(5_000), ms(5_500), ms(6_000)])
    #expect(played.map(\.position) == [9, 0, 1, beats == 2 ? 0 : 2])
    #expect(played.map(\.bar) == [0, 1, 1, beats == 2 ? 2 : 1])
  }

  /// The earliest beat, and the first three beats, in milliseconds.
  private static let starts: [(Int64, [Int64], [Int])] = [
    (80, [80, 200, 400], [0, 1, 2]), (81, [200, 400, 600], [1, 2, 3]), (200, [200, 400, 600], [1, 2, 3]),
    (250, [250, 400, 600], [1, 2, 3]), (790, [800, 1_000, 1_200], [0, 1, 2]),
  ]

  /// A source at 300 BPM starts at 0, and no line can show a beat before `soonest`.
  @Test(arguments: starts)
  func aSourceStartsWithABeatThatHasHardlyPassed(soonest: Int64, instants: [Int64], positions: [Int]) {
    var metronome = Metronome()
    metronome.use(SourceOptions(hasTransport: true))
    let start = BeatObservation(
      epoch: 1, starts: 1, quarter: 0, instant: .zero, period: 200_000_000_000_000, isPlaying: true)
    metronome.follow(start, effective: ms(soonest), soonest: ms(soonest), now: .zero)
    let beats = (0..<3).map { metronome.timeline.knownBeat($0) }
    #expect(beats.map(\.instant) == instants.map(ms))
    #expect(beats.map(\.position) == positions)
  }

  /// From when beats can move, in milliseconds, and the next three beats, in microseconds.
  private static let catchingUp: [(Int64, [Int64], [Int])] = [
    (3_125, [3_125_000, 3_162_500, 3_200_000], [0, 1, 2]), (3_250, [3_250_000, 3_287_500, 3_325_000], [0, 1, 2]),
    (4_000, [4_000_000, 4_062_500, 4_125_000], [3, 0, 1]),
  ]

  /// At 3 s a source goes from 60 to 960 BPM, and beats up to `effective` are committed. Beat 4 is one beat behind or three, and catches
  /// up, or fifteen.
  @Test(arguments: catchingUp)
  func beatsFarBehindGoToTheirPlaces(effective: Int64, microseconds: [Int64], positions: [Int]) {
    var metronome = Metronome()
    metronome.use(SourceOptions(hasTransport: true))
    func follow(_ quarter: Int64, _ period: Int64, changes: Int = 0, effective: Instant) {
      let observation = BeatObservation(
        epoch: 1, starts: 1, changes: changes, quarter: quarter * 1_000_000, instant: ms(quarter * 1_000),
        period: period * 1_000_000_000, isPlaying: true)
      metronome.follow(observation, effective: effective, soonest: effective, now: ms(quarter * 1_000))
    }
    follow(0, 1_000_000, effective: .zero)
    for _ in 0..<3 { follow(3, 62_500, changes: 1, effective: ms(effective)) }
    for next in [5, 6] as [Int64] {
      let before = metronome.timeline.knownBeat(next - 1).instant
      follow(3, 62_500, changes: 1, effective: before + Nanoseconds(1))
    }
    let beats = (4...6).map { metronome.timeline.knownBeat($0) }
    #expect(beats.map(\.instant) == microseconds.map { .zero + .microseconds($0) })
    #expect(beats.map(\.position) == positions)
  }

  /// However often hands and a source move the end of a beat, its parts that are committed stay, and the others come in order, up to the
  /// new end.
  @Test(arguments: Seeds.few(40, of: 4_000))
  func whatIsCommittedStays(seed: UInt64) throws {
    var random = Lehmer(seed: seed)
    let tempo = Tempo(milliBPM: 20_000 + random.below(200_000))!
    var timeline = Timeline(session: 1, firstBeat: .zero, tempo: tempo, signature: .initial)
    let (begin, end) = (timeline.knownBeat(5).instant, timeline.knownBeat(6).instant)
    var now = begin - (end - begin) / 4
    // Four changes leave at most four parts, as many as a timeline remembers.
    for _ in 0..<4 {
      now = now + Nanoseconds(Int64(random.below(Int((end - begin).count) / 4)))
      let next = timeline.knownBeat(6).instant
      guard now < next else { break }
      let before = parts(timeline, ofBeat: 5, in: 30)
      if random.below(3) == 0, !timeline.isSteered {
        let tempo = Tempo(milliBPM: 20_000 + random.below(200_000))!
        timeline = timeline.changed(to: tempo, .initial, from: max(now, begin), now: now)
      } else {
        let later = now + Nanoseconds(1 + Int64(random.below(2 * Int((next - now).count))))
        timeline = try steered(timeline, beat: 6, at: max(later, begin + Nanoseconds(1_000)), effective: now)
      }
      let after = parts(timeline, ofBeat: 5, in: 30)
      for (old, new) in zip(before, after) where old < now { #expect(new == old) }
      for (old, new) in zip(before, after) where old >= now { #expect(new >= now) }
      #expect(after == after.sorted() && after.last! <= timeline.knownBeat(6).instant)
    }
  }
}
