import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

@testable import metronome_bench

/// The music that is measured has four edges a beat, all as far apart as the other loops wait.
@Suite struct BenchMusicTests {
  private final class CountedLines: OutputLines {
    var calls = 0
    func set(_ levels: OutputSet) { calls += 1 }
    func release() {}
  }

  @Test(arguments: [BenchMusic.fastest, .playing]) func edgesAreAllAsFarApart(music: BenchMusic) {
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
      // The first edge is the buzzer's; halves and quarters of a nanosecond are rounded one after the other.
      let ideal = Double(start.nanoseconds) + Double(index - 1) * music.interval
      #expect(abs(Double(deadline.nanoseconds) - ideal) <= 2, "edge \(index)")
    }
  }

  @Test func waitsAreAsSaid() {
    #expect(BenchMusic.fastest.wait == Nanoseconds(1_876_877))
    #expect(BenchMusic.playing.wait == .milliseconds(50))
  }
}
