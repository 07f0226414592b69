import MetronomeCore
import Testing

/// What lies exactly on an edge: of a nanosecond, of what is remembered, of what there is room for.
@Suite struct TimelineEdgeTests {
  private let start = Timeline(session: 1, firstBeat: .zero, tempo: .initial, signature: .initial)
  /// Its divisor, 60,013, has no factor in common with that of 120 BPM in 4/4, 480,000.
  private let odd = (tempo: Tempo(milliBPM: 60_013)!, signature: Signature(4, 1))

  private func ms(_ count: Int64) -> Instant { .zero + .milliseconds(count) }

  /// Beats of 7.5 ms, and after every 8 ms another tempo.
  private func changed(times: Int64) -> Timeline {
    let quick = Timeline(session: 1, firstBeat: .zero, tempo: Tempo(bpm: 999)!, signature: Signature(32, 32))
    return changed(quick, times: times, after: 0)
  }

  private func changed(_ timeline: Timeline, times: Int64, after millisecond: Int64) -> Timeline {
    (1...times).reduce(timeline) { timeline, number in
      let tempo = Tempo(milliBPM: 999_000 - Int(number % 2))!
      return timeline.changed(to: tempo, Signature(32, 32), from: ms(millisecond + 8 * number), now: .zero)
    }
  }

  private func estimate(_ milliseconds: Int64...) -> TapTempo.Estimate {
    var taps = TapTempo()
    return milliseconds.compactMap { taps.take(ms($0)) }.last!
  }

  /// 171 · 240·10¹² / 1001, when beat 171 falls, is 1/1001 less than a whole number.
  @Test func aBeatThatIsRoundedDownByNearlyANanosecondIsBeforeTheNext() {
    let timeline = Timeline(session: 1, firstBeat: .zero, tempo: Tempo(milliBPM: 1_001)!, signature: Signature(4, 1))
    let instant = Instant(nanoseconds: 40_999_000_999_001)
    #expect(timeline.knownBeat(171).instant == instant - Nanoseconds(1))
    #expect(timeline.lastBeat(atOrBefore: instant)?.index == 171)
    #expect(timeline.firstBeat(atOrAfter: instant)?.index == 172)
  }

  /// What is left of the beat is a 60,013th less than a whole nanosecond: nothing must be added before it is cut off.
  @Test func whatIsLeftOfABeatIsCutOffAndNotRounded() {
    let effect = Instant(nanoseconds: 43_815)
    let changed = start.changed(to: odd.tempo, odd.signature, from: effect, now: effect)
    #expect(changed.knownBeat(1).instant.nanoseconds == 3_998_826_891)
    let tapped = Timeline(
      session: 1, tapped: estimate(0, 500, 1_000), firstBeat: ms(1_024), tempo: .initial, signature: .initial)
    #expect(tapped.knownBeat(1).instant == ms(1_500))
    let before = ms(1_500) - Nanoseconds(47_895)
    let slowed = tapped.changed(to: odd.tempo, odd.signature, from: before, now: before)
    #expect(slowed.knownBeat(1).instant.nanoseconds == 1_500_335_181)
  }

  @Test func thereIsRoomForSixteenStretches() {
    #expect(changed(times: 14).hasRoom(at: .zero))
    #expect(!changed(times: 15).hasRoom(at: .zero))
  }

  @Test func thereIsRoomAgainWhenTheOldestStretchIsForgotten() {
    let full = changed(times: 15)
    let second = full.firstBeat(atOrAfter: ms(8))!
    #expect(full.nextRoom == second.instant + .milliseconds(100))
    #expect(!full.hasRoom(at: full.nextRoom - Nanoseconds(1)))
    #expect(full.hasRoom(at: full.nextRoom))
    #expect(changed(times: 14).nextRoom == .zero)
  }

  @Test func aStretchIsRememberedAsLongAsItsBeatsMayBeLate() {
    let once = start.changed(to: Tempo(bpm: 60)!, .initial, from: ms(750), now: ms(750))
    #expect(once.knownBeat(2).instant == ms(1_250))
    let remembered = once.changed(to: .initial, .initial, from: ms(1_349), now: ms(1_349))
    #expect(remembered.oldestIndex == 0)
    let forgotten = once.changed(to: .initial, .initial, from: ms(1_350), now: ms(1_350))
    #expect(forgotten.oldestIndex == 2)
    #expect(forgotten.beat(1) == nil)
  }

  @Test func aFirstBeatFarAheadStaysWhereItIs() {
    let later = Timeline(session: 1, firstBeat: ms(2_000), tempo: .initial, signature: .initial)
    let changed = later.changed(to: Tempo(bpm: 60)!, .initial, from: ms(100), now: ms(100))
    #expect(changed.oldestIndex == 0)
    #expect((0...2).map { changed.knownBeat($0).instant } == [ms(2_000), ms(3_000), ms(4_000)])
    #expect((0...4).map { changed.knownBeat($0).position } == [0, 1, 2, 3, 0])
  }

  /// At 999 BPM the tapped beat after the first is 8 beats away, at 1 100 ms 6⅔; at 120 BPM they are 3,330 ms.
  @Test func aBeatThatIsFurtherAwayThanOneKeepsItsNumber() {
    let tapped = Timeline(
      session: 1, tapped: estimate(0, 500, 1_000), firstBeat: ms(1_024), tempo: Tempo(bpm: 999)!, signature: .initial)
    let changed = tapped.changed(to: .initial, .initial, from: ms(1_100), now: ms(1_100))
    #expect((0...2).map { changed.knownBeat($0).instant } == [ms(1_024), ms(4_430), ms(4_930)])
  }

  @Test func whatIsResumedAtTheFirstBeatOfAStretchHasForgottenTheOnesBefore() {
    let full = changed(times: 15)
    let second = full.firstBeat(atOrAfter: ms(8))!
    let resumed = full.resumed(as: 2, from: second.instant)
    #expect(resumed.hasRoom(at: .zero))
    #expect(resumed.oldestIndex == second.index)
    #expect(!full.resumed(as: 2, from: ms(7)).hasRoom(at: .zero))
  }

  @Test func aTapThatIsPlayedLateLeavesOutTheBeatsItMissed() {
    let late = Timeline(
      session: 1, tapped: estimate(0, 200, 400), firstBeat: ms(850), tempo: Tempo(bpm: 300)!, signature: .initial)
    #expect((0...2).map { late.knownBeat($0).instant } == [ms(850), ms(1_000), ms(1_200)])
  }

  @Test func aTappedBeatAtTheInstantOfTheFirstIsThatOne() {
    let timeline = Timeline(
      session: 1, tapped: estimate(0, 500, 1_000), firstBeat: ms(1_500), tempo: .initial, signature: .initial)
    #expect((0...1).map { timeline.knownBeat($0).instant } == [ms(1_500), ms(2_000)])
  }

  /// The line through the taps has the last one 6⅔ ms after the finger.
  @Test func aTapBeforeItsPlaceIsNotFollowedByThatPlace() {
    let early = Timeline(
      session: 1, tapped: estimate(0, 200, 360), firstBeat: ms(360), tempo: Tempo(bpm: 333)!, signature: .initial)
    #expect(early.knownBeat(1).instant.nanoseconds == 546_666_666)
  }

  /// A tap for a beat that is played yet takes two stretches, for one that was played one.
  @Test func aTapTakesAsMuchRoomAsItNeeds() {
    let taps = estimate(200, 400, 600)
    func tapped(_ timeline: Timeline, from instant: Instant) -> Timeline? {
      timeline.tapped(taps, to: .initial, .initial, from: instant, now: .zero)
    }
    #expect(tapped(changed(times: 13), from: ms(590)) != nil)
    #expect(tapped(changed(times: 14), from: ms(590)) == nil)
    #expect(tapped(changed(times: 14), from: ms(640)) != nil)
    #expect(tapped(changed(times: 15), from: ms(640)) == nil)
  }

  /// The line keeps its place, as if the tap had come before it.
  @Test func aTapAtABarLineAtWhichAnotherSignatureBeginsChangesTheTempoFromThereOn() {
    let signature = Signature(7, 8)
    let waiting = start.changedAtBarLine(to: .initial, signature, from: ms(1_000), now: .zero)
    let tapped = waiting.tapped(
      estimate(0, 480, 960, 1_440), to: Tempo(bpm: 125)!, signature, from: ms(2_000), now: .zero)
    let beats = (3...5).map { tapped?.beat($0) }
    #expect(beats.map { $0?.instant } == [ms(1_500), ms(2_000), ms(2_240)])
    #expect(beats.map { $0?.bar } == [0, 1, 1])
    #expect(beats.map { $0?.position } == [3, 0, 1])
  }

  @Test func aTapBeforeAChangeThatIsCommittedCountsFromThatOn() {
    let later = start.changed(to: Tempo(bpm: 60)!, .initial, from: ms(10_200), now: .zero)
    let taps = estimate(0, 480, 960)
    let tapped = later.tapped(taps, to: Tempo(bpm: 125)!, .initial, from: ms(1_000), now: ms(1_000))
    let beats = (0...20).map { ms(500 * $0) } + [ms(10_560), ms(11_040)]
    #expect((0...22).map { tapped?.beat($0)?.instant } == beats)
  }

  /// The beat itself is heard as it was begun: what is left is counted from a nanosecond after it.
  @Test func aChangeAtATappedFirstBeatHoldsFromAfterIt() {
    let tapped = Timeline(
      session: 1, tapped: estimate(0, 500, 1_000), firstBeat: ms(1_024), tempo: .initial, signature: .initial)
    let slowed = tapped.changed(to: Tempo(bpm: 60)!, .initial, from: ms(1_024), now: ms(1_024))
    #expect(slowed.knownBeat(1).instant == ms(1_976) - Nanoseconds(1))
  }

  /// At 10 BPM what is left of the beat is 3 s. It is resumed in them, so that there is no stretch before.
  @Test func aTapBeforeTheFirstBeatOfWhatIsResumedTakesTheWholePlaceOfIt() {
    let slowed = start.changed(to: Tempo(bpm: 10)!, .initial, from: ms(750), now: .zero)
    let resumed = slowed.resumed(as: 2, from: ms(800))
    #expect(resumed.firstBeat(atOrAfter: .zero)?.instant == ms(3_750))
    let tapped = resumed.tapped(
      estimate(0, 500, 1_000), to: Tempo(bpm: 999)!, Signature(32, 32), from: ms(1_100), now: .zero)
    #expect((2...3).map { tapped?.beat($0)?.instant } == [ms(1_100), ms(1_500)])
    // It takes two stretches of sixteen.
    #expect(tapped.map { changed($0, times: 13, after: 1_500).hasRoom(at: .zero) } == true)
    #expect(tapped.map { changed($0, times: 14, after: 1_500).hasRoom(at: .zero) } == false)
  }

  @Test func aStoppedTimelineStaysStopped() {
    let stopped = Timeline.stopped
    #expect(stopped.session == 0)
    #expect(!stopped.ends(in: .initial, .initial))
    #expect(stopped.changedAtBarLine(to: .initial, .initial, from: .zero, now: .zero) == stopped)
    let tapped = stopped.tapped(estimate(0, 500, 1_000), to: .initial, .initial, from: .zero, now: .zero)
    #expect(tapped == stopped)
    #expect(Set([stopped, start, tapped, start]).count == 2)
  }
}
