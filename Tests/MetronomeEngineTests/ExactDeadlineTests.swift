import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// For which deadlines it is worth watching the clock: those at which a beat changes lines, and no others.
@Suite struct ExactDeadlineTests {
  private let lines = NotedLines()
  private let publication = TimelinePublication()
  private let plan = OutputPlan()
  private let signals = Publication(BlinkCode.none)

  private func loop() -> BeatLoop<NotedLines, NotedEvents> {
    BeatLoop(
      lines: lines, publication: publication, plan: plan, signals: signals,
      observer: NotedEvents())
  }

  private func play(from first: Instant = .zero) {
    publication.publish(
      Timeline(
        session: 1, firstBeat: first, tempo: Tempo(bpm: 120)!, signature: Signature(4, over: 4, limit: .denominator)!))
  }

  private func ms(_ count: Int64) -> Instant { .zero + .milliseconds(count) }

  /// What the loop asks for when it is called at an instant and then as it asks, in milliseconds, each with a ! if it is
  /// exact.
  private func deadlines(
    of loop: BeatLoop<NotedLines, NotedEvents>, from start: Int64 = 0, until end: Int64
  ) -> [String] {
    var deadlines: [String] = []
    var now = ms(start)
    while let next = loop.step(at: now), next <= ms(end) {
      deadlines.append("\(next.nanoseconds / 1_000_000)\(loop.isExact ? "!" : "")")
      now = next
    }
    return deadlines
  }

  @Test func whileStoppedThereIsNone() {
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

  @Test func everyEdgeOfABeatIsExactFromTheFirstOn() {
    play(from: ms(3))
    #expect(deadlines(of: loop(), until: 503) == ["3!", "43!", "103!", "503!"])
  }

  @Test func whatIsMutedIsNotWaitedFor() {
    plan.publish(Projections(muted: [.buzzer]))
    play()
    let loop = loop()
    #expect(deadlines(of: loop, until: 499) == ["100!"])
    plan.publish(Projections())
    #expect(deadlines(of: loop, from: 200, until: 520) == ["500!", "520!"])
  }

  @Test func aTrackOfWhichNothingIsSeenIsLookedAtWithoutHurry() {
    plan.publish(Projections(latencies: OutputLatencies(buzzer: .milliseconds(10))))
    play(from: ms(20))
    let loop = loop()
    #expect(deadlines(of: loop, until: 519) == ["10!", "20!", "50!", "120!", "510!"])
    plan.mute([.buzzer, .audio])
    #expect(deadlines(of: loop, from: 520, until: 1_020) == ["570!", "1010", "1020!"])
  }

  @Test func aSignalIsToldByTheTimerUnlessABeatFallsTogetherWithIt() {
    play()
    let loop = loop()
    signals.publish(BlinkCode(.tempo(Tempo(bpm: 120)!), from: ms(150)))
    #expect(deadlines(of: loop, until: 550) == ["40!", "100!", "150", "450", "500!", "550"])
  }

  @Test func anAttemptAfterARefusalHasNoHurry() {
    play()
    let loop = loop()
    lines.failure = HardwareError(.setLines, errno: 5)
    #expect(loop.step(at: .zero) == ms(40))
    #expect(loop.isExact)
    _ = loop.step(at: ms(40))
    _ = loop.step(at: ms(100))
    #expect(loop.step(at: ms(120)) == ms(220))
    #expect(!loop.isExact)
  }
}
