import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// Outputs with different latencies.
@Suite struct UnequalLatencyTests {
  private static var presses: Script {
    var script = Script()
    script.press(.play, at: .milliseconds(500))
    return script
  }

  /// A raised latency loses no beat. Four beats lie within the new latency: the buzzer skips them, and the light and the
  /// pendulum still show them.
  @Test func raisedLatencyLosesNoBeat() {
    let settings = Settings(Music(tempo: Tempo(bpm: 480)!))
    let bench = Bench(settings, script: UnequalLatencyTests.presses)
    bench.reload(at: .milliseconds(2_010)) { $0.latencies.buzzer = .milliseconds(500) }
    bench.ended(after: .seconds(4))
    let beats = bench.beats.map(\.beat.index)
    #expect(beats == Array(0..<Int64(beats.count)))
    let shown = bench.rises(of: .light).count
    // The buzzer's last beats are sent, but not yet due on the light.
    #expect(beats.count - shown == 4)
    #expect(bench.beats.filter { $0.time == .milliseconds(2_010) }.count == 4)
  }

  /// The latency of an output without a line has no effect on the lead.
  @Test func latenciesOfAbsentOutputsHaveNoEffect() {
    let late = OutputLatencies(pendulum: .milliseconds(300), audio: .milliseconds(400))
    let plain = Projections(latencies: OutputLatencies(light: .milliseconds(2)), present: [.light, .buzzer])
    let projections = Projections(
      latencies: OutputLatencies(light: .milliseconds(2), pendulum: late.pendulum, audio: late.audio),
      present: [.light, .buzzer])
    #expect(projections == plain)
    #expect(Lead(nil, latencies: projections.latencies).duration == .milliseconds(3))
    #expect(projections.latencies == OutputLatencies(light: .milliseconds(2), pendulum: .milliseconds(2)))
  }
}
