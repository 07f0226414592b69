import MetronomeCore
import Testing

@Suite struct TimelineTests {
  private func timeline(_ bpm: Int, _ numerator: Int, _ denominator: Int, from first: Instant = .zero) -> Timeline {
    Timeline(
      session: 1, firstBeat: first, tempo: Tempo(bpm: bpm)!,
      signature: Signature(numerator, over: denominator, limit: .none)!)
  }

  /// The times of the first beats in hundredths of a second, rounded down.
  private func hundredths(_ timeline: Timeline, _ count: Int64) -> [Int64] {
    (0..<count).map { timeline.knownBeat($0).instant.nanoseconds / 10_000_000 }
  }

  @Test func lookupsFindTheSegmentsInPlace() { #expect(TimelineView.isPossible) }

  @Test func thirtySecondNotesMatchTheRecording() {
    // Recorded with the first beat one interval, 62.5 ms, after the start.
    let timeline = timeline(120, 4, 32, from: .zero + Nanoseconds(62_500_000))
    #expect(hundredths(timeline, 8) == [6, 12, 18, 25, 31, 37, 43, 50])
  }

  @Test func quartersMatchTheRecording() {
    let timeline = timeline(120, 4, 4, from: .zero + .milliseconds(500))
    #expect(hundredths(timeline, 8).map { $0 / 10 } == [5, 10, 15, 20, 25, 30, 35, 40])
  }

  @Test func beatsHaveTheirBarAndPosition() {
    let timeline = timeline(120, 4, 4)
    let beats = (0..<9).map { timeline.knownBeat($0) }
    #expect(beats.map { $0.level == .strong ? "F" : "r" }.joined() == "FrrrFrrrF")
    #expect(beats.map { $0.parity == .even ? "e" : "o" }.joined() == "eoeoeoeoe")
    #expect(beats.map(\.bar) == [0, 0, 0, 0, 1, 1, 1, 1, 2])
    #expect(beats.map(\.position) == [0, 1, 2, 3, 0, 1, 2, 3, 0])
  }

  @Test func parityAlternatesAcrossOddBars() {
    let timeline = timeline(90, 3, 4)
    let result = (0..<7).map { timeline.knownBeat($0) }.map { "\($0.position)\($0.parity == .even ? "e" : "o")" }
    #expect(result.joined(separator: " ") == "0e 1o 2e 0o 1e 2o 0e")
  }

  @Test(arguments: [(97_300, 4), (133_700, 8), (999_000, 32), (1_000, 1), (119_999, 16), (33_333, 2)])
  func beatsFollowTheFormula(milliBPM: Int, denominator: Int) {
    let anchor = Instant(nanoseconds: 123_456_789_123)
    let timeline = Timeline(
      session: 1, firstBeat: anchor, tempo: Tempo(milliBPM: milliBPM)!,
      signature: Signature(4, over: denominator, limit: .none)!)
    for n in (0..<1_000).map(Int64.init) + [172_799, 10_000_019] {
      let offset = Int128(n) * 60 * 1_000_000_000 * 1_000 * 4 / (Int128(milliBPM) * Int128(denominator))
      #expect(timeline.knownBeat(n).instant == anchor + Nanoseconds(Int64(offset)))
    }
  }

  @Test func centuryAtTheFastestTempoDoesNotOverflow() {
    let century = Int64(100 * 366 * 86_400)
    let timeline = timeline(999, 32, 32, from: .zero + .seconds(1_000_000_000))
    let last = timeline.lastBeat(atOrBefore: .zero + .seconds(1_000_000_000 + century))!
    #expect(last.index == century * 999 * 8 / 60)
    #expect(last.instant == .zero + .seconds(1_000_000_000 + century))
    #expect(timeline.firstBeat(atOrAfter: last.instant + Nanoseconds(1))!.index == last.index + 1)
  }

  @Test func beatsAreFoundByInstant() {
    let timeline = timeline(180, 4, 4, from: Instant(nanoseconds: 1_000))
    for n in Int64(0)..<500 {
      let beat = timeline.knownBeat(n)
      #expect(timeline.firstBeat(atOrAfter: beat.instant) == beat)
      #expect(timeline.lastBeat(atOrBefore: beat.instant) == beat)
      #expect(timeline.firstBeat(atOrAfter: beat.instant + Nanoseconds(1))?.index == n + 1)
      #expect(timeline.lastBeat(atOrBefore: beat.instant - Nanoseconds(1))?.index == (n == 0 ? nil : n - 1))
    }
  }

  @Test func stoppedTimelineHasNoBeats() {
    #expect(!Timeline.stopped.isPlaying)
    #expect(Timeline.stopped.beat(0) == nil)
    #expect(Timeline.stopped.firstBeat(atOrAfter: .zero) == nil)
    #expect(Timeline.stopped.lastBeat(atOrBefore: .zero) == nil)
    let changed = Timeline.stopped.changed(to: .initial, .initial, from: .zero, now: .zero)
    #expect(changed == .stopped)
  }

  @Test func tempoIsThatOfAnInstant() throws {
    #expect(Timeline.stopped.tempo(at: .zero) == nil)
    let start = Instant.zero + .seconds(1)
    var timeline = Timeline(session: 1, firstBeat: start, tempo: .initial, signature: .initial)
    let change = start + .milliseconds(1_250)
    timeline = timeline.changed(to: try #require(Tempo(bpm: 90)), Bar(.initial), from: change, now: change)
    let instants = [Instant.zero, start, change - Nanoseconds(1), change, change + .seconds(9)]
    #expect(instants.map { timeline.tempo(at: $0)?.number } == ["120", "120", "120", "90", "90"])
  }

  /// From 60 to 120, then each beat has its own tempo. Between two beats it is that of the earlier one.
  @Test func tempoOfAScoreIsThatOfAnInstant() throws {
    var metronome = Metronome()
    metronome.load(SetList(try Score(text: "2 60-120\n1 2/4 90,97.5")))
    metronome.apply(.start, pressed: .zero, effective: .zero, now: .zero)
    let timeline = metronome.timeline
    func tempo(_ beat: Int64) -> String? { timeline.tempo(at: timeline.knownBeat(beat).instant)?.number }
    #expect([0, 1, 2, 4, 7, 8, 9].map(tempo) == ["60", "67.5", "75", "90", "112.5", "90", "97.5"])
    let (one, next) = (timeline.knownBeat(4).instant, timeline.knownBeat(5).instant)
    #expect(timeline.tempo(at: one + (next - one) / 2)?.number == "90")
  }
}
