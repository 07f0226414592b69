import MetronomeCore
import TestSupport
import Testing

@Suite struct TimelineChangeTests {
  private func ms(_ count: Int64) -> Instant { .zero + .milliseconds(count) }
  private func signature(_ numerator: Int, _ denominator: Int) -> Signature {
    Signature(numerator, over: denominator, limit: .none)!
  }
  private func tempo(_ bpm: Int) -> Tempo { Tempo(bpm: bpm)! }

  private let start = Timeline(session: 1, firstBeat: .zero, tempo: .initial, signature: .initial)

  /// The times of the beats in milliseconds.
  private func milliseconds(_ timeline: Timeline, _ beats: ClosedRange<Int64>) -> [Int64] {
    beats.map { timeline.knownBeat($0).instant.nanoseconds / 1_000_000 }
  }

  @Test func tempoChangeKeepsTheFractionOfTheBeat() {
    let changed = start.changed(to: tempo(60), .initial, from: ms(750), now: ms(750))
    #expect(milliseconds(changed, 0...4) == [0, 500, 1_250, 2_250, 3_250])
  }

  /// Two thirds of a nanosecond that the first beat at the new tempo loses by rounding are not lost to the next beats.
  @Test func beatsAfterAChangeAreRoundedOnce() {
    let changed = start.changed(to: tempo(90), .initial, from: ms(1_300), now: ms(1_300))
    let beats = (3...6).map { changed.knownBeat($0).instant.nanoseconds }
    #expect(beats == [1_566_666_666, 2_233_333_333, 2_900_000_000, 3_566_666_666])
    // 120 BPM again, a third of a beat before the beat at 2,900,000,000.
    let returned = changed.changed(to: tempo(120), .initial, from: ms(2_678), now: ms(2_678))
    let rest = (5...7).map { returned.knownBeat($0).instant.nanoseconds }
    #expect(rest == [2_844_500_000, 3_344_500_000, 3_844_500_000])
  }

  @Test func changeOnABeatCountsFromThatBeat() {
    let changed = start.changed(to: tempo(240), signature(3, 4), from: ms(1_000), now: ms(1_000))
    #expect(milliseconds(changed, 1...4) == [500, 1_000, 1_250, 1_500])
    #expect((0...5).map { changed.knownBeat($0).position } == [0, 1, 2, 0, 1, 2])
  }

  @Test func changeAppliesWithinASlowBeat() {
    let slow = Timeline(session: 1, firstBeat: .zero, tempo: tempo(1), signature: .initial)
    let changed = slow.changed(to: tempo(120), .initial, from: ms(6_000), now: ms(6_000))
    #expect(milliseconds(changed, 1...2) == [6_450, 6_950])
  }

  @Test func changeBeforeTheFirstBeatDoesNotMoveIt() {
    let later = Timeline(session: 1, firstBeat: ms(24), tempo: .initial, signature: .initial)
    let changed = later.changed(to: tempo(60), signature(3, 8), from: ms(24), now: .zero)
    #expect(milliseconds(changed, 0...2) == [24, 524, 1_024])
    #expect((0...3).map { changed.knownBeat($0).position } == [0, 1, 2, 0])
  }

  @Test func changesWithinOneBeatAreMerged() {
    var timeline = start
    for (index, bpm) in (121...160).enumerated() {
      let instant = ms(510 + Int64(index) * 10)
      #expect(timeline.hasRoom(at: instant))
      timeline = timeline.changed(to: tempo(bpm), .initial, from: instant, now: instant)
    }
    #expect(milliseconds(timeline, 0...1) == [0, 500])
    #expect(timeline.firstBeat(atOrAfter: ms(900))?.index == 2)
    #expect((0...6).map { timeline.knownBeat($0).position } == [0, 1, 2, 3, 0, 1, 2])
  }

  /// A change keeps the remaining fraction of the beat to the nanosecond, compared in exact 128-bit arithmetic.
  @Test(arguments: Seeds.few(60, of: 200))
  func phaseIsKeptToTheNanosecond(seed: UInt64) {
    var random = Lehmer(seed: seed)
    let first = Instant(nanoseconds: Int64(random.below(1_000_000_000)))
    var tempo = Tempo(milliBPM: 1_000 + random.below(998_001))!
    var bar = signature(1 + random.below(32), 1 << random.below(6))
    var timeline = Timeline(session: 1, firstBeat: first, tempo: tempo, signature: bar)
    var (anchor, index) = (first, Int64(0))
    // The remainder of the anchor in nanoseconds over the pace's divisor.
    var remainder = Int128(0)
    var now = first
    for _ in 0..<40 {
      now = now + Nanoseconds(Int64(random.below(3_000_000_000)))
      let old = Int128(tempo.milliBPM) * Int128(bar.denominator)
      let next = timeline.firstBeat(atOrAfter: now)!
      tempo = Tempo(milliBPM: 1_000 + random.below(998_001))!
      bar = signature(1 + random.below(32), 1 << random.below(6))
      let new = Int128(tempo.milliBPM) * Int128(bar.denominator)
      timeline = timeline.changed(to: tempo, bar, from: now, now: now)
      // The rest of the beat in units of 1/(old divisor) ns, counted from the unrounded anchor.
      let beats = Int128(next.index - index)
      let left = beats * 240_000_000_000_000 - Int128((now - anchor).count) * old + remainder
      let beat = timeline.knownBeat(next.index)
      if next.index > 0 {
        #expect(Int128((beat.instant - now).count) == left / new)
        remainder = left % new
      }
      (anchor, index) = (beat.instant, next.index)
      #expect(timeline.firstBeat(atOrAfter: now)?.index == next.index)
    }
  }

  /// The rounding errors of many denominator changes within one beat do not add up.
  @Test func manyChangesWithinABeatLoseAtMostOneNanosecond() {
    var timeline = Timeline(session: 1, firstBeat: .zero, tempo: tempo(1), signature: signature(1, 1))
    // Time to the next beat in exact units: nanoseconds times 1,000 times the denominator.
    var left = Int128(240_000_000_000_000)
    var now = Instant.zero
    for change in 1...600 {
      now = now + Nanoseconds(1_000_003)
      let (old, new) = (1 << ((change - 1) % 6), 1 << (change % 6))
      left -= 1_000_003 * 1_000 * Int128(old)
      timeline = timeline.changed(to: tempo(1), signature(1, new), from: now, now: now)
      #expect(Int128((timeline.knownBeat(1).instant - now).count) == left / (1_000 * Int128(new)))
    }
  }

  @Test func positionInTheBarIsKeptIfTheNewBarHasIt() {
    // The change takes effect after the third beat of the bar.
    func positions(_ bar: Signature) -> [Int] {
      let changed = start.changed(to: .initial, bar, from: ms(1_100), now: ms(1_100))
      return (0...6).map { changed.knownBeat($0).position }
    }
    #expect(positions(signature(5, 4)) == [0, 1, 2, 3, 4, 0, 1])
    #expect(positions(signature(4, 8)) == [0, 1, 2, 3, 0, 1, 2])
    #expect(positions(signature(3, 4)) == [0, 1, 2, 0, 1, 2, 0])
    #expect(positions(signature(2, 4)) == [0, 1, 2, 0, 1, 0, 1])
    #expect(positions(signature(1, 4)) == [0, 1, 2, 0, 0, 0, 0])
  }

  @Test func barLengthenedOnItsLastBeatContinues() {
    let changed = start.changed(to: .initial, signature(6, 4), from: ms(1_600), now: ms(1_600))
    #expect((3...7).map { changed.knownBeat($0).position } == [3, 4, 5, 0, 1])
    #expect((3...7).map { changed.knownBeat($0).bar } == [0, 0, 0, 1, 1])
  }

  @Test func revertingAChangeWithinABeatHasNoEffect() {
    let there = start.changed(to: .initial, signature(2, 4), from: ms(1_100), now: ms(1_100))
    let back = there.changed(to: .initial, .initial, from: ms(1_200), now: ms(1_200))
    #expect((0...8).map { back.knownBeat($0) } == (0...8).map { start.knownBeat($0) })
  }

  @Test func barsNeverStartTwiceWithinABeat() {
    for moment in stride(from: Int64(10), to: 4_000, by: 70) {
      for numerator in 1...8 {
        let changed = start.changed(to: .initial, signature(numerator, 4), from: ms(moment), now: .zero)
        let beats = (0...20).map { changed.knownBeat($0) }
        #expect(zip(beats, beats.dropFirst()).allSatisfy { $1.instant - $0.instant == .milliseconds(500) })
        #expect(zip(beats, beats.dropFirst()).allSatisfy { $1.bar - $0.bar == ($1.position == 0 ? 1 : 0) })
      }
    }
  }

  /// A timeline remembers four parts of a beat. What an output may have committed of them, and 20 ms more, stays where it is.
  @Test func aChangeWaitsForAPartOfABeatToEnd() {
    var timeline = Timeline(session: 1, firstBeat: .zero, tempo: tempo(30), signature: .initial)
    for change in 0..<5 {
      #expect(timeline.hasRoom(at: ms(800)))
      let effective = ms(1_000 + 40 * Int64(change))
      timeline = timeline.changed(to: tempo(31 + change), .initial, from: effective, now: ms(800))
    }
    #expect(!timeline.hasRoom(at: ms(1_059)) && timeline.hasRoom(at: ms(1_060)))
    #expect(timeline.nextRoom() == ms(1_060))
  }

  @Test func fullTimelineHasSpaceAtNextRoom() {
    var timeline = Timeline(session: 1, firstBeat: .zero, tempo: tempo(999), signature: signature(32, 32))
    var now = Instant.zero
    for change in 1...100 where timeline.hasRoom(at: now) {
      now = now + .milliseconds(8)
      let effective = now + .milliseconds(100)
      timeline = timeline.changed(to: tempo(900 + change % 7), signature(32, 32), from: effective, now: now)
    }
    #expect(!timeline.hasRoom(at: now))
    #expect(timeline.nextRoom() > now)
    #expect(!timeline.hasRoom(at: timeline.nextRoom() - Nanoseconds(1)))
    #expect(timeline.hasRoom(at: timeline.nextRoom()))
  }
}
