import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// The beat loop, stepped by the test, with lines that record every call.
@Suite struct BeatLoopTests {
  private let lines = RecordingLines()
  private let events = RecordingObserver()
  private let publication = TimelinePublication()
  private let loop: BeatLoop<RecordingLines, RecordingObserver>

  init() {
    loop = BeatLoop(lines: lines, publication: publication, observer: events)
  }

  private func ms(_ count: Int64) -> Instant { .zero + .milliseconds(count) }

  private func play(_ bpm: Int = 120, over denominator: Int = 4, session: UInt32 = 1, from first: Instant = .zero) {
    publication.publish(
      Timeline(
        session: session, firstBeat: first, tempo: Tempo(bpm: bpm)!,
        signature: Signature(4, over: denominator, limit: .denominator)!))
  }

  @Test func stoppedLoopHasNoDeadlineAndSetsNoLines() {
    #expect(loop.step(at: .zero) == nil)
    #expect(loop.step(at: ms(1_000)) == nil)
    #expect(lines.calls.isEmpty)
  }

  @Test func rehearsalIsNeitherShownNorReported() {
    loop.rehearse()
    #expect(lines.calls.allSatisfy { $0 == .inactive } && !lines.calls.isEmpty)
    #expect(events.reports.isEmpty)
    lines.calls = []
    play()
    var now = Instant.zero
    while now <= ms(500), let next = loop.step(at: now) { now = next }
    #expect(lines.calls == [[.light, .buzzer], [.light], [], [.light, .buzzer, .pendulum]])
    #expect(events.reports == ["beat 0", "beat 1"])
  }

  @Test func failedRehearsalIsNotReported() {
    lines.failure = HardwareError(.setLines, .other, errno: 5)
    loop.rehearse()
    #expect(events.reports.isEmpty)
  }

  @Test func everyEdgeHasADeadlineAndOneCall() {
    play()
    var deadlines: [Int64] = []
    var now = Instant.zero
    while now <= ms(1_000), let next = loop.step(at: now) {
      deadlines.append(next.nanoseconds / 1_000_000)
      now = next
    }
    #expect(deadlines == [40, 100, 500, 520, 550, 1_000, 1_020])
    #expect(
      lines.calls == [
        [.light, .buzzer], [.light], [], [.light, .buzzer, .pendulum], [.light, .pendulum], [.pendulum],
        [.light, .buzzer],
      ])
  }

  @Test func earlyStepDoesNothingAndKeepsTheDeadline() {
    play(from: ms(10))
    #expect(loop.step(at: .zero) == ms(10))
    #expect(loop.step(at: ms(9)) == ms(10))
    #expect(lines.calls.isEmpty)
    #expect(loop.step(at: ms(10)) == ms(50))
    #expect(loop.step(at: ms(30)) == ms(50))
    #expect(lines.calls.count == 1)
  }

  @Test func stopSwitchesOffAtOnceAndCancelsDeadlines() {
    play()
    _ = loop.step(at: .zero)
    publication.publish(.stopped)
    #expect(loop.step(at: ms(5)) == nil)
    #expect(lines.calls.last == .inactive)
    #expect(loop.step(at: ms(500)) == nil)
    #expect(lines.calls.count == 2)
  }

  @Test func newSessionBeginsWithItsFirstBeat() {
    play()
    _ = loop.step(at: .zero)
    play(session: 2, from: ms(20))
    #expect(loop.step(at: ms(10)) == ms(20))
    #expect(lines.calls.last == .inactive)
    _ = loop.step(at: ms(20))
    #expect(events.reports == ["beat 0", "beat 0"])
  }

  @Test func pulsesNeverLastLongerThanHalfABeat() {
    play(999, over: 32)
    let half = Nanoseconds(240_000_000_000_000 / (999_000 * 32)) / 2
    #expect(loop.step(at: .zero) == Instant.zero + half)
    _ = loop.step(at: .zero + half)
    #expect(lines.calls == [[.light, .buzzer], []])
  }

  @Test func beatsMoreThanHalfABeatLateAreSkipped() {
    play()
    _ = loop.step(at: .zero)
    _ = loop.step(at: ms(750))
    #expect(events.reports == ["beat 0", "beat 1"])
    _ = loop.step(at: ms(1_251))
    #expect(events.reports == ["beat 0", "beat 1", "skipped 1"])
    #expect(lines.calls.last == .inactive)
    #expect(loop.step(at: ms(1_300)) == ms(1_500))
    _ = loop.step(at: ms(10_000))
    #expect(events.reports.suffix(2) == ["skipped 17", "beat 20"])
  }

  @Test func lateBeatHasARisingEdge() {
    play()
    _ = loop.step(at: .zero)
    lines.calls = []
    _ = loop.step(at: ms(600))
    #expect(lines.calls == [[], [.light, .buzzer, .pendulum]])
    #expect(loop.step(at: ms(600)) == ms(620))
    #expect(loop.step(at: ms(620)) == ms(650))
  }

  @Test func linesAreSetBeforeABeatIsReported() {
    play()
    var reported: [Int] = []
    lines.willSet = { [events] in reported.append(events.reports.count) }
    var now = Instant.zero
    while now <= ms(500), let next = loop.step(at: now) { now = next }
    #expect(reported == [0, 1, 1, 1])
    #expect(events.reports == ["beat 0", "beat 1"])
  }

  @Test(arguments: [0, 1, 999, 1_000, 1_001, 9_999])
  func lateStepsSetTheSameLevelsAsOnTime(microseconds: Int64) {
    play()
    _ = loop.step(at: .zero)
    let late = Nanoseconds.microseconds(microseconds)
    for deadline in [40, 100, 500, 520, 550] { _ = loop.step(at: ms(Int64(deadline)) + late) }
    #expect(
      lines.calls == [
        [.light, .buzzer], [.light], [], [.light, .buzzer, .pendulum], [.light, .pendulum], [.pendulum],
      ])
  }

  @Test func stopBeforeTheDeadlineCancelsThePreparedBeat() {
    play(from: ms(10))
    #expect(loop.step(at: .zero) == ms(10))
    publication.publish(.stopped)
    #expect(loop.step(at: ms(10)) == nil)
    #expect(lines.calls.isEmpty && events.reports.isEmpty)
  }

  @Test func stopDuringTheCallBelongsToTheNextStep() {
    play(from: ms(10))
    _ = loop.step(at: .zero)
    lines.willSet = { [publication] in publication.publish(.stopped) }
    #expect(loop.step(at: ms(10)) == ms(50))
    #expect(lines.calls == [[.light, .buzzer]])
    #expect(events.reports == ["beat 0"])
    lines.willSet = {}
    #expect(loop.step(at: ms(11)) == nil)
    #expect(lines.calls == [[.light, .buzzer], []])
  }

  @Test func failedEdgeIsTriedOnceInAStep() {
    play(from: ms(10))
    _ = loop.step(at: .zero)
    var calls = 0
    lines.willSet = { calls += 1 }
    lines.failure = HardwareError(.setLines, .other, errno: 5)
    #expect(loop.step(at: ms(10)) == ms(50))
    #expect(calls == 1)
    #expect(events.reports == ["setLines failed", "beat 0"])
    lines.failure = nil
    #expect(loop.step(at: ms(50)) == ms(110))
    #expect(lines.calls == [[.light]])
  }

  @Test func lengthenedBeatDoesNotFlashTwice() {
    play(300)
    _ = loop.step(at: .zero)
    _ = loop.step(at: ms(40))
    _ = loop.step(at: ms(100))
    let calls = lines.calls.count
    let timeline = Timeline(session: 1, firstBeat: .zero, tempo: Tempo(bpm: 300)!, signature: .initial)
    publication.publish(timeline.changed(to: Tempo(bpm: 10)!, .initial, from: ms(101), now: ms(100)))
    #expect(loop.step(at: ms(100))! > ms(3_000))
    #expect(lines.calls.count == calls)
  }

  @Test func pulseIsCutWhenTheNextBeatMovesCloser() {
    play(30)
    _ = loop.step(at: .zero)
    let timeline = Timeline(session: 1, firstBeat: .zero, tempo: Tempo(bpm: 30)!, signature: .initial)
    let short = Signature(4, over: 32, limit: .denominator)!
    publication.publish(timeline.changed(to: Tempo(bpm: 600)!, short, from: ms(11), now: ms(10)))
    // 1,989 of 2,000 ms remain, which become 12.43 ms. The next beat is at 23.43 ms, and half of the beat is 11.7 ms.
    let next = loop.step(at: ms(10))!
    #expect(next.nanoseconds / 1_000 == 11_715)
    _ = loop.step(at: next)
    #expect(lines.calls.last == .inactive)
  }

  @Test func failedSwitchOffIsRetried() {
    play()
    _ = loop.step(at: .zero)
    publication.publish(.stopped)
    lines.failure = HardwareError(.setLines, .other, errno: 5)
    #expect(loop.step(at: ms(5)) == ms(105))
    #expect(loop.step(at: ms(105)) == ms(205))
    lines.failure = nil
    #expect(loop.step(at: ms(205)) == nil)
    #expect(lines.calls.last == .inactive)
  }

  @Test func failedCallIsReportedAndRetriedAtTheNextEdge() {
    play()
    lines.failure = HardwareError(.setLines, .other, errno: 5)
    #expect(loop.step(at: .zero) == ms(40))
    #expect(events.reports == ["setLines failed", "beat 0"])
    lines.failure = nil
    #expect(loop.step(at: ms(40)) == ms(100))
    #expect(lines.calls == [[.light]])
  }
}
