import HardwareAbstraction
import MetronomeCore

/// The outputs of one latency on their way along the timeline.
///
/// It looks at the timeline from ahead: at an instant t it shows what the timeline says for t + latency. All its
/// instants are of the timeline but those it is given and answers with, which are the clock's. What it shows is a
/// function of the timeline, the beat that was begun last and the time.
struct OutputTrack: BitwiseCopyable {
  /// A pulse begun later than this lasts as long as one on time; below, it ends where it should have ended.
  private static let unseenLateness = Nanoseconds.milliseconds(1)

  /// Which outputs follow it.
  var outputs: OutputLevels
  var latency: Nanoseconds
  /// The number of the beat to be begun next.
  var nextIndex: Int64 = 0
  /// The beat on show; nil before the first and when it was skipped.
  var current: Beat?
  /// Where its pulses are counted from.
  var currentStart = Instant.zero
  /// What the beat on show has not switched off yet. What is off stays off: a beat that becomes longer when half of it has
  /// gone by does not flash twice.
  var lit = OutputLevels.inactive
  /// Whether the last step began a beat.
  var hasBegun = false

  /// Begins the beat that has come, if one has, or skips it when half of it has gone by: the phase is kept, there is never
  /// a burst.
  ///
  /// - Returns: the numbers of the beats that it left out; nil if no beat has come.
  mutating func begin(_ timeline: Timeline, oldest: Int64, at now: Instant) -> Range<Int64>? {
    hasBegun = false
    // The timeline may have forgotten beats of a time in which nobody looked at it. They are left out like the others.
    let first = max(nextIndex, timeline.first)
    nextIndex = max(nextIndex, oldest)
    let view = now + latency
    guard let beat = timeline.lastBeat(atOrBefore: view), beat.index >= nextIndex else { return nil }
    let lateness = view - beat.instant
    let isTooLate = lateness > (timeline.knownBeat(beat.index + 1).instant - beat.instant) / 2
    let skipped = first..<(isTooLate ? beat.index + 1 : beat.index)
    nextIndex = beat.index + 1
    current = isTooLate ? nil : beat
    lit = isTooLate ? .inactive : outputs
    currentStart = lateness > OutputTrack.unseenLateness ? view : beat.instant
    hasBegun = !isTooLate
    return skipped
  }

  /// Switches off in ``lit`` what has been on for long enough.
  ///
  /// - Parameter muted: nobody is woken for what is not seen.
  /// - Returns: when it wants to be looked at again.
  mutating func darken(
    _ timeline: Timeline, _ pattern: OutputPattern, muted: OutputLevels, at now: Instant
  ) -> Instant {
    let view = now + latency
    let next = timeline.knownBeat(nextIndex).instant
    guard let current else { return next - latency }
    let ends = pattern.ends(of: current, from: currentStart, next: next)
    lit.formIntersection(ends.levels(at: view))
    return ends.next(of: lit.subtracting(muted), after: view, before: next) - latency
  }

  /// Whether another one does the same at the same instants from now on.
  func isInStep(with other: OutputTrack) -> Bool {
    latency == other.latency && nextIndex == other.nextIndex && current == other.current
      && currentStart == other.currentStart
  }
}
