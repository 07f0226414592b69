import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import TestSupport
import Testing

/// Each output is sent early by exactly its latency, with any settings and presses.
@Suite struct OutputLatencyTests {
  private static let latencies: [OutputLatencies] = [
    OutputLatencies(light: .microseconds(1_500), buzzer: .milliseconds(4)),
    OutputLatencies(light: .milliseconds(3), pendulum: .milliseconds(3), audio: .milliseconds(20)),
    OutputLatencies(light: .milliseconds(500), pendulum: Nanoseconds(1), buzzer: .milliseconds(37)),
    OutputLatencies(pendulum: .milliseconds(70), buzzer: .milliseconds(70), audio: .milliseconds(500)),
  ]
  private static let cases = Seeds.few(
    11, of: (0..<40).map { (UInt64($0), latencies[$0 % latencies.count], $0 >= 32) })

  /// Pulses that are too short to be cut by the next beat: whether a tempo change cuts a pulse would depend on the latency.
  private static let pattern = OutputPattern([
    .light: PerLevel(strong: .atMost(.milliseconds(2)), weak: .atMost(.milliseconds(1))),
    .buzzer: PerLevel(strong: .atMost(.microseconds(1_700)), weak: .atMost(.microseconds(700))),
  ])

  /// A change of an output.
  private struct Edge: Hashable, CustomStringConvertible {
    var time: Int64
    var isActive: Bool
    var description: String { "\(time) \(isActive ? "on" : "off")" }
  }

  private func edges(of output: OutputLine, _ bench: Bench) -> [Edge] {
    bench.trace.events.compactMap { event in
      guard case .line(output, let isActive) = event.what else { return nil }
      return Edge(time: event.time.count, isActive: isActive)
    }
  }

  /// The times from every start to the next stop or the end.
  private func sessions(_ bench: Bench) -> [Range<Int64>] {
    var sessions: [Range<Int64>] = []
    var start: Int64?
    for event in bench.trace.events {
      guard case .state(let state) = event.what else { continue }
      if state.isPlaying { start = start ?? event.time.count }
      if !state.isPlaying, let begun = start {
        sessions.append(begun..<event.time.count)
        start = nil
      }
    }
    if let start { sessions.append(start..<bench.trace.end!.count) }
    return sessions
  }

  @Test(arguments: cases)
  func everyEdgeIsEarlyByExactlyItsLatency(seed: UInt64, latencies: OutputLatencies, audio: Bool) {
    let run = RandomRun(seed: seed)
    let early = Bench(
      run.settings, audio: audio, pattern: OutputLatencyTests.pattern, script: run.script, latencies: latencies,
      gestures: RandomRun.gestures)
    let lead = early.simulation.engine.lead.current
    let plain = Bench(
      run.settings, audio: audio, pattern: OutputLatencyTests.pattern, script: run.script, lead: lead,
      gestures: RandomRun.gestures)
    early.ended(after: run.length)
    plain.ended(after: run.length)
    #expect(early.lines(per: Nanoseconds(1), [.state]) == plain.lines(per: Nanoseconds(1), [.state]))
    #expect(early.lines(per: Nanoseconds(1), [.incident]) == [])
    var compared = 0
    for output in OutputSet.standard {
      let latency = latencies[output].count
      let sent = edges(of: OutputLine(output), early).map { Edge(time: $0.time + latency, isActive: $0.isActive) }
      for session in sessions(plain) {
        let expected = edges(of: OutputLine(output), plain).filter { session.contains($0.time) }
        // An output sent early may show a beat that a stop cancels on the others.
        let actual = sent.filter { session.contains($0.time) && session.contains($0.time - latency) }
        #expect(actual == expected, "\(output) in \(session)")
        compared += expected.count
      }
    }
    #expect(compared > 0)
  }

  @Test(arguments: cases)
  func outputsMatchTheModel(seed: UInt64, latencies: OutputLatencies, audio: Bool) {
    let run = RandomRun(seed: seed)
    let bench = Bench(
      run.settings, audio: audio, pattern: OutputLatencyTests.pattern, script: run.script, latencies: latencies,
      gestures: RandomRun.gestures)
    bench.ended(after: run.length)
    let lead = bench.simulation.engine.lead.current.duration
    func beats(ahead: Nanoseconds) -> [Beat] {
      Model.beats(bench.trace.events, lead: lead, end: run.length, ahead: ahead)
    }
    for output in [Output.light, .buzzer] {
      let sent = beats(ahead: latencies[output]).map { $0.instant - .zero - latencies[output] }
      #expect(bench.rises(of: OutputLine(output)) == sent, "\(output)")
    }
    // A beat is reported once, with the output that is sent first.
    let most = max(latencies.light, latencies.pendulum, latencies.buzzer)
    let reported = beats(ahead: most)
    #expect(bench.beats.map(\.beat) == reported)
    #expect(bench.beats.map(\.time) == reported.map { $0.instant - .zero - most })
    #expect(bench.finalLevels == .inactive)
  }

  @Test(arguments: Seeds.few(4, of: 12)) func equalLatenciesOnlyLengthenTheLead(seed: UInt64) {
    let run = RandomRun(seed: seed)
    let all = Nanoseconds.milliseconds(5)
    let early = Bench(
      run.settings, script: run.script, latencies: OutputLatencies(light: all, pendulum: all, buzzer: all),
      gestures: RandomRun.gestures)
    let plain = Bench(run.settings, script: run.script, gestures: RandomRun.gestures).ended(after: run.length)
    early.ended(after: run.length)
    // The lead is longer by the common latency.
    #expect(
      early.lines(per: Nanoseconds(1), [.line, .incident]) == plain.lines(per: Nanoseconds(1), [.line, .incident]))
  }

  @Test(arguments: [
    (0, 0, 0, 24), (0, 1_000, 0, 24), (2_001, 1_000, 0, 24), (500_000, 0, 0, 501), (0, 22_001, 0, 24),
    (0, 23_001, 0, 25), (0, 0, 20, 24), (0, 0, 22, 25), (0, 0, 500_000, 524),
  ])
  func leadAllowsForTheSlowestOutput(light: Int64, buzzer: Int64, audio: Int64, milliseconds: Int64) {
    let format = AudioFormat(
      rate: 48_000, channels: 2, sampleFormat: .s16, periodFrames: 256, bufferFrames: 1_024)
    let latencies = OutputLatencies(
      light: .microseconds(light), buzzer: .microseconds(buzzer), audio: .microseconds(audio))
    #expect(Lead(format, latencies: latencies).duration == .milliseconds(milliseconds))
    let lines = (max(light, buzzer) + 999) / 1_000 + 1
    #expect(Lead(nil, latencies: latencies).duration == .milliseconds(lines))
  }

  @Test(arguments: [1, 20, 400]) func firstBeatIsNeverLate(latency: Int64) {
    for microsecond in stride(from: Int64(0), to: 2_000, by: 90) {
      var script = Script()
      script.press(.play, at: .microseconds(1_000_000 + microsecond))
      let latencies = OutputLatencies(buzzer: .milliseconds(latency))
      let bench = Bench(script: script, latencies: latencies).ended(after: .milliseconds(1_900))
      let first = Nanoseconds.microseconds(1_000_000 + microsecond) + .milliseconds(latency + 1)
      #expect(bench.rises(of: .light).first == first)
      #expect(bench.rises(of: .buzzer).first == first - .milliseconds(latency))
    }
  }
}
