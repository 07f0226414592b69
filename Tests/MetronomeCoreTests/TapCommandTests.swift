import MetronomeCore
import Testing

/// The effects of taps on the metronome. While it plays, beats are 24 ms after each half second until the first tap takes
/// effect.
@Suite struct TapCommandTests {
  private func playing() -> Box {
    var box = Box()
    box.press(.start, at: 0)
    return box
  }

  private func tap(_ box: inout Box, at moments: Int64...) {
    for moment in moments { box.press(.tap, at: moment) }
  }

  @Test func tapsWhileStoppedOnlySetTheTempo() {
    var box = Box(90)
    tap(&box, at: 0, 500)
    #expect(box.state == "stopped 90 BPM 4/4")
    tap(&box, at: 1_000)
    #expect(box.state == "stopped 120 BPM 4/4")
    tap(&box, at: 1_507)
    #expect(box.state == "stopped 119 BPM 4/4")
  }

  @Test func roundingCanBeDisabled() {
    var box = Box(90, Signature(6, 8), rules: Rules(tapRounds: false))
    tap(&box, at: 0, 507, 1_014)
    #expect(box.state == "stopped 59.172 BPM 6/8")
  }

  @Test func thirdTapStartsPlaybackAtItsBeatOfTheBar() {
    var box = Box(90, rules: Rules(countIn: 2, tapStarts: true))
    tap(&box, at: 0, 500)
    #expect(box.state == "stopped 90 BPM 4/4")
    tap(&box, at: 1_000)
    #expect(box.state == "playing 120 BPM 4/4")
    #expect(box.beats(0...4) == "1024:0.2 1500:0.3 2000:1.0 2500:1.1 3000:1.2")
    var waltz = Box(90, Signature(3, 4), rules: Rules(tapStarts: true))
    tap(&waltz, at: 0, 1_000, 1_500)
    #expect(waltz.beats(0...3) == "1524:0.0 2000:0.1 2500:0.2 3000:1.0")
  }

  @Test func beatAlreadyPlayedIsNotMoved() {
    var box = playing()
    tap(&box, at: 100, 600, 1_100)
    #expect(box.beats(0...5) == "24:0.0 524:0.1 1024:0.2 1600:0.3 2100:1.0 2600:1.1")
    tap(&box, at: 1_620)
    // The regression line through the four taps puts the last one at 1,614 ms, with a period of 506 ms.
    #expect(box.state == "playing 119 BPM 4/4")
    #expect(box.beats(2...5) == "1024:0.2 1600:0.3 2120:1.0 2624:1.1")
  }

  @Test func upcomingBeatMovesToTheTap() {
    var box = playing()
    tap(&box, at: 448, 948, 1_448)
    #expect(box.beats(1...6) == "524:0.1 1024:0.2 1472:0.3 1948:1.0 2448:1.1 2948:1.2")
  }

  /// The time of the third tap in milliseconds, and two beats. A tap at 1,274 ms belongs to the beat at 1,024 ms, and a later
  /// tap to the beat at 1,524 ms.
  private static let edges: [(Int64, String)] = [
    (1_499, "1523:0.3 1999:1.0"), (1_500, "1524:0.3 2000:1.0"), (1_501, "1524:0.3 2001:1.0"),
    (1_524, "1524:0.3 2024:1.0"), (1_274, "1024:0.2 1774:0.3"), (1_275, "1299:0.3 1775:1.0"),
  ]

  @Test(arguments: edges) func tapMovesTheNearestBeat(third: Int64, beats: String) {
    var box = playing()
    tap(&box, at: third - 1_000, third - 500, third)
    #expect(box.beats(third == 1_274 ? 2...3 : 3...4) == beats)
  }

  @Test func beatBeforeTheEffectiveTimeMovesOnePeriodLater() {
    var box = Box(60, lead: 300)
    box.press(.start, at: 0)
    tap(&box, at: 2_000, 2_200, 2_400)
    // The tap belongs to the beat at 2,300 ms. One period after the tap, 2,600 ms, is too early: the change takes effect at
    // 2,700 ms.
    #expect(box.state == "playing 300 BPM 4/4")
    #expect(box.beats(2...4) == "2300:0.2 2800:0.3 3000:1.0")
  }

  /// A beat that is played before the change takes effect counts. The tap belongs to the beat at 2,300 ms. The beat at 2,500 ms
  /// is already committed, and counts as the beat one period after the tap. The next beat is two periods after the tap.
  @Test func beatsPlayedBeforeTheChangeTakesEffectCount() {
    var box = Box(300, lead: 300)
    box.press(.start, at: 0)
    for tap in [1_700, 2_050, 2_400] as [Int64] { box.press(.tap, at: tap) }
    #expect(box.state == "playing 171 BPM 4/4")
    #expect(box.beats(10...13) == "2300:2.2 2500:2.3 3100:3.0 3450:3.1")
  }

  /// A tapped tempo waits while the timeline is full. One change per beat and a lead of many beats fill the timeline with
  /// uncommitted changes.
  @Test func tempoChangeWaitsWhileTheTimelineIsFull() {
    var box = Box(999, Signature(4, 32), lead: 1_000)
    box.press(.start, at: 0)
    var now = Int64(0)
    while box.metronome.deadline == nil {
      now += 8
      box.press(.stepTempo(byMilliBPM: now % 16 == 0 ? 1_000 : -1_000), at: now)
    }
    let before = box.metronome.timeline
    tap(&box, at: now + 100, now + 200, now + 300)
    #expect(box.state == "playing 75 BPM 4/32")
    #expect(box.metronome.timeline == before)
    let room = box.metronome.deadline!
    let effective = room + .milliseconds(1_000)
    box.metronome.catchUp(effective: effective, now: room)
    #expect(box.metronome.deadline == nil)
    let next = before.firstBeat(atOrAfter: effective)!
    let beats = (0...5).map { box.metronome.timeline.knownBeat(next.index + $0) }
    #expect(zip(beats, beats.dropFirst()).allSatisfy { $1.instant - $0.instant == .milliseconds(100) })
    #expect(beats[0].position == next.position && beats[0].bar == next.bar)
  }

  @Test func tempoIsRoundedAndThePhaseIsNot() {
    var box = playing()
    tap(&box, at: 1_100, 1_607, 2_114)
    #expect(box.state == "playing 118 BPM 4/4")
    #expect(box.beats(4...6) == "2024:1.0 2621:1.1 3129:1.2")
  }

  @Test func changesAfterATapKeepThePhase() {
    var box = playing()
    tap(&box, at: 448, 948, 1_448)
    box.press(.setTempo(Tempo(bpm: 60)!), at: 1_674)
    #expect(box.beats(3...5) == "1472:0.3 2198:1.0 3198:1.1")
  }

  private static let commands: [(Command, endsTheRun: Bool)] = [
    (.stepTempo(byMilliBPM: 1_000), true), (.setTempo(Tempo(bpm: 120)!), false), (.nextNumerator, true),
    (.resetTempo, false), (.togglePlaying, true), (.start, true), (.stop, false), (.toggleSilence, false),
    (.tellTempo, false), (.recallPreset(1), false), (.storePreset(1), false), (.previousDenominator, true),
  ]

  @Test(arguments: commands) func onlyCommandsWithAnEffectEndTheTapRun(command: Command, endsTheRun: Bool) {
    var box = Box()
    tap(&box, at: 0, 400)
    box.press(command, at: 600)
    tap(&box, at: 800)
    #expect((box.metronome.settings.tempo.milliBPM == 150_000) == !endsTheRun)
  }
}
