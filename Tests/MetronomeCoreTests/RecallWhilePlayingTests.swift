import MetronomeCore
import Testing

/// Presets that are recalled while playing. At 120 BPM, with the first beat at 24 ms, beats are 500 ms apart and bars begin at
/// 24, 2,024 and 4,024 ms.
@Suite struct RecallWhilePlayingTests {
  private static let presets = PresetList(
    ("slow", 60, Signature(3, 4)), ("odd", 140, Signature(7, 8)), ("march", 112, Signature(2, 4)),
    ("plain", 120, Signature(4, 4)))

  private func playing(_ rules: Rules = Rules()) -> Box {
    var box = Box(rules: rules, presets: RecallWhilePlayingTests.presets)
    box.press(.start, at: 0)
    return box
  }

  @Test func presetStartsAtABarLine() {
    var box = playing()
    #expect(box.press(.recallPreset(2), at: 700) == nil)
    #expect(box.state == "playing 140 BPM 7/8")
    #expect(box.beats(0...5) == "24:0.0 524:0.1 1024:0.2 1524:0.3 2024:1.0 2238:1.1")
    #expect(box.beats(10...12) == "3309:1.6 3524:2.0 3738:2.1")
    #expect(box.metronome.deadline == nil)
  }

  /// A preset starts at the first bar line that is not yet committed. Arguments: the time of the press and the time of that bar
  /// line, in milliseconds.
  @Test(
    arguments: [(1_999, 2_024), (2_000, 2_024), (2_001, 4_024), (2_010, 4_024), (2_024, 4_024)] as [(Int64, Int64)])
  func presetWaitsForTheFirstUncommittedBarLine(press: Int64, line: Int64) {
    var box = playing()
    box.press(.recallPreset(1), at: press)
    let slow = (0..<20).map { box.metronome.timeline.knownBeat($0) }.filter { $0.instant > .zero + .milliseconds(line) }
    #expect(slow[0].instant == .zero + .milliseconds(line + 1_000))
    #expect(slow[0].position == 1)
    #expect(box.metronome.timeline.firstBeat(atOrAfter: .zero + .milliseconds(line))?.position == 0)
  }

  @Test func laterRecallReplacesThePendingRecall() {
    var box = playing()
    box.press(.recallPreset(1), at: 700)
    box.press(.recallPreset(3), at: 1_000)
    var alone = playing()
    alone.press(.recallPreset(3), at: 700)
    #expect(box.metronome.timeline == alone.metronome.timeline)
    #expect(box.beats(3...6) == "1524:0.3 2024:1.0 2559:1.1 3095:2.0")
    // A preset that has started is not replaced.
    box.press(.recallPreset(1), at: 2_001)
    #expect(box.beats(3...8) == "1524:0.3 2024:1.0 2559:1.1 3095:2.0 4095:2.1 5095:2.2")
  }

  @Test func recallingTheCurrentPresetCancelsThePendingRecall() {
    var box = playing()
    box.press(.recallPreset(1), at: 700)
    box.press(.recallPreset(4), at: 900)
    #expect(box.beats(3...8) == "1524:0.3 2024:1.0 2524:1.1 3024:1.2 3524:1.3 4024:2.0")
  }

  @Test func changesTakeEffectInOrder() {
    var box = playing()
    box.press(.recallPreset(3), at: 700)
    box.press(.stepTempo(byMilliBPM: 8_000), at: 900)
    box.press(.nextNumerator, at: 1_100)
    #expect(box.state == "playing 120 BPM 3/4")
    #expect(box.beats(2...8) == "1024:0.2 1524:0.3 2024:1.0 2524:1.1 3024:1.2 3524:2.0 4024:2.1")
    box.press(.setTempo(Tempo(bpm: 60)!), at: 2_250)
    #expect(box.beats(4...7) == "2024:1.0 2774:1.1 3774:1.2 4774:2.0")
  }

  @Test func earlierTempoChangeAppliesUntilTheBarLine() {
    var box = playing()
    box.press(.setTempo(Tempo(bpm: 60)!), at: 1_250)
    box.press(.recallPreset(4), at: 1_300)
    #expect(box.beats(2...6) == "1024:0.2 1774:0.3 2774:1.0 3274:1.1 3774:1.2")
  }

  @Test func tapsDoNotMoveTheBarLine() {
    var box = playing()
    box.press(.recallPreset(3), at: 100)
    for tap in [200, 600, 1_000] as [Int64] { box.press(.tap, at: tap) }
    #expect(box.state == "playing 150 BPM 2/4")
    #expect(box.beats(2...6) == "1024:0.2 1524:0.3 2024:1.0 2424:1.1 2824:2.0")
  }

  @Test func stoppingDiscardsThePendingBarLine() {
    var box = playing()
    box.press(.recallPreset(3), at: 700)
    box.press(.stop, at: 800)
    box.press(.start, at: 900)
    #expect(box.beats(0...2) == "924:0.0 1459:0.1 1995:1.0")
  }

  @Test func recallBeforeTheFirstBeatAppliesFromTheFirstBar() {
    var box = playing()
    box.press(.recallPreset(3), at: 0)
    #expect(box.beats(0...2) == "24:0.0 559:0.1 1095:1.0")
  }

  @Test func recallDuringTheCountInAppliesFromTheNextBar() {
    var box = playing(Rules(countIn: 2))
    box.press(.recallPreset(3), at: 100)
    #expect(box.beats(3...8) == "1524:-2.3 2024:-1.0 2559:-1.1 3095:0.0 3631:0.1 4166:1.0")
  }

  /// A recall waits for space in a full timeline, and then for the next bar line. One change per beat and a lead of many beats
  /// fill the timeline with uncommitted changes.
  @Test func recallWaitsForTimelineSpaceAndThenForTheBarLine() {
    var box = Box(999, Signature(4, 32), presets: RecallWhilePlayingTests.presets, lead: 200)
    box.press(.start, at: 0)
    var now = Int64(200)
    while box.metronome.deadline == nil {
      now += 8
      box.press(.stepTempo(byMilliBPM: now % 16 == 0 ? 1_000 : -1_000), at: now)
    }
    box.press(.recallPreset(2), at: now)
    let before = box.metronome.timeline
    let room = box.metronome.deadline!
    box.metronome.catchUp(effective: room + .milliseconds(200), now: room)
    #expect(box.metronome.deadline == nil)
    let line = before.firstBeat(atOrAfter: room + .milliseconds(200))!
    let beats = (line.index...line.index + 20).map { box.metronome.timeline.knownBeat($0) }
    let first = beats.first { $0.position == 0 }!
    #expect(first == before.knownBeat(first.index))
    #expect(box.metronome.timeline.knownBeat(first.index + 7).instant - first.instant == .milliseconds(1_500))
    #expect(box.metronome.timeline.knownBeat(first.index + 7).position == 0)
  }
}
