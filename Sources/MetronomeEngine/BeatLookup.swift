import MetronomeCore

/// A cache of the last lookups in a timeline: outputs of equal latency look up the same beats, and most steps look up the next
/// beat again. Valid until the timeline changes. Used on real-time threads.
struct BeatLookup: BitwiseCopyable {
  let timeline: TimelineView
  private var view: Instant?
  private var last: Beat?
  /// The last looked up beats with even and odd numbers: a beat and the next one.
  private var even: Beat?
  private var odd: Beat?

  /// How many voices have hits within beats; 0 if there are only beats.
  let voices: Int
  /// The number of the oldest beat that is still kept; nil if stopped.
  let oldest: Int64?

  init(_ timeline: UnsafePointer<Timeline>) {
    self.timeline = TimelineView(timeline)
    voices = self.timeline.hasOnlyBeats ? 0 : self.timeline.voiceCount
    oldest = self.timeline.oldestIndex
  }

  mutating func lastBeat(atOrBefore view: Instant) -> Beat? {
    if self.view != view {
      self.view = view
      // The search is slow while the tempo changes: usually the last beat is one of the two that are known.
      if let even, let odd, abs(even.index - odd.index) == 1 {
        let (first, second) = even.index < odd.index ? (even, odd) : (odd, even)
        if first.instant <= view, view < second.instant {
          last = first
          return last
        }
      }
      last = timeline.lastBeat(atOrBefore: view)
    }
    return last
  }

  /// The beat with this number, which must not be below ``oldest``. Only while playing.
  mutating func beat(_ index: Int64) -> Beat {
    if let known = index & 1 == 0 ? even : odd, known.index == index { return known }
    let beat = timeline.knownBeat(index)
    if index & 1 == 0 { even = beat } else { odd = beat }
    return beat
  }

  mutating func instant(of index: Int64) -> Instant { beat(index).instant }
}
