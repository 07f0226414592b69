import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

@testable import metronome_bench

/// The measured music has four edges per beat, as far apart as the waits of the other loops.
@Suite struct BenchMusicTests {
  private final class CountedLines: OutputLines {
    var calls = 0
    func set(_ levels: LineSet) { calls += 1 }
    func release() {}
  }

  @Test(arguments: [BenchMusic.fastest, .playing]) func edgesAreEquidistant(music: BenchMusic) {
    let lines = CountedLines()
    let publication = TimelinePublication()
    let loop = BeatLoop(
      lines: lines, publication: publication,
      plan: OutputPlan(Projections(music.pattern, latencies: music.latencies)), observer: SilentObserver())
    let start = Instant.zero + .seconds(1)
    publication.publish(Timeline(session: 1, firstBeat: start, tempo: music.tempo, signature: music.signature))
    var now = Instant.zero
    var deadlines: [Instant] = []
    while deadlines.count < 4_000, let next = loop.step(at: now) {
      #expect(loop.isExact)
      #expect(lines.calls == deadlines.count)
      deadlines.append(next)
      now = next
    }
    for (index, deadline) in deadlines.enumerated() {
      // The first edge is the buzzer's; the half beat and the quarter beat are each rounded to nanoseconds.
      let ideal = Double(start.nanoseconds) + Double(index - 1) * music.interval
      #expect(abs(Double(deadline.nanoseconds) - ideal) <= 2, "edge \(index)")
    }
  }

  @Test func waitsMatchTheTempo() {
    #expect(BenchMusic.fastest.wait == Nanoseconds(1_876_877))
    #expect(BenchMusic.playing.wait == .milliseconds(50))
  }
}
