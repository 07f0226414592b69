import MetronomeCore
import Testing

/// Presses that turn out to be the beginning of another gesture. Beats fall 24 ms after every half second.
@Suite struct TakeBackTests {
  private static let presets = PresetList(("slow", 60, Signature(3, 4)), ("odd", 140, Signature(7, 8)))

  private func playing(_ rules: Rules = Rules()) -> Box {
    var box = Box(rules: rules, presets: TakeBackTests.presets)
    box.press(.start, at: 0)
    return box
  }

  @Test func aStopIsAsIfItHadNotBeen() {
    var box = playing()
    let before = box.metronome.timeline
    box.press(.togglePlaying, at: 1_100)
    #expect(box.state == "stopped 120 BPM 4/4")
    box.takeBack(1_100, for: .toggleSilence, at: 1_600)
    box.press(.toggleSilence, at: 1_600)
    #expect(box.state == "playing 120 BPM 4/4 silent")
    let timeline = box.metronome.timeline
    #expect(timeline.session != before.session)
    #expect(timeline.oldestIndex == 4)
    #expect(box.beats(2...5) == "- - 2024:1.0 2524:1.1")
    #expect(timeline.firstBeat(atOrAfter: .zero) == before.knownBeat(4))
    #expect(timeline.lastBeat(atOrBefore: .zero + .milliseconds(2_023)) == nil)
    // A start after it is another session again.
    box.press(.stop, at: 3_000)
    box.press(.start, at: 4_000)
    #expect(box.metronome.timeline.session != timeline.session)
    #expect(box.beats(0...1) == "4024:0.0 4524:0.1")
  }

  /// Milliseconds at which the stop is taken back, and the first beat after that.
  @Test(arguments: [(1_110, 3), (1_499, 3), (1_500, 3), (1_501, 4), (2_000, 4), (60_000, 120)] as [(Int64, Int64)])
  func theFirstBeatIsOneThatIsNotCommitted(moment: Int64, first: Int64) {
    var box = playing()
    box.press(.stop, at: 1_100)
    box.takeBack(1_100, for: .tellTempo, at: moment)
    #expect(box.metronome.timeline.oldestIndex == first)
    #expect(box.beats(first...first) == "\(24 + 500 * first):\(first / 4).\(first % 4)")
  }

  @Test func whatIsResumedChangesInPhase() {
    var box = playing()
    box.press(.stop, at: 1_100)
    box.takeBack(1_100, for: .tellTempo, at: 1_200)
    box.press(.setTempo(Tempo(bpm: 60)!), at: 1_250)
    #expect(box.beats(2...5) == "- 1774:0.3 2774:1.0 3774:1.1")
    box.press(.setNumerator(3), at: 3_000)
    #expect(box.beats(2...7) == "- 1774:0.3 2774:1.0 3774:1.1 4774:1.2 5774:2.0")
  }

  @Test func whatWaitedForTheBarLineWaitsOn() {
    var box = playing()
    box.press(.recallPreset(1), at: 700)
    let before = box.metronome.timeline
    box.press(.stop, at: 800)
    box.takeBack(800, for: .tellTempo, at: 1_300)
    #expect(box.metronome.timeline.oldestIndex == 3)
    #expect((3...20).allSatisfy { box.metronome.timeline.beat($0) == before.beat($0) })
    #expect(box.beats(3...5) == "1524:0.3 2024:1.0 3024:1.1")
  }

  @Test func whatIsResumedIsNotCountedInAgain() {
    var box = playing(Rules(countIn: 2))
    box.press(.togglePlaying, at: 600)
    box.takeBack(600, for: .toggleSilence, at: 1_100)
    #expect(box.beats(2...4) == "- 1524:-2.3 2024:-1.0")
  }

  @Test func aStartIsTakenBackButForSilence() {
    for (next, isPlaying) in [(Command.tellTempo, false), (.tellSignature, false), (.toggleSilence, true)] {
      var box = Box()
      box.press(.togglePlaying, at: 100)
      let started = box.metronome.timeline
      box.takeBack(100, for: next, at: 300)
      #expect(box.metronome.timeline == (isPlaying ? started : .stopped))
    }
  }

  @Test func tempoAndSignatureAreTakenBack() {
    var box = playing()
    box.press(.stepTempo(byMilliBPM: -60_000), at: 1_250)
    box.takeBack(1_250, for: .resetTempo, at: 1_500)
    #expect(box.state == "playing 120 BPM 4/4")
    // A quarter of the beat went by at half the speed, and that is forgotten.
    #expect(box.beats(2...5) == "1024:0.2 1524:0.3 2024:1.0 2524:1.1")
    box.press(.nextDenominator, at: 2_700)
    box.takeBack(2_700, for: .tellTempo, at: 2_700)
    #expect(box.beats(3...5) == "1524:0.3 2024:1.0 2524:1.1")
    var stopped = Box()
    stopped.press(.stepTempo(byMilliBPM: 1_000), at: 0)
    stopped.takeBack(0, for: .resetTempo, at: 100)
    #expect(stopped.state == "stopped 120 BPM 4/4")
  }

  /// So many changes with beats of 7.5 ms between them, none of them played, and the last taken back after such a beat.
  @Test(arguments: [(14, true), (15, false)]) func aChangeIsTakenBackIfThereIsRoom(changes: Int64, isThere: Bool) {
    var box = Box(998, Signature(4, 32), lead: 200)
    box.press(.start, at: 0)
    var before = box.metronome.timeline
    for number in 1...changes {
      before = box.metronome.timeline
      box.change(number)
    }
    let changed = box.metronome.timeline
    box.takeBack(8 * changes, for: .tellTempo, at: 8 * changes + 16)
    #expect((box.metronome.deadline == nil) == isThere)
    let expected = isThere ? before : changed
    #expect(box.metronome.timeline.beat(1_000) == expected.beat(1_000))
  }

  /// The preset of seven eighths waits for the bar line at 2,024 ms, from where on another one was to hold.
  @Test func whatLiesAheadKeepsItsBarLine() {
    var box = playing()
    box.press(.recallPreset(2), at: 100)
    box.press(.previousPreset, at: 700)
    box.takeBack(700, for: .tellTempo, at: 1_600)
    #expect(box.state == "playing 140 BPM 7/8")
    #expect(box.beats(3...5) == "1524:0.3 2024:1.0 2238:1.1")
    let eleventh = box.metronome.timeline.beat(11)
    #expect(eleventh?.bar == 2 && eleventh?.position == 0)
  }

  /// Fourteen changes that are not played yet, and one for the bar line after them, which is taken back at once.
  @Test func whatIsTakenBackAtOnceLeavesTheRoomThatThereWas() {
    var box = Box(998, Signature(4, 32), presets: TakeBackTests.presets, lead: 200)
    box.press(.start, at: 0)
    for number in 1...14 as ClosedRange<Int64> { box.change(number) }
    let before = box.metronome.timeline
    box.press(.recallPreset(1), at: 112, button: .preset1)
    let now = Instant.zero + .milliseconds(112)
    #expect(!box.metronome.timeline.hasRoom(at: now))
    box.takeBack(112, .preset1, for: .tellTempo, at: 112)
    #expect(box.metronome.timeline.hasRoom(at: now))
    #expect(box.metronome.timeline.beat(1_000) == before.beat(1_000))
  }

  @Test func aRecallIsTakenBack() {
    var box = playing()
    box.press(.recallPreset(1), at: 100)
    box.press(.nextPreset, at: 700)
    box.takeBack(700, for: .tellTempo, at: 900)
    #expect(box.metronome.recalled == 1)
    #expect(box.state == "playing 60 BPM 3/4")
    #expect(box.beats(3...5) == "1524:0.3 2024:1.0 3024:1.1")
    box.press(.storePreset(3), at: 1_000)
    box.takeBack(1_000, for: .tellTempo, at: 1_100)
    #expect(box.metronome.presets == TakeBackTests.presets)
    #expect(box.metronome.recalled == 1)
  }

  @Test func aTapIsTakenBack() {
    var box = Box()
    for tap in [0, 400, 800, 1_500] as [Int64] { box.press(.tap, at: tap) }
    box.takeBack(1_500, for: .tellTempo, at: 1_550)
    #expect(box.state == "stopped 150 BPM 4/4")
    box.press(.tap, at: 1_600)
    #expect(box.state == "stopped 150 BPM 4/4")
  }

  @Test func whatWasDoneSinceStays() throws {
    var box = playing()
    box.press(.togglePlaying, at: 1_000)
    box.press(.stepTempo(byMilliBPM: 1_000), at: 1_100)
    box.takeBack(1_000, for: .toggleSilence, at: 1_500)
    #expect(box.state == "playing 121 BPM 4/4")
    box.takeBack(1_100, for: .tellTempo, at: 1_600)
    #expect(box.state == "playing 120 BPM 4/4")
    box.takeBack(1_100, for: .tellTempo, at: 1_700)
    box.takeBack(1_000, for: .tellTempo, at: 1_700)
    #expect(box.state == "playing 120 BPM 4/4")
    box.press(.stepTempo(byMilliBPM: 1_000), at: 2_000)
    _ = try box.metronome.carryOut(.delete(PresetName("odd")!))
    box.takeBack(2_000, for: .tellTempo, at: 2_100)
    #expect(box.state == "playing 120 BPM 4/4")
    #expect(box.metronome.presets.count == 1)
  }
}

extension Box {
  /// A step of the tempo up or down, one every 8 milliseconds.
  fileprivate mutating func change(_ number: Int64) {
    press(.stepTempo(byMilliBPM: number % 2 == 0 ? -1_000 : 1_000), at: 8 * number)
  }
}
