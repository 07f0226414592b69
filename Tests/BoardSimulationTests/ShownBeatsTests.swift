import BoardSimulation
import MetronomeCore
import MetronomeEngine
import Testing

@Suite struct ShownBeatsTests {
  @Test func latenessIsMeasuredByTheDisplayClock() {
    let origin = Instant(nanoseconds: 1_000_000_000)
    var now = origin
    let shown = ShownBeats(since: origin) { now }
    #expect(shown.summary == nil)
    for (index, late) in [Nanoseconds.microseconds(700), .microseconds(300), .zero].enumerated() {
      let due = Nanoseconds.milliseconds(500 * Int64(index))
      now = origin + due + late
      shown.receive(TraceEvent(due, .beat(Beat(index: Int64(index), instant: origin + due, bar: 0, position: index))))
      shown.receive(TraceEvent(due, .line(.light, isActive: true)))
    }
    #expect(shown.summary == "3 beats, p99 700 µs late, none skipped")
    shown.receive(TraceEvent(.seconds(3), .skipped(beats: 2)))
    #expect(shown.summary == "3 beats, p99 700 µs late, 2 skipped")
  }
}
