import HardwareAbstraction
import MetronomeCore

/// An output on a line on its way along the timeline.
///
/// It looks at the timeline from ahead: at an instant t it shows what the timeline says for t + latency. What it shows is
/// a function of the timeline, its projection, the beat that was begun last and the time.
struct OutputTrack: BitwiseCopyable {
  /// A pulse begun later than this lasts as long as one on time; below, it ends where it should have ended.
  private static let unseenLateness = Nanoseconds.milliseconds(1)

  /// The number of the beat to be begun next.
  var nextIndex: Int64 = 0
  /// The beat on show; nil before the first and when it was skipped.
  var current: Beat?
  /// Where its pulse is counted from, on the timeline.
  var currentStart = Instant.zero
  /// Whether the beat on show has not gone off yet. What is off stays off: a beat that becomes longer when half of it has
  /// gone by does not flash twice.
  var isLit = false
  /// Whether the last step began a beat.
  var hasBegun = false

  /// Begins the beat that has come, if one has, or skips it when half of it has gone by: the phase is kept, there is never
  /// a burst.
  ///
  /// - Parameters:
  ///   - view: the instant of the timeline that it looks at.
  ///   - oldest: the first beat that the timeline knows.
  /// - Returns: the numbers of the beats that it left out; nil if no beat has come.
  mutating func begin(_ timeline: Timeline, oldest: Int64, at view: Instant, _ lookup: inout BeatLookup) -> Range<
    Int64
  >? {
    hasBegun = false
    // The timeline may have forgotten beats of a time in which nobody looked at it. They are left out like the others.
    let first = max(nextIndex, timeline.first)
    nextIndex = max(nextIndex, oldest)
    guard let beat = lookup.lastBeat(of: timeline, atOrBefore: view), beat.index >= nextIndex else { return nil }
    let lateness = view - beat.instant
    let isTooLate = lateness > (lookup.instant(of: beat.index + 1, in: timeline) - beat.instant) / 2
    let skipped = first..<(isTooLate ? beat.index + 1 : beat.index)
    nextIndex = beat.index + 1
    current = isTooLate ? nil : beat
    isLit = !isTooLate
    currentStart = lateness > OutputTrack.unseenLateness ? view : beat.instant
    hasBegun = !isTooLate
    return skipped
  }

  /// Goes off when it has been on for long enough.
  ///
  /// - Returns: which instant of the timeline it wants to look at next. Nobody is woken for what is muted.
  mutating func darken(
    _ timeline: Timeline, _ projection: Projection, at view: Instant, _ lookup: inout BeatLookup
  ) -> Instant {
    let next = lookup.instant(of: nextIndex, in: timeline)
    guard let current else { return next }
    let end = projection.end(of: current, from: currentStart, next: next)
    isLit = isLit && end > view
    return isLit && !projection.isMuted ? min(end, next) : next
  }
}

/// What was looked up last in a timeline: outputs that are sent equally early look for the same. Good for one step.
struct BeatLookup: BitwiseCopyable {
  private var view: Instant?
  private var last: Beat?
  private var index: Int64?
  private var start = Instant.zero

  mutating func lastBeat(of timeline: Timeline, atOrBefore view: Instant) -> Beat? {
    if self.view != view {
      self.view = view
      last = timeline.lastBeat(atOrBefore: view)
    }
    return last
  }

  mutating func instant(of index: Int64, in timeline: Timeline) -> Instant {
    if self.index != index {
      self.index = index
      start = timeline.knownBeat(index).instant
    }
    return start
  }
}
