import MetronomeCore
import Testing

/// Presses that are undone because they turn out to begin another gesture. Beats are 24 ms after each half second.
@Suite struct UndoTests {
  private static let presets = PresetList(("slow", 60, Signature(3, 4)), ("odd", 140, Signature(7, 8)))

  private func playing(_ rules: Rules = Rules()) -> Box {
    var box = Box(rules: rules, presets: UndoTests.presets)
    box.press(.start, at: 0)
    return box
  }

  @Test func undoneStopHasNoEffect() {
    var box = playing()
    let before = box.metronome.timeline
    box.press(.togglePlaying, at: 1_100)
    #expect(box.state == "stopped 120 BPM 4/4")
    box.undo(1_100, for: .toggleSilence, at: 1_600)
    box.press(.toggleSilence, at: 1_600)
    #expect(box.state == "playing 120 BPM 4/4 silent")
    let timeline = box.metronome.timeline
    #expect(timeline.session != before.session)
    #expect(timeline.oldestIndex == 4)
    #expect(box.beats(2...5) == "- - 2024:1.0 2524:1.1")
    #expect(timeline.firstBeat(atOrAfter: .zero) == before.knownBeat(4))
    #expect(timeline.lastBeat(atOrBefore: .zero + .milliseconds(2_023)) == nil)
    // A start after the undo is another session.
    box.press(.stop, at: 3_000)
    box.press(.start, at: 4_000)
    #expect(box.metronome.timeline.session != timeline.session)
    #expect(box.beats(0...1) == "4024:0.0 4524:0.1")
  }

  /// After an undone stop, playback resumes at the first uncommitted beat. Arguments: the milliseconds at which the stop is
  /// undone, and the number of the first beat after the undo.
  @Test(arguments: [(1_110, 3), (1_499, 3), (1_500, 3), (1_501, 4), (2_000, 4), (60_000, 120)] as [(Int64, Int64)])
  func playbackResumesAtTheFirstUncommittedBeat(moment: Int64, first: Int64) {
    var box = playing()
    box.press(.stop, at: 1_100)
    box.undo(1_100, for: .tellTempo, at: moment)
    #expect(box.metronome.timeline.oldestIndex == first)
    #expect(box.beats(first...first) == "\(24 + 500 * first):\(first / 4).\(first % 4)")
  }

  @Test func tempoChangesAfterResumingKeepThePhase() {
    var box = playing()
    box.press(.stop, at: 1_100)
    box.undo(1_100, for: .tellTempo, at: 1_200)
    box.press(.setTempo(Tempo(bpm: 60)!), at: 1_250)
    #expect(box.beats(2...5) == "- 1774:0.3 2774:1.0 3774:1.1")
    box.press(.setNumerator(3), at: 3_000)
    #expect(box.beats(2...7) == "- 1774:0.3 2774:1.0 3774:1.1 4774:1.2 5774:2.0")
  }

  @Test func pendingPresetStillWaitsForTheBarLine() {
    var box = playing()
    box.press(.recallPreset(1), at: 700)
    let before = box.metronome.timeline
    box.press(.stop, at: 800)
    box.undo(800, for: .tellTempo, at: 1_300)
    #expect(box.metronome.timeline.oldestIndex == 3)
    #expect((3...20).allSatisfy { box.metronome.timeline.beat($0) == before.beat($0) })
    #expect(box.beats(3...5) == "1524:0.3 2024:1.0 3024:1.1")
  }

  @Test func resumingDoesNotRestartTheCountIn() {
    var box = playing(Rules(countIn: 2))
    box.press(.togglePlaying, at: 600)
    box.undo(600, for: .toggleSilence, at: 1_100)
    #expect(box.beats(2...4) == "- 1524:-2.3 2024:-1.0")
  }

  @Test func startIsUndoneExceptByToggleSilence() {
    for (next, isPlaying) in [(Command.tellTempo, false), (.tellSignature, false), (.toggleSilence, true)] {
      var box = Box()
      box.press(.togglePlaying, at: 100)
      let started = box.metronome.timeline
      box.undo(100, for: next, at: 300)
      #expect(box.metronome.timeline == (isPlaying ? started : .stopped))
    }
  }

  @Test func tempoAndSignatureChangesAreUndone() {
    var box = playing()
    box.press(.stepTempo(byMilliBPM: -60_000), at: 1_250)
    box.undo(1_250, for: .resetTempo, at: 1_500)
    #expect(box.state == "playing 120 BPM 4/4")
    // A quarter of the beat passed at half the tempo; the undo discards this time.
    #expect(box.beats(2...5) == "1024:0.2 1524:0.3 2024:1.0 2524:1.1")
    box.press(.nextDenominator, at: 2_700)
    box.undo(2_700, for: .tellTempo, at: 2_700)
    #expect(box.beats(3...5) == "1524:0.3 2024:1.0 2524:1.1")
    var stopped = Box()
    stopped.press(.stepTempo(byMilliBPM: 1_000), at: 0)
    stopped.undo(0, for: .resetTempo, at: 100)
    #expect(stopped.state == "stopped 120 BPM 4/4")
  }

  /// A change is undone if the timeline has space. Arguments: the number of changes, one per beat of 7.5 ms and none of them
  /// played yet, and whether the timeline has space. The last change is undone after one more beat.
  @Test(arguments: [(14, true), (15, false)]) func changeIsUndoneIfTheTimelineHasSpace(changes: Int64, hasSpace: Bool) {
    var box = Box(998, Signature(4, 32), lead: 200)
    box.press(.start, at: 0)
    var before = box.metronome.timeline
    for number in 1...changes {
      before = box.metronome.timeline
      box.change(number)
    }
    let changed = box.metronome.timeline
    box.undo(8 * changes, for: .tellTempo, at: 8 * changes + 16)
    #expect((box.metronome.deadline == nil) == hasSpace)
    let expected = hasSpace ? before : changed
    #expect(box.metronome.timeline.beat(1_000) == expected.beat(1_000))
  }

  /// A pending preset keeps its bar line. The 7/8 preset waits for the bar line at 2,024 ms, at which another preset was to
  /// take effect.
  @Test func pendingPresetKeepsItsBarLine() {
    var box = playing()
    box.press(.recallPreset(2), at: 100)
    box.press(.previousPreset, at: 700)
    box.undo(700, for: .tellTempo, at: 1_600)
    #expect(box.state == "playing 140 BPM 7/8")
    #expect(box.beats(3...5) == "1524:0.3 2024:1.0 2238:1.1")
    let eleventh = box.metronome.timeline.beat(11)
    #expect(eleventh?.bar == 2 && eleventh?.position == 0)
  }

  /// An immediate undo restores the space in the timeline. Fourteen changes are not played yet; another change after them waits
  /// for the bar line and is undone at once.
  @Test func immediateUndoRestoresTheFreeSpace() {
    var box = Box(998, Signature(4, 32), presets: UndoTests.presets, lead: 200)
    box.press(.start, at: 0)
    for number in 1...14 as ClosedRange<Int64> { box.change(number) }
    let before = box.metronome.timeline
    box.press(.recallPreset(1), at: 112, button: .preset1)
    let now = Instant.zero + .milliseconds(112)
    #expect(!box.metronome.timeline.hasRoom(at: now))
    box.undo(112, .preset1, for: .tellTempo, at: 112)
    #expect(box.metronome.timeline.hasRoom(at: now))
    #expect(box.metronome.timeline.beat(1_000) == before.beat(1_000))
  }

  @Test func recallIsUndone() {
    var box = playing()
    box.press(.recallPreset(1), at: 100)
    box.press(.nextPreset, at: 700)
    box.undo(700, for: .tellTempo, at: 900)
    #expect(box.metronome.recalled == 1)
    #expect(box.state == "playing 60 BPM 3/4")
    #expect(box.beats(3...5) == "1524:0.3 2024:1.0 3024:1.1")
    box.press(.storePreset(3), at: 1_000)
    box.undo(1_000, for: .tellTempo, at: 1_100)
    #expect(box.metronome.presets == UndoTests.presets)
    #expect(box.metronome.recalled == 1)
  }

  @Test func tapIsUndone() {
    var box = Box()
    for tap in [0, 400, 800, 1_500] as [Int64] { box.press(.tap, at: tap) }
    box.undo(1_500, for: .tellTempo, at: 1_550)
    #expect(box.state == "stopped 150 BPM 4/4")
    box.press(.tap, at: 1_600)
    #expect(box.state == "stopped 150 BPM 4/4")
  }

  @Test func laterChangesSurviveAnUndo() throws {
    var box = playing()
    box.press(.togglePlaying, at: 1_000)
    box.press(.stepTempo(byMilliBPM: 1_000), at: 1_100)
    box.undo(1_000, for: .toggleSilence, at: 1_500)
    #expect(box.state == "playing 121 BPM 4/4")
    box.undo(1_100, for: .tellTempo, at: 1_600)
    #expect(box.state == "playing 120 BPM 4/4")
    box.undo(1_100, for: .tellTempo, at: 1_700)
    box.undo(1_000, for: .tellTempo, at: 1_700)
    #expect(box.state == "playing 120 BPM 4/4")
    box.press(.stepTempo(byMilliBPM: 1_000), at: 2_000)
    _ = try box.metronome.carryOut(.delete(PresetName("odd")!))
    box.undo(2_000, for: .tellTempo, at: 2_100)
    #expect(box.state == "playing 120 BPM 4/4")
    #expect(box.metronome.presets.count == 1)
  }
}

extension Box {
  /// A tempo step up or down, one every 8 milliseconds.
  fileprivate mutating func change(_ number: Int64) {
    press(.stepTempo(byMilliBPM: number % 2 == 0 ? -1_000 : 1_000), at: 8 * number)
  }
}
