import MetronomeCore
import Testing

/// Reads every beat when it is committed, as outputs do, and checks that the beats are consecutive.
struct BeatReader {
  private(set) var session: UInt32 = 0
  /// The last beat that was read, and earlier beats that the timeline may still contain.
  private var beats: [Beat] = []
  /// The number of the next beat.
  private var next: Int64 = 0

  /// Reads the beats that the timeline commits before an instant.
  mutating func read(_ timeline: Timeline, before instant: Instant) {
    follow(timeline)
    guard timeline.isPlaying else { return }
    while true {
      let beat = timeline.knownBeat(next)
      guard beat.instant < instant else { return }
      if let last = beats.last {
        #expect(beat.instant > last.instant)
        let isInBar = beat.bar == last.bar && beat.position == last.position + 1
        let beginsBar = beat.bar == last.bar + 1 && beat.position == 0
        #expect(isInBar || beginsBar, "\(last), \(beat)")
      }
      beats.append(beat)
      if beats.count > 64 { beats.removeFirst() }
      next += 1
    }
  }

  /// Checks that a change left all beats before the instant unchanged. Must be called after the change.
  mutating func expectNothingCommittedChanged(_ timeline: Timeline, before instant: Instant) {
    follow(timeline)
    guard timeline.isPlaying else { return }
    for beat in beats where beat.index >= timeline.oldestIndex! {
      #expect(timeline.beat(beat.index) == beat)
      #expect(timeline.lastBeat(atOrBefore: beat.instant) == beat)
    }
    let first = timeline.firstBeat(atOrAfter: instant)!
    #expect(first.index == next, "the next beat is \(first), expected \(next)")
    #expect(timeline.knownBeat(next) == first)
  }

  private mutating func follow(_ timeline: Timeline) {
    guard timeline.session != session else { return }
    session = timeline.session
    beats = []
    next = timeline.oldestIndex ?? 0
  }
}
