import MetronomeCore
import TestSupport
import Testing

/// Hits of a timeline, through starts and changes.
@Suite struct RhythmTimelineTests {
  private func bar(_ signature: String, _ rhythm: String = "", beat: String = "1/4") throws -> Bar {
    let metre = Metre(
      try #require(Signature(text: signature)), unit: try #require(BeatUnit(text: beat)))
    return Bar(metre, try Rhythm(text: rhythm, for: metre))
  }

  private func start(_ bar: Bar, bpm: String, countIn: Int = 0) throws -> Timeline {
    let tempo = try #require(Tempo(decimal: bpm))
    return Timeline(session: 1, firstBeat: .zero, tempo: tempo, bar: bar, countIn: countIn)
  }

  private func hits(_ timeline: Timeline, voice: Int = 0, count: Int) -> [Hit] {
    var hits: [Hit] = []
    while hits.count < count, let hit = timeline.hit(of: voice, after: hits.last?.position ?? Position(-1)) {
      hits.append(hit)
    }
    return hits
  }

  private func text(_ hits: [Hit]) -> [String] {
    hits.map { "\($0.instant.nanoseconds) \($0.level) \($0.position)" }
  }

  @Test func septupletsOfAnHourFallOnTheirFractions() throws {
    let timeline = try start(bar("4/4", "sub=7"), bpm: "130")
    let all = hits(timeline, count: 7 * 7_800 + 1)
    for (number, hit) in all.enumerated() {
      // 60·10⁹ / 130 / 7 nanoseconds.
      #expect(hit.instant.nanoseconds == Int64(number) * 60_000_000_000 / 910)
    }
    #expect(all.last?.instant == .zero + .seconds(3_600))
  }

  @Test func groupsDecideTheLevelsOfBeats() throws {
    let timeline = try start(bar("2+2+3/8"), bpm: "140")
    #expect(
      hits(timeline, count: 8).map { "\($0.level)" }
        == ["strong", "weak", "medium", "weak", "medium", "weak", "weak", "strong"])
    #expect(timeline.beat(4)?.level == .medium)
    #expect(timeline.beat(4)?.instant.nanoseconds == 857_142_857)
    #expect(timeline.beat(7)?.bar == 1)
  }

  @Test func dottedBeatsAreCountedAndTheirNotesAreHits() throws {
    let timeline = try start(bar("6/8", beat: "3/8"), bpm: "60")
    #expect(
      text(hits(timeline, count: 7)) == [
        "0 strong 0", "333333333 ghost 0 1/3", "666666666 ghost 0 2/3", "1000000000 medium 1", "1333333333 ghost 1 1/3",
        "1666666666 ghost 1 2/3", "2000000000 strong 2",
      ])
    #expect(timeline.beat(1)?.level == .medium)
    #expect(timeline.beat(2)?.bar == 1)
    #expect(timeline.beat(2)?.position == 0)
    // The dotted quarters of 7/8 do not fill the bar, so a beat is an eighth: three in a dotted quarter.
    #expect(try start(bar("7/8", beat: "3/8"), bpm: "60").beat(3)?.instant == .zero + .seconds(1))
  }

  @Test func restsAreBeatsWithoutHits() throws {
    let timeline = try start(bar("4/4", "X.x."), bpm: "120")
    #expect((0..<5).map { timeline.beat($0)?.level } == [.strong, .rest, .weak, .rest, .strong])
    #expect(hits(timeline, count: 3).map(\.position.whole) == [0, 2, 4])
  }

  @Test func countInHasOnlyBeatsOfTheMetre() throws {
    let timeline = try start(bar("3/4", "Xxx sub=2 & 2:3"), bpm: "60", countIn: 1)
    #expect(
      text(hits(timeline, count: 7)) == [
        "0 strong 0", "1000000000 weak 1", "2000000000 weak 2", "3000000000 strong 3", "3500000000 ghost 3 1/2",
        "4000000000 weak 4", "4500000000 ghost 4 1/2",
      ])
    #expect(hits(timeline, voice: 1, count: 2).map(\.instant.nanoseconds) == [3_000_000_000, 4_500_000_000])
  }

  @Test func polymeterContinuesThroughAChangeOfTempo() throws {
    let four = try bar("4/4", "& X.... @5/8")
    var timeline = try start(four, bpm: "60")
    timeline = timeline.changed(
      to: try #require(Tempo(bpm: 120)), four, from: .zero + .milliseconds(5_250), now: .zero + .milliseconds(5_250))
    #expect(
      hits(timeline, voice: 1, count: 5).map(\.position.description) == ["0", "2 1/2", "5", "7 1/2", "10"])
    let other = try bar("3/4", "& X.... @5/8")
    timeline = timeline.changed(to: .initial, other, from: .zero + .seconds(6), now: .zero + .seconds(6))
    // Beat 7 is the last of a bar of four, so a bar of three begins there: 5.375 s + 2 beats.
    #expect(timeline.beat(7)?.position == 0)
    // Older beats are discarded.
    #expect(hits(timeline, voice: 1, count: 3).map(\.position.description) == ["7", "9 1/2", "12"])
  }

  @Test func rhythmChangesWithTheNextBeat() throws {
    var timeline = try start(bar("4/4", "sub=4"), bpm: "60")
    let now = Instant.zero + .milliseconds(1_600)
    timeline = timeline.changed(to: try #require(Tempo(bpm: 60)), try bar("4/4", "sub=3"), from: now, now: now)
    #expect(
      hits(timeline, count: 12).map(\.position.description)
        == ["0", "0 1/4", "0 1/2", "0 3/4", "1", "1 1/4", "1 1/2", "1 3/4", "2", "2 1/3", "2 2/3", "3"])
  }

  @Test func patternThatDoesNotFillTheBarGivesWayToTheMetre() throws {
    let metre = Metre(try #require(Signature(text: "3/4")))
    let bar = Bar(metre, try Rhythm(text: "X.x. & 3:2", for: Metre(.initial)))
    #expect(bar.rhythm.pattern == nil)
    #expect(bar.rhythm.voiceCount == 2)
    let timeline = try start(bar, bpm: "60")
    #expect(hits(timeline, count: 4).map { "\($0.level)" } == ["strong", "weak", "weak", "strong"])
  }

  @Test func moreRhythmsThanFitWaitForRoom() throws {
    var timeline = try start(bar("4/4", "sub=2"), bpm: "60")
    for sub in 3...5 {
      let now = Instant.zero + .milliseconds(Int64(10 * sub))
      timeline = timeline.changed(
        to: try #require(Tempo(bpm: 60)), try bar("4/4", "sub=\(sub)"), from: now + .seconds(Int64(sub)), now: now)
    }
    let six = try bar("4/4", "sub=6")
    #expect(!timeline.hasRoom(for: six.rhythm, at: .zero + .seconds(1)))
    #expect(timeline.hasRoom(for: try bar("4/4", "sub=2").rhythm, at: .zero + .seconds(1)))
    #expect(timeline.hasRoom(for: six.rhythm, at: timeline.nextRoom(for: six.rhythm)))
  }

  /// The first segment's rhythm is used by a later one, too, so its end frees no place.
  @Test func roomIsThereOnlyWhenNoSegmentUsesTheRhythm() throws {
    var timeline = try start(bar("4/4", "sub=2"), bpm: "60")
    for (number, sub) in [3, 4, 5, 2].enumerated() {
      let now = Instant.zero + .milliseconds(Int64(10 * number))
      timeline = timeline.changed(
        to: try #require(Tempo(bpm: 60)), try bar("4/4", "sub=\(sub)"), from: now + .seconds(Int64(number + 2)),
        now: now)
    }
    let six = try bar("4/4", "sub=6").rhythm
    let room = timeline.nextRoom(for: six)
    #expect(room == .zero + .milliseconds(4_100))
    #expect(!timeline.hasRoom(for: six, at: room - Nanoseconds(1)))
    #expect(timeline.hasRoom(for: six, at: room))
  }

  /// An output that shows hits in time gets each of them once and in order, whatever changes meanwhile.
  @Test(arguments: Seeds.few(20, of: 400)) func changesNeitherDoubleNorLoseHits(seed: UInt64) throws {
    var random = Lehmer(seed: seed &+ 77)
    let rhythms = ["", "sub=3", "sub=8 swing=62%@16", "Xoox.o sub=2 & 3:4", "X.x.x. & 5:3 & X.x @3/8", "2:xxx|2:oo"]
    func randomBar() throws -> Bar {
      let signature = try #require(Signature(text: ["6/8", "6/4", "4/4", "2+2+2/16"][random.below(4)]))
      let metre = Metre(signature, unit: try #require(BeatUnit(text: ["1/4", "3/8"][random.below(2)])))
      let rhythm = try? Rhythm(text: rhythms[random.below(6)], for: metre)
      return Bar(metre, rhythm ?? Rhythm())
    }
    func randomTempo() -> Tempo { Tempo(clampingMilliBPM: 20_000 + random.below(500_000)) }
    var (tempo, bar) = (randomTempo(), try randomBar())
    var timeline = Timeline(session: 1, firstBeat: .zero, tempo: tempo, bar: bar)
    var last = [Position](repeating: Position(-1), count: Rhythm.maxVoices)
    var shown = [Instant](repeating: .zero, count: Rhythm.maxVoices)
    var now = Instant.zero
    for _ in 0..<60 {
      now = now + .milliseconds(Int64(1 + random.below(120)))
      for voice in 0..<Rhythm.maxVoices {
        while let hit = timeline.hit(of: voice, after: last[voice]), hit.instant < now {
          #expect(hit.instant >= shown[voice], "voice \(voice) goes back at \(hit.position)")
          #expect(hit.position > last[voice])
          (last[voice], shown[voice]) = (hit.position, hit.instant)
        }
        // What was shown up to now cannot be shown again, and what comes was not due before.
        if let next = timeline.hit(of: voice, after: last[voice]) { #expect(next.instant >= now) }
      }
      guard random.below(3) > 0 else { continue }
      if random.below(2) == 0 { tempo = randomTempo() } else { bar = try randomBar() }
      let effect = now + .milliseconds(Int64(random.below(25)))
      let room = timeline.hasRoom(for: bar.rhythm, at: now)
      if !room { continue }
      let before = timeline
      timeline =
        random.below(4) == 0
        ? timeline.changedAtBarLine(to: tempo, bar, from: effect, now: now)
        : timeline.changed(to: tempo, bar, from: effect, now: now)
      // Hits before the change keep their instants.
      for voice in 0..<Rhythm.maxVoices {
        var position = last[voice]
        while let hit = before.hit(of: voice, after: position), hit.instant < effect {
          #expect(timeline.hit(of: voice, after: position) == hit)
          position = hit.position
        }
      }
    }
  }
}
