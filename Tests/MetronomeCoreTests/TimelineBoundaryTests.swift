import MetronomeCore
import Testing

/// A timeline at its exact boundaries: a nanosecond beside a beat, the time for which segments are kept, and the capacity.
@Suite struct TimelineBoundaryTests {
  private let start = Timeline(session: 1, firstBeat: .zero, tempo: .initial, signature: .initial)
  /// The divisor of this tempo and signature, 60,013, is coprime to the divisor of 120 BPM in 4/4, 480,000.
  private let odd = (tempo: Tempo(milliBPM: 60_013)!, signature: Signature(4, 1))

  private func ms(_ count: Int64) -> Instant { .zero + .milliseconds(count) }

  /// Beats every 7.5 ms, with a tempo change every 8 ms.
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
    return milliseconds.compactMap { taps.add(ms($0)) }.last!
  }

  /// A beat that is rounded down by nearly a nanosecond precedes the next one. Beat 171 is due at 171 · 240·10¹² / 1001 ns,
  /// which is 1/1001 below a whole number.
  @Test func beatRoundedDownByNearlyANanosecondPrecedesTheNextBeat() {
    let timeline = Timeline(session: 1, firstBeat: .zero, tempo: Tempo(milliBPM: 1_001)!, signature: Signature(4, 1))
    let instant = Instant(nanoseconds: 40_999_000_999_001)
    #expect(timeline.knownBeat(171).instant == instant - Nanoseconds(1))
    #expect(timeline.lastBeat(atOrBefore: instant)?.index == 171)
    #expect(timeline.firstBeat(atOrAfter: instant)?.index == 172)
  }

  /// The remainder of a beat is rounded down. It is 1/60,013 ns below a whole nanosecond, so any correction before the rounding
  /// would change the result.
  @Test func remainderOfABeatIsRoundedDown() {
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

  @Test func timelineHoldsSixteenSegments() {
    #expect(changed(times: 14).hasRoom(at: .zero))
    #expect(!changed(times: 15).hasRoom(at: .zero))
  }

  @Test func spaceReturnsWhenTheOldestSegmentExpires() {
    let full = changed(times: 15)
    let second = full.firstBeat(atOrAfter: ms(8))!
    #expect(full.nextRoom() == second.instant + .milliseconds(100))
    #expect(!full.hasRoom(at: full.nextRoom() - Nanoseconds(1)))
    #expect(full.hasRoom(at: full.nextRoom()))
    #expect(changed(times: 14).nextRoom() == .zero)
  }

  @Test func segmentIsKeptAsLongAsItsBeatsMayBeLate() {
    let once = start.changed(to: Tempo(bpm: 60)!, .initial, from: ms(750), now: ms(750))
    #expect(once.knownBeat(2).instant == ms(1_250))
    let kept = once.changed(to: .initial, .initial, from: ms(1_349), now: ms(1_349))
    #expect(kept.oldestIndex == 0)
    let dropped = once.changed(to: .initial, .initial, from: ms(1_350), now: ms(1_350))
    #expect(dropped.oldestIndex == 2)
    #expect(dropped.beat(1) == nil)
  }

  @Test func changeDoesNotMoveAFirstBeatFarAhead() {
    let later = Timeline(session: 1, firstBeat: ms(2_000), tempo: .initial, signature: .initial)
    let changed = later.changed(to: Tempo(bpm: 60)!, .initial, from: ms(100), now: ms(100))
    #expect(changed.oldestIndex == 0)
    #expect((0...2).map { changed.knownBeat($0).instant } == [ms(2_000), ms(3_000), ms(4_000)])
    #expect((0...4).map { changed.knownBeat($0).position } == [0, 1, 2, 3, 0])
  }

  /// A beat more than one period away keeps its number. At 999 BPM the beat after the tapped beat is 8 beats away, or 6⅔ beats
  /// from 1,100 ms; at 120 BPM they last 3,330 ms.
  @Test func beatMoreThanOnePeriodAwayKeepsItsNumber() {
    let tapped = Timeline(
      session: 1, tapped: estimate(0, 500, 1_000), firstBeat: ms(1_024), tempo: Tempo(bpm: 999)!, signature: .initial)
    let changed = tapped.changed(to: .initial, .initial, from: ms(1_100), now: ms(1_100))
    #expect((0...2).map { changed.knownBeat($0).instant } == [ms(1_024), ms(4_430), ms(4_930)])
  }

  @Test func resumingAtASegmentsFirstBeatDropsEarlierSegments() {
    let full = changed(times: 15)
    let second = full.firstBeat(atOrAfter: ms(8))!
    let resumed = full.resumed(as: 2, from: second.instant)
    #expect(resumed.hasRoom(at: .zero))
    #expect(resumed.oldestIndex == second.index)
    #expect(!full.resumed(as: 2, from: ms(7)).hasRoom(at: .zero))
  }

  @Test func lateStartByTapSkipsTheMissedBeats() {
    let late = Timeline(
      session: 1, tapped: estimate(0, 200, 400), firstBeat: ms(850), tempo: Tempo(bpm: 300)!, signature: .initial)
    #expect((0...2).map { late.knownBeat($0).instant } == [ms(850), ms(1_000), ms(1_200)])
  }

  @Test func tappedBeatAtTheFirstBeatIsTheFirstBeat() {
    let timeline = Timeline(
      session: 1, tapped: estimate(0, 500, 1_000), firstBeat: ms(1_500), tempo: .initial, signature: .initial)
    #expect((0...1).map { timeline.knownBeat($0).instant } == [ms(1_500), ms(2_000)])
  }

  /// A tap before its fitted time adds no extra beat. The regression line puts the last tap 6⅔ ms after its actual time.
  @Test func tapBeforeItsFittedTimeAddsNoExtraBeat() {
    let early = Timeline(
      session: 1, tapped: estimate(0, 200, 360), firstBeat: ms(360), tempo: Tempo(bpm: 333)!, signature: .initial)
    #expect(early.knownBeat(1).instant.nanoseconds == 546_666_666)
  }

  /// A tap uses two segments if its beat is still to come, and one segment if the beat was already played.
  @Test func tapUsesOnlyTheSegmentsItNeeds() {
    let taps = estimate(200, 400, 600)
    func tapped(_ timeline: Timeline, from instant: Instant) -> Timeline? {
      timeline.tapped(taps, to: .initial, .initial, from: instant, now: .zero)
    }
    #expect(tapped(changed(times: 13), from: ms(590)) != nil)
    #expect(tapped(changed(times: 14), from: ms(590)) == nil)
    #expect(tapped(changed(times: 14), from: ms(640)) != nil)
    #expect(tapped(changed(times: 15), from: ms(640)) == nil)
  }

  /// A tap at a pending bar line changes the tempo from the bar line on. The bar line does not move, as if the tap had come
  /// before it.
  @Test func tapAtAPendingBarLineChangesTheTempoFromThere() {
    let signature = Signature(7, 8)
    let waiting = start.changedAtBarLine(to: .initial, signature, from: ms(1_000), now: .zero)
    let tapped = waiting.tapped(
      estimate(0, 480, 960, 1_440), to: Tempo(bpm: 125)!, signature, from: ms(2_000), now: .zero)
    let beats = (3...5).map { tapped?.beat($0) }
    #expect(beats.map { $0?.instant } == [ms(1_500), ms(2_000), ms(2_240)])
    #expect(beats.map { $0?.bar } == [0, 1, 1])
    #expect(beats.map { $0?.position } == [3, 0, 1])
  }

  @Test func tapBeforeACommittedChangeTakesEffectAfterIt() {
    let later = start.changed(to: Tempo(bpm: 60)!, .initial, from: ms(10_200), now: .zero)
    let taps = estimate(0, 480, 960)
    let tapped = later.tapped(taps, to: Tempo(bpm: 125)!, .initial, from: ms(1_000), now: ms(1_000))
    let beats = (0...20).map { ms(500 * $0) } + [ms(10_560), ms(11_040)]
    #expect((0...22).map { tapped?.beat($0)?.instant } == beats)
  }

  /// A change at a tapped first beat applies after it. The beat itself is already committed, so the remainder counts from one
  /// nanosecond after it.
  @Test func changeAtATappedFirstBeatAppliesAfterIt() {
    let tapped = Timeline(
      session: 1, tapped: estimate(0, 500, 1_000), firstBeat: ms(1_024), tempo: .initial, signature: .initial)
    let slowed = tapped.changed(to: Tempo(bpm: 60)!, .initial, from: ms(1_024), now: ms(1_024))
    #expect(slowed.knownBeat(1).instant == ms(1_976) - Nanoseconds(1))
  }

  /// A tap before a resumed first beat replaces the segment of that beat. At 10 BPM the rest of the beat is 3 s. The session
  /// resumes within these 3 s, so no earlier segment exists.
  @Test func tapBeforeAResumedFirstBeatReplacesItsSegment() {
    let slowed = start.changed(to: Tempo(bpm: 10)!, .initial, from: ms(750), now: .zero)
    let resumed = slowed.resumed(as: 2, from: ms(800))
    #expect(resumed.firstBeat(atOrAfter: .zero)?.instant == ms(3_750))
    let tapped = resumed.tapped(
      estimate(0, 500, 1_000), to: Tempo(bpm: 999)!, Signature(32, 32), from: ms(1_100), now: .zero)
    #expect((2...3).map { tapped?.beat($0)?.instant } == [ms(1_100), ms(1_500)])
    // The tap uses two of the sixteen segments.
    #expect(tapped.map { changed($0, times: 13, after: 1_500).hasRoom(at: .zero) } == true)
    #expect(tapped.map { changed($0, times: 14, after: 1_500).hasRoom(at: .zero) } == false)
  }

  @Test func changesLeaveAStoppedTimelineStopped() {
    let stopped = Timeline.stopped
    #expect(stopped.session == 0)
    #expect(!stopped.ends(in: .initial, .initial))
    #expect(stopped.changedAtBarLine(to: .initial, .initial, from: .zero, now: .zero) == stopped)
    let tapped = stopped.tapped(estimate(0, 500, 1_000), to: .initial, .initial, from: .zero, now: .zero)
    #expect(tapped == stopped)
    #expect(stopped != start)
  }
}

extension Timeline {
  fileprivate init(
    session: UInt32, tapped taps: TapTempo.Estimate, firstBeat: Instant, tempo: Tempo, signature: Signature
  ) {
    self.init(session: session, tapped: taps, firstBeat: firstBeat, tempo: tempo, bar: Bar(signature))
  }

  fileprivate func tapped(
    _ taps: TapTempo.Estimate, to tempo: Tempo, _ signature: Signature, from instant: Instant, now: Instant
  ) -> Timeline? {
    tapped(taps, to: tempo, Bar(signature), from: instant, now: now)
  }
}
