import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// The outputs after an undone stop, which begins a new session whose first beat is not beat 0.
@Suite struct ResumedSessionTests {
  private func ms(_ count: Int64) -> Instant { .zero + .milliseconds(count) }

  @Test func linesResumeAtTheCurrentBeat() {
    let (lines, events, publication) = (RecordingLines(), RecordingObserver(), TimelinePublication())
    let loop = BeatLoop(
      lines: lines, publication: publication, observer: events)
    let timeline = Timeline(session: 1, firstBeat: .zero, tempo: .initial, signature: .initial)
    publication.publish(timeline)
    _ = loop.step(at: .zero)
    publication.publish(.stopped)
    #expect(loop.step(at: ms(10)) == nil)
    publication.publish(timeline.resumed(as: 2, from: ms(2_024)))
    #expect(loop.step(at: ms(2_000)) == ms(2_500))
    #expect(lines.calls.last == .inactive)
    _ = loop.step(at: ms(2_500))
    #expect(events.reports == ["beat 0", "beat 5"])
    // Beat 5 is odd.
    #expect(lines.calls.last == [.light, .buzzer, .pendulum])
    _ = loop.step(at: ms(3_500))
    #expect(events.reports == ["beat 0", "beat 5", "skipped 1", "beat 7"])
  }

  /// Only the beats during the stop are missing: otherwise lights and sound are the same as without a stop.
  @Test(arguments: [1_090, 1_100, 1_170, 1_499, 1_501, 1_777, 2_300, 9_876] as [Int64])
  func onlyTheBeatsDuringTheStopAreMissing(moment: Int64) {
    let bench = Bench(audio: true)
    let simulation = bench.simulation
    simulation.perform(.start)
    simulation.run(until: ms(1_077))
    let timeline = simulation.engine.control.timeline
    simulation.perform(.stop)
    simulation.run(until: ms(moment))
    let effective = ms(moment) + simulation.engine.lead.current.duration
    simulation.engine.publication.publish(timeline.resumed(as: timeline.session + 1, from: effective))
    simulation.engine.waker.probe()
    simulation.run(until: ms(12_000))
    let uninterrupted = (0..<24 as Range<Int64>).map(timeline.knownBeat)
    let expected = uninterrupted.filter { $0.instant < ms(1_077) || $0.instant >= effective }
    #expect(bench.beats.map(\.beat) == expected)
    #expect(bench.beats.map(\.time) == expected.map { $0.instant - .zero })
    #expect(bench.rises(of: .light) == bench.beats.map(\.time))
    #expect(bench.clicks.count == expected.count)
    #expect(bench.clicksBesideBeats == [])
    #expect(bench.lines(per: Nanoseconds(1), [.incident]) == [])
    simulation.finish()
  }
}
