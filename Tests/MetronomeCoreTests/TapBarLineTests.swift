import MetronomeCore
import Testing

/// Taps while a preset waits for its bar line, and taps that are taken back. At 120 BPM from 24 ms on bars begin at 24 and
/// 2,024 ms.
@Suite struct TapBarLineTests {
  private static let presets = PresetList(("odd", 140, Signature(7, 8)), ("slow", 60, Signature(3, 4)))

  /// The first of three taps, 400 ms apart, and what they say: quarters are heard before the bar line, eighths after it.
  @Test(arguments: [(800, "150 BPM 7/8"), (1_223, "150 BPM 7/8"), (1_224, "75 BPM 7/8")] as [(Int64, String)])
  func tappedIsWhatIsHeard(first: Int64, says: String) {
    var box = Box(presets: TapBarLineTests.presets)
    box.press(.start, at: 0)
    box.press(.recallPreset(1), at: 700)
    for tap in 0...2 as ClosedRange<Int64> { box.press(.tap, at: first + 400 * tap) }
    #expect(box.state == "playing \(says)")
  }

  @Test func fromTheBarLineOnItIsTheTempoTapped() {
    var box = Box(presets: TapBarLineTests.presets)
    box.press(.start, at: 0)
    box.press(.recallPreset(1), at: 100)
    for tap in [200, 600, 1_000] as [Int64] { box.press(.tap, at: tap) }
    #expect(box.beats(2...6) == "1024:0.2 1524:0.3 2024:1.0 2224:1.1 2424:1.2")
  }

  @Test func beforeTheFirstBeatItIsTheFirstSignature() {
    var box = Box(presets: TapBarLineTests.presets, lead: 2_000)
    box.press(.start, at: 0)
    for tap in [200, 600, 1_000] as [Int64] { box.press(.tap, at: tap) }
    #expect(box.state == "playing 150 BPM 4/4")
  }

  @Test func aTapTakenBackIsForgotten() {
    var box = Box(90)
    for tap in [0, 500, 1_000, 1_650] as [Int64] { box.press(.tap, at: tap) }
    #expect(box.state == "stopped 110 BPM 4/4")
    box.takeBack(1_650, for: .tellTempo, at: 1_700)
    #expect(box.state == "stopped 120 BPM 4/4")
    box.press(.tap, at: 2_000)
    #expect(box.state == "stopped 120 BPM 4/4")
  }

  @Test func theRunGoesOnAfterAStepThatIsTakenBack() {
    var box = Box(90)
    for tap in [0, 500] as [Int64] { box.press(.tap, at: tap) }
    box.press(.stepTempo(byMilliBPM: 1_000), at: 600)
    box.takeBack(600, for: .tellTempo, at: 650)
    box.press(.tap, at: 1_000)
    #expect(box.state == "stopped 120 BPM 4/4")
  }

  /// A timeline full of changes that are not committed, and now: beats every 7.5 ms, of which four make a bar.
  private func full() -> (box: Box, now: Int64) {
    var box = Box(999, Signature(4, 32), presets: TapBarLineTests.presets, lead: 200)
    box.press(.start, at: 0)
    var now = Int64(200)
    while box.metronome.deadline == nil {
      now += 8
      box.press(.stepTempo(byMilliBPM: now % 16 == 0 ? 1_000 : -1_000), at: now)
    }
    return (box, now)
  }

  /// The first beat of a bar from an instant on.
  private func barLine(_ timeline: Timeline, after instant: Instant) -> Beat? {
    guard let next = timeline.firstBeat(atOrAfter: instant) else { return nil }
    return (next.index...next.index + 3).compactMap { timeline.beat($0) }.first { $0.position == 0 }
  }

  @Test func withoutRoomTapsLeaveTheBarLineWhereItIs() throws {
    var (box, now) = full()
    box.press(.recallPreset(1), at: now)
    let before = box.metronome.timeline
    let room = box.metronome.deadline!.nanoseconds / 1_000_000 + 1
    for tap in 0...2 as ClosedRange<Int64> { box.press(.tap, at: room + 100 * tap) }
    // Thirty-seconds are heard, of which the taps are 75 quarters in a minute; the eighths of that are 400 ms apart.
    #expect(box.state == "playing 75 BPM 7/8")
    let line = try #require(barLine(before, after: .zero + .milliseconds(room + 400)))
    let beats = (line.index - 4...line.index + 1).map { box.metronome.timeline.knownBeat($0) }
    #expect(beats.dropLast() == (line.index - 4...line.index).map { before.knownBeat($0) }[...])
    #expect(beats[5].instant - line.instant == .milliseconds(400))
  }

  @Test func whatWaitedForRoomAndTheBarLineWaitsOnAfterAStop() throws {
    var (box, now) = full()
    box.press(.recallPreset(2), at: now)
    let before = box.metronome.timeline
    box.press(.stop, at: now + 1)
    box.takeBack(now + 1, for: .tellTempo, at: now + 2)
    if let room = box.metronome.deadline {
      box.metronome.catchUp(effective: room + .milliseconds(200), now: room)
    }
    let timeline = box.metronome.timeline
    let second = try #require(timeline.firstBeat(atOrAfter: .zero + .milliseconds(now + 1_000)))
    let first = try #require(timeline.beat(second.index - 1))
    #expect(second.position == 1 && second.instant - first.instant == .milliseconds(1_000))
    #expect(first == barLine(before, after: first.instant))
  }

  /// A step waits for room, and a preset after it for the bar line; without the preset the step is not to wait for that.
  @Test func whatDidNotWaitForTheBarLineDoesNotAfterARecall() {
    var (box, now) = full()
    var alone = box
    box.press(.nextPreset, at: now + 1)
    box.takeBack(now + 1, for: .tellTempo, at: now + 2)
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
