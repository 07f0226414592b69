import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import TestSupport
import Testing

/// Outputs that are late are sent early, by exactly as much, whatever is played.
@Suite struct LatencyTests {
  private static let latencies: [OutputLatencies] = [
    OutputLatencies(light: .microseconds(1_500), buzzer: .milliseconds(4)),
    OutputLatencies(light: .milliseconds(3), pendulum: .milliseconds(3), audio: .milliseconds(20)),
    OutputLatencies(light: .milliseconds(500), pendulum: Nanoseconds(1), buzzer: .milliseconds(37)),
    OutputLatencies(pendulum: .milliseconds(70), buzzer: .milliseconds(70), audio: .milliseconds(500)),
  ]
  private static let lives = Seeds.few(
    11, of: (0..<40).map { (UInt64($0), latencies[$0 % latencies.count], $0 >= 32) })

  /// Pulses so short that no pace cuts them: what a change of tempo cuts depends on when it comes, and so on the latency.
  private static let pattern = OutputPattern([
    .light: PerLevel(strong: .atMost(.milliseconds(2)), weak: .atMost(.milliseconds(1))),
    .buzzer: PerLevel(strong: .atMost(.microseconds(1_700)), weak: .atMost(.microseconds(700))),
  ])

  /// When an output changes, and to what.
  private struct Edge: Hashable, CustomStringConvertible {
    var time: Int64
    var isActive: Bool
    var description: String { "\(time) \(isActive ? "on" : "off")" }
  }

  private func edges(of output: Output, _ bench: Bench) -> [Edge] {
    bench.trace.events.compactMap { event in
      guard case .line(output, let isActive) = event.what else { return nil }
      return Edge(time: event.time.count, isActive: isActive)
    }
  }

  /// From every start to the stop after it, or to the end.
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

  @Test(arguments: lives)
  func everyEdgeLiesExactlyItsLatencyEarlier(seed: UInt64, latencies: OutputLatencies, sound: Bool) {
    let life = Life(seed: seed)
    let early = Bench(
      life.settings, sound: sound, pattern: LatencyTests.pattern, script: life.script, latencies: latencies,
      gestures: Life.gestures)
    let lead = early.simulation.engine.lead.current
    let plain = Bench(
      life.settings, sound: sound, pattern: LatencyTests.pattern, script: life.script, lead: lead,
      gestures: Life.gestures)
    early.ended(after: life.length)
    plain.ended(after: life.length)
    #expect(early.lines(per: Nanoseconds(1), [.state]) == plain.lines(per: Nanoseconds(1), [.state]))
    #expect(early.lines(per: Nanoseconds(1), [.incident]) == [])
    var compared = 0
    for output in Output.lines {
      let latency = latencies[output].count
      let sent = edges(of: output, early).map { Edge(time: $0.time + latency, isActive: $0.isActive) }
      for session in sessions(plain) {
        let wanted = edges(of: output, plain).filter { session.contains($0.time) }
        // An early output does what a stop then forestalls on the others.
        let got = sent.filter { session.contains($0.time) && session.contains($0.time - latency) }
        #expect(got == wanted, "\(output) in \(session)")
        compared += wanted.count
      }
    }
    #expect(compared > 0)
  }

  @Test(arguments: lives)
  func outputsAreThoseOfTheModel(seed: UInt64, latencies: OutputLatencies, sound: Bool) {
    let life = Life(seed: seed)
    let bench = Bench(
      life.settings, sound: sound, pattern: LatencyTests.pattern, script: life.script, latencies: latencies,
      gestures: Life.gestures)
    bench.ended(after: life.length)
    let lead = bench.simulation.engine.lead.current.duration
    func beats(ahead: Nanoseconds) -> [Beat] {
      Model.beats(bench.trace.events, lead: lead, end: life.length, ahead: ahead)
    }
    for output in [Output.light, .buzzer] {
      let sent = beats(ahead: latencies[output]).map { $0.instant - .zero - latencies[output] }
      #expect(bench.rises(of: output) == sent, "\(output)")
    }
    // Told once a beat, with the output that is sent first.
    let most = max(latencies.light, latencies.pendulum, latencies.buzzer)
    let told = beats(ahead: most)
    #expect(bench.beats.map(\.beat) == told)
    #expect(bench.beats.map(\.time) == told.map { $0.instant - .zero - most })
    #expect(bench.finalLevels == .inactive)
  }

  @Test(arguments: Seeds.few(4, of: 12)) func equalLatenciesOnlyComeEarlier(seed: UInt64) {
    let life = Life(seed: seed)
    let all = Nanoseconds.milliseconds(5)
    let early = Bench(
      life.settings, script: life.script, latencies: OutputLatencies(light: all, pendulum: all, buzzer: all),
      gestures: Life.gestures)
    let plain = Bench(life.settings, script: life.script, gestures: Life.gestures).ended(after: life.length)
    early.ended(after: life.length)
    // The lead is longer by as much as the outputs are early.
    #expect(
      early.lines(per: Nanoseconds(1), [.line, .incident]) == plain.lines(per: Nanoseconds(1), [.line, .incident]))
  }

  @Test(arguments: [
    (0, 0, 0, 24), (0, 1_000, 0, 24), (2_001, 1_000, 0, 24), (500_000, 0, 0, 501), (0, 22_001, 0, 24),
    (0, 23_001, 0, 25), (0, 0, 20, 24), (0, 0, 22, 25), (0, 0, 500_000, 524),
  ])
  func aPressWaitsForTheLatestOutput(light: Int64, buzzer: Int64, audio: Int64, milliseconds: Int64) {
    let format = AudioFormat(
      rate: 48_000, channels: 2, sampleFormat: .s16, periodFrames: 256, bufferFrames: 1_024)
    let latencies = OutputLatencies(
      light: .microseconds(light), buzzer: .microseconds(buzzer), audio: .microseconds(audio))
    #expect(Lead(format, latencies: latencies).duration == .milliseconds(milliseconds))
    let lines = (max(light, buzzer) + 999) / 1_000 + 1
    #expect(Lead(nil, latencies: latencies).duration == .milliseconds(lines))
  }

  @Test(arguments: [1, 20, 400]) func theFirstBeatIsNeverLate(latency: Int64) {
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
