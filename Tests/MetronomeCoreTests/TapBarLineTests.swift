import MetronomeCore
import Testing

/// Taps while a preset waits for its bar line, and taps that are undone. At 120 BPM, with the first beat at 24 ms, bars begin
/// at 24 and 2,024 ms.
@Suite struct TapBarLineTests {
  private static let presets = PresetList(("odd", 140, Signature(7, 8)), ("slow", 60, Signature(3, 4)))

  /// Taps count as quarters before the bar line, and as eighths after it. Arguments: the time in milliseconds of the first of
  /// three taps, 400 ms apart, and the resulting tempo and signature.
  @Test(arguments: [(800, "150 BPM 7/8"), (1_223, "150 BPM 7/8"), (1_224, "75 BPM 7/8")] as [(Int64, String)])
  func tapsCountInTheNoteValueBeingPlayed(first: Int64, expected: String) {
    var box = Box(presets: TapBarLineTests.presets)
    box.press(.start, at: 0)
    box.press(.recallPreset(1), at: 700)
    for tap in 0...2 as ClosedRange<Int64> { box.press(.tap, at: first + 400 * tap) }
    #expect(box.state == "playing \(expected)")
  }

  @Test func tappedTempoAppliesFromTheBarLine() {
    var box = Box(presets: TapBarLineTests.presets)
    box.press(.start, at: 0)
    box.press(.recallPreset(1), at: 100)
    for tap in [200, 600, 1_000] as [Int64] { box.press(.tap, at: tap) }
    #expect(box.beats(2...6) == "1024:0.2 1524:0.3 2024:1.0 2224:1.1 2424:1.2")
  }

  @Test func tapsBeforeTheFirstBeatUseTheInitialSignature() {
    var box = Box(presets: TapBarLineTests.presets, lead: 2_000)
    box.press(.start, at: 0)
    for tap in [200, 600, 1_000] as [Int64] { box.press(.tap, at: tap) }
    #expect(box.state == "playing 150 BPM 4/4")
  }

  @Test func undoneTapIsDiscarded() {
    var box = Box(90)
    for tap in [0, 500, 1_000, 1_650] as [Int64] { box.press(.tap, at: tap) }
    #expect(box.state == "stopped 110 BPM 4/4")
    box.undo(1_650, for: .tellTempo, at: 1_700)
    #expect(box.state == "stopped 120 BPM 4/4")
    box.press(.tap, at: 2_000)
    #expect(box.state == "stopped 120 BPM 4/4")
  }

  @Test func tapRunContinuesAfterAnUndoneStep() {
    var box = Box(90)
    for tap in [0, 500] as [Int64] { box.press(.tap, at: tap) }
    box.press(.stepTempo(byMilliBPM: 1_000), at: 600)
    box.undo(600, for: .tellTempo, at: 650)
    box.press(.tap, at: 1_000)
    #expect(box.state == "stopped 120 BPM 4/4")
  }

  /// A box whose timeline is full of uncommitted changes, and the current time in milliseconds. A beat lasts 7.5 ms, and a bar
  /// has four beats.
  private func boxWithFullTimeline() -> (box: Box, now: Int64) {
    var box = Box(999, Signature(4, 32), presets: TapBarLineTests.presets, lead: 200)
    box.press(.start, at: 0)
    var now = Int64(200)
    while box.metronome.deadline == nil {
      now += 8
      box.press(.stepTempo(byMilliBPM: now % 16 == 0 ? 1_000 : -1_000), at: now)
    }
    return (box, now)
  }

  /// The first beat of a bar at or after an instant.
  private func barLine(_ timeline: Timeline, after instant: Instant) -> Beat? {
    guard let next = timeline.firstBeat(atOrAfter: instant) else { return nil }
    return (next.index...next.index + 3).compactMap { timeline.beat($0) }.first { $0.position == 0 }
  }

  @Test func tapsDoNotMoveTheBarLineWhileTheTimelineIsFull() throws {
    var (box, now) = boxWithFullTimeline()
    box.press(.recallPreset(1), at: now)
    let before = box.metronome.timeline
    let room = box.metronome.deadline!.nanoseconds / 1_000_000 + 1
    for tap in 0...2 as ClosedRange<Int64> { box.press(.tap, at: room + 100 * tap) }
    // Thirty-second notes are playing, so the taps mean 75 quarters per minute; eighths at that tempo are 400 ms apart.
    #expect(box.state == "playing 75 BPM 7/8")
    let line = try #require(barLine(before, after: .zero + .milliseconds(room + 400)))
    let beats = (line.index - 4...line.index + 1).map { box.metronome.timeline.knownBeat($0) }
    #expect(beats.dropLast() == (line.index - 4...line.index).map { before.knownBeat($0) }[...])
    #expect(beats[5].instant - line.instant == .milliseconds(400))
  }

  @Test func pendingChangesStayPendingAfterAnUndoneStop() throws {
    var (box, now) = boxWithFullTimeline()
    box.press(.recallPreset(2), at: now)
    let before = box.metronome.timeline
    box.press(.stop, at: now + 1)
    box.undo(now + 1, for: .tellTempo, at: now + 2)
    if let room = box.metronome.deadline {
      box.metronome.catchUp(effective: room + .milliseconds(200), now: room)
    }
    let timeline = box.metronome.timeline
    let second = try #require(timeline.firstBeat(atOrAfter: .zero + .milliseconds(now + 1_000)))
    let first = try #require(timeline.beat(second.index - 1))
    #expect(second.position == 1 && second.instant - first.instant == .milliseconds(1_000))
    #expect(first == barLine(before, after: first.instant))
  }

  /// An undone recall does not delay a tempo step to the bar line. Tempo steps wait for timeline space, and a later recall
  /// waits for the bar line; after the recall is undone, the steps must not wait for the bar line.
  @Test func undoneRecallDoesNotDelayAStepToTheBarLine() {
    var (box, now) = boxWithFullTimeline()
    var alone = box
    box.press(.nextPreset, at: now + 1)
    box.undo(now + 1, for: .tellTempo, at: now + 2)
    let room = box.metronome.deadline!
    #expect(room == alone.metronome.deadline!)
    box.press(.setTempo(Tempo(bpm: 60)!), at: now + 3)
    alone.press(.setTempo(Tempo(bpm: 60)!), at: now + 3)
    box.metronome.catchUp(effective: room + .milliseconds(200), now: room)
    alone.metronome.catchUp(effective: room + .milliseconds(200), now: room)
    let isTheSame = box.metronome.timeline == alone.metronome.timeline
    #expect(isTheSame)
    #expect(box.metronome.deadline == nil)
  }
}
