import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// The exact deadlines of the beat loop: only deadlines at which a beat changes lines are exact.
@Suite struct ExactDeadlineTests {
  private let lines = RecordingLines()
  private let publication = TimelinePublication()
  private let plan = OutputPlan()
  private let blinkCodes = Publication(BlinkCode?.none)

  private func loop() -> BeatLoop<RecordingLines, RecordingObserver> {
    BeatLoop(
      lines: lines, publication: publication, plan: plan, blinkCodes: blinkCodes,
      observer: RecordingObserver())
  }

  private func play(from first: Instant = .zero) {
    publication.publish(
      Timeline(
        session: 1, firstBeat: first, tempo: Tempo(bpm: 120)!, signature: Signature(4, over: 4, limit: .denominator)!))
  }

  private func ms(_ count: Int64) -> Instant { .zero + .milliseconds(count) }

  /// Steps the loop at `start` and then at each deadline. Returns the deadlines in milliseconds, exact ones marked with "!".
  private func deadlines(
    of loop: BeatLoop<RecordingLines, RecordingObserver>, from start: Int64 = 0, until end: Int64
  ) -> [String] {
    var deadlines: [String] = []
    var now = ms(start)
    while let next = loop.step(at: now), next <= ms(end) {
      deadlines.append("\(next.nanoseconds / 1_000_000)\(loop.isExact ? "!" : "")")
      now = next
    }
    return deadlines
  }

  @Test func stoppedLoopHasNoExactDeadline() {
    let loop = loop()
    _ = loop.step(at: .zero)
    #expect(!loop.isExact)
    play()
    _ = loop.step(at: .zero)
    #expect(loop.isExact)
    publication.publish(.stopped)
    _ = loop.step(at: ms(5))
    #expect(!loop.isExact)
  }

  @Test func everyEdgeOfABeatIsExact() {
    play(from: ms(3))
    #expect(deadlines(of: loop(), until: 503) == ["3!", "43!", "103!", "503!"])
  }

  @Test func mutedPulsesHaveNoDeadline() {
    plan.publish(Projections(muted: [.buzzer]))
    play()
    let loop = loop()
    #expect(deadlines(of: loop, until: 499) == ["100!"])
    plan.publish(Projections())
    #expect(deadlines(of: loop, from: 200, until: 520) == ["500!", "520!"])
  }

  @Test func mutedOutputDeadlinesAreNotExact() {
    plan.publish(Projections(latencies: OutputLatencies(buzzer: .milliseconds(10))))
    play(from: ms(20))
    let loop = loop()
    #expect(deadlines(of: loop, until: 519) == ["10!", "20!", "50!", "120!", "510!"])
    plan.mute([.buzzer, .audio])
    #expect(deadlines(of: loop, from: 520, until: 1_020) == ["570!", "1010", "1020!"])
  }

  @Test func blinkCodeDeadlinesAreExactOnlyWithABeat() {
    play()
    let loop = loop()
    blinkCodes.publish(BlinkCode(.tempo(Tempo(bpm: 120)!), from: ms(150)))
    #expect(deadlines(of: loop, until: 550) == ["40!", "100!", "150", "450", "500!", "550"])
  }

  @Test func retryAfterAFailureIsNotExact() {
    play()
    let loop = loop()
    lines.failure = HardwareError(.setLines, .other, errno: 5)
    #expect(loop.step(at: .zero) == ms(40))
    #expect(loop.isExact)
    _ = loop.step(at: ms(40))
    _ = loop.step(at: ms(100))
    #expect(loop.step(at: ms(120)) == ms(220))
    #expect(!loop.isExact)
  }
}
