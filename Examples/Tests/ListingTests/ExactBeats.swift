import MetronomeCore
import Testing

/// The listings of "How the beat stays exact".
@Suite struct ExactBeats {
  @Test func theMillionthBeatIsComputed() throws {
    let tempo = try #require(Tempo(decimal: "133.7"))
    let timeline = Timeline(session: 1, firstBeat: .zero, tempo: tempo, signature: .initial)
    let beat = timeline.knownBeat(1_000_000)
    // floor(10⁶ · 60·10⁹ · 1000 · 4 / (133,700 · 4)), the first beat of bar 250,000.
    #expect(beat.instant == Instant(nanoseconds: 448_765_893_792_071))
    #expect(beat.bar == 250_000 && beat.level == .strong)
    #expect(timeline.firstBeat(atOrAfter: beat.instant) == beat)
  }

  @Test func aChangeKeepsThePhase() throws {
    let half = Instant(nanoseconds: 250_000_000)
    let slow = Timeline(session: 1, firstBeat: .zero, tempo: .initial, signature: .initial)
    let tempo = try #require(Tempo(bpm: 240))
    let fast = slow.changed(to: tempo, .initial, from: half, now: half)
    // Half a beat at 120 BPM has passed: half a beat at 240 BPM, 125 ms, is left.
    #expect(fast.knownBeat(1).instant == half + .milliseconds(125))
    #expect(fast.knownBeat(2).instant == half + .milliseconds(375))
  }
}
