import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// The beat loop with outputs of different latencies and with muted outputs, stepped by the test.
@Suite struct OutputPlanTests {
  private let lines = RecordingLines()
  private let events = RecordingObserver()
  private let publication = TimelinePublication()
  private let plan = OutputPlan()
  private let loop: BeatLoop<RecordingLines, RecordingObserver>

  init() {
    loop = BeatLoop(
      lines: lines, publication: publication, plan: plan, observer: events)
  }

  private func ms(_ count: Int64) -> Instant { .zero + .milliseconds(count) }

  private func play(_ bpm: Int = 120, session: UInt32 = 1, from first: Int64 = 1_000) {
    publication.publish(
      Timeline(session: session, firstBeat: ms(first), tempo: Tempo(bpm: bpm)!, signature: .initial))
  }

  private func publishPlan(light: Int64 = 0, pendulum: Int64 = 0, buzzer: Int64 = 0, muted: OutputSet = .none) {
    plan.publish(
      Projections(
        latencies: OutputLatencies(
          light: .milliseconds(light), pendulum: .milliseconds(pendulum), buzzer: .milliseconds(buzzer)),
        muted: muted))
  }

  /// Steps at every deadline from `start` until before `end`. Returns one line per call: milliseconds and levels.
  private func calls(from start: Int64, to end: Int64) -> [String] {
    var calls: [String] = []
    var now = ms(start)
    while now < ms(end) {
      let before = lines.calls.count
      let next = loop.step(at: now)
      for levels in lines.calls[before...] { calls.append("\(now.nanoseconds / 1_000_000) \(text(levels))") }
      guard let next else { break }
      now = next
    }
    return calls
  }

  private func text(_ levels: LineSet) -> String {
    [("L", OutputLine.light), ("P", .pendulum), ("B", .buzzer)].map { levels.contains($0.1) ? $0.0 : "-" }.joined()
  }

  @Test func eachOutputIsSentEarlyByItsLatency() {
    publishPlan(light: 2, buzzer: 30)
    play()
    expect(
      calls(from: 0, to: 2_000),
      """
      970 --B
      998 L-B
      1010 L--
      1098 ---
      1470 --B
      1490 ---
      1498 L--
      1500 LP-
      1548 -P-
      1970 -PB
      1990 -P-
      1998 LP-
      """)
    #expect(events.reports == ["beat 0", "beat 1", "beat 2"])
  }

  /// Simultaneous changes share a call. The buzzer's pulse lasts 40 ms on the first beat and 20 ms on other beats: with a
  /// latency of that length the pulse ends when the light begins.
  @Test func simultaneousChangesShareACall() {
    publishPlan(buzzer: 40)
    play()
    #expect(calls(from: 0, to: 1_050) == ["960 --B", "1000 L--"])
    publishPlan(buzzer: 20)
    #expect(calls(from: 1_050, to: 1_505) == ["1100 ---", "1480 --B", "1500 LP-"])
  }

  @Test func outputsOfEqualLatencyShareDeadlinesAndCalls() {
    publishPlan(light: 7, pendulum: 7, buzzer: 7)
    play()
    var deadlines: [Int64] = []
    var now = Instant.zero
    while now < ms(1_990), let next = loop.step(at: now) {
      now = next
      deadlines.append(now.nanoseconds / 1_000_000)
    }
    #expect(deadlines == [993, 1_033, 1_093, 1_493, 1_513, 1_543, 1_993])
    #expect(
      lines.calls == [
        [.light, .buzzer], [.light], [], [.light, .buzzer, .pendulum], [.light, .pendulum], [.pendulum],
      ])
  }

  @Test func stopSwitchesAllOffAtOnce() {
    publishPlan(light: 2, buzzer: 30)
    play()
    #expect(calls(from: 0, to: 1_005) == ["970 --B", "998 L-B"])
    publication.publish(.stopped)
    #expect(loop.step(at: ms(1_005)) == nil)
    #expect(lines.calls.last == .inactive)
    play(session: 2, from: 1_040)
    #expect(calls(from: 1_006, to: 1_041) == ["1010 --B", "1038 L-B"])
    #expect(events.reports == ["beat 0", "beat 0"])
  }

  @Test func lateBeatHasARisingEdgeOnEveryOutput() {
    publishPlan(light: 2, buzzer: 30)
    play()
    _ = calls(from: 0, to: 1_005)
    lines.calls = []
    // The buzzer's second beat is 50 ms late, and the light's second beat 22 ms.
    let next = loop.step(at: ms(1_520))
    #expect(lines.calls == [[], [.light, .buzzer, .pendulum]])
    #expect(next == ms(1_540))
    #expect(events.reports == ["beat 0", "beat 1"])
  }

  @Test func pulseThatHasNotEndedEndsBeforeALateBeat() {
    publishPlan(buzzer: 100)
    play()
    #expect(calls(from: 0, to: 1_050) == ["900 --B", "940 ---", "1000 L--"])
    lines.calls = []
    // The light is still on from its first pulse, because the loop was not stepped.
    _ = loop.step(at: ms(1_650))
    #expect(lines.calls == [[], [.light, .buzzer, .pendulum]])
  }

  @Test func skippedBeatIsCountedOnce() {
    publishPlan(buzzer: 400)
    play()
    _ = calls(from: 0, to: 1_050)
    #expect(events.reports == ["beat 0"])
    // The buzzer runs 400 ms ahead, at 1,760. Beat 1 is over half a beat late and skipped. The light at 1,360 is on beat 0.
    _ = loop.step(at: ms(1_360))
    #expect(events.reports == ["beat 0", "skipped 1"])
    // The light shows the beat that the buzzer skipped.
    _ = loop.step(at: ms(1_500))
    #expect(events.reports == ["beat 0", "skipped 1", "beat 1"])
    // After a long stall: the light is at 9,800 and skips beats 2 to 17; the buzzer is at 10,200, skips up to 17, and shows 18.
    _ = loop.step(at: ms(9_800))
    #expect(events.reports == ["beat 0", "skipped 1", "beat 1", "skipped 16", "beat 18"])
  }

  @Test func beatsBegunByTwoOutputsInOneStepAreBothReported() {
    publishPlan(light: 500)
    play()
    _ = calls(from: 0, to: 1_050)
    #expect(events.reports == ["beat 0", "beat 1"])
    // The loop is 510 ms late. The light skips beat 2 and begins beat 3; the buzzer begins beat 2.
    _ = loop.step(at: ms(2_010))
    #expect(events.reports == ["beat 0", "beat 1", "skipped 1", "beat 2", "beat 3"])
  }

  @Test func failedCallIsRetriedForAllOutputs() {
    publishPlan(light: 2, buzzer: 30)
    play()
    lines.failure = HardwareError(.setLines, .other, errno: 5)
    #expect(loop.step(at: ms(970)) == ms(998))
    #expect(events.reports == ["setLines failed", "beat 0"])
    lines.failure = nil
    #expect(loop.step(at: ms(998)) == ms(1_000))
    #expect(lines.calls == [[.light, .buzzer]])
  }

  @Test func latencyChangesApplyWhilePlaying() {
    play()
    _ = calls(from: 0, to: 1_200)
    publishPlan(light: 3)
    #expect(calls(from: 1_200, to: 1_510) == ["1497 L--", "1500 LPB"])
    // Reset in mid-pulse: no beat is repeated, and the pulse ends at its new time.
    publishPlan()
    #expect(calls(from: 1_510, to: 2_001) == ["1520 LP-", "1550 -P-", "2000 L-B"])
    // Reset after the early beat and before its unshifted time: the beat is not repeated.
    publishPlan(light: 10)
    #expect(calls(from: 2_001, to: 2_495) == ["2020 L--", "2040 ---", "2490 L--"])
    publishPlan()
    #expect(calls(from: 2_495, to: 2_501) == ["2500 LPB"])
    #expect(events.reports == ["beat 0", "beat 1", "beat 2", "beat 3"])
  }

  @Test func mutedOutputReturnsWithItsNextBeat() {
    play()
    #expect(calls(from: 0, to: 1_020) == ["1000 L-B"])
    publishPlan(muted: [.buzzer, .pendulum])
    #expect(calls(from: 1_020, to: 1_510) == ["1020 L--", "1100 ---", "1500 L--"])
    publishPlan(muted: [.light])
    #expect(calls(from: 1_510, to: 2_001) == ["1510 ---", "2000 --B"])
    publishPlan()
    #expect(calls(from: 2_001, to: 2_501) == ["2020 ---", "2500 LPB"])
  }

  @Test func mutingKeepsTheLatencies() {
    let latencies = OutputLatencies(
      light: Nanoseconds(1), pendulum: Nanoseconds(2), buzzer: Nanoseconds(3), audio: OutputLatencies.longest)
    let before = plan.generation
    plan.publish(Projections(latencies: latencies))
    plan.mute([.pendulum, .audio])
    #expect(plan.generation == before + 2)
    #expect(plan.newest.latencies == latencies)
    #expect(plan.newest.mutedLines == [.pendulum])
    #expect(plan.newest == Projections(latencies: latencies, muted: [.pendulum, .audio]))
  }
}
