import MetronomeCore
import Testing

/// Hears every beat once it is committed, as outputs do, and checks that beats follow each other as they should.
struct Listener {
  private(set) var session: UInt32 = 0
  /// The last beat heard, and those before it that the timeline may still be asked for.
  private var heard: [Beat] = []
  /// The number of the beat that must come next.
  private var next: Int64 = 0

  /// Hears what the timeline commits before an instant.
  mutating func hear(_ timeline: Timeline, before instant: Instant) {
    follow(timeline)
    guard timeline.isPlaying else { return }
    while true {
      let beat = timeline.knownBeat(next)
      guard beat.instant < instant else { return }
      if let last = heard.last {
        #expect(beat.instant > last.instant)
        let isInBar = beat.bar == last.bar && beat.position == last.position + 1
        let beginsBar = beat.bar == last.bar + 1 && beat.position == 0
        #expect(isInBar || beginsBar, "\(last), \(beat)")
      }
      heard.append(beat)
      if heard.count > 64 { heard.removeFirst() }
      next += 1
    }
  }

  /// After a change that may not touch what lies before an instant.
  mutating func expectNothingCommittedChanged(_ timeline: Timeline, before instant: Instant) {
    follow(timeline)
    guard timeline.isPlaying else { return }
    for beat in heard where beat.index >= timeline.oldestIndex! {
      #expect(timeline.beat(beat.index) == beat)
      #expect(timeline.lastBeat(atOrBefore: beat.instant) == beat)
    }
    let first = timeline.firstBeat(atOrAfter: instant)!
    #expect(first.index == next, "the next beat is \(first), and \(next) should be")
    #expect(timeline.knownBeat(next) == first)
  }

  private mutating func follow(_ timeline: Timeline) {
    guard timeline.session != session else { return }
    session = timeline.session
    heard = []
    next = timeline.oldestIndex ?? 0
  }
}
