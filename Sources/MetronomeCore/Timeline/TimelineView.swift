/// Lookups in a timeline that stays where it is. They copy a segment or a rhythm at most, never the timeline, whose methods copy all of
/// it. Neither allocates nor counts references: for real-time threads. The methods of ``Timeline`` with the same names use it.
package struct TimelineView: BitwiseCopyable {
  private let timeline: UnsafePointer<Timeline>
  private let segments: UnsafePointer<Segment>

  /// The timeline must outlive the view. The view follows its changes.
  package init(_ timeline: UnsafePointer<Timeline>) {
    self.timeline = timeline
    // See isPossible.
    segments = UnsafeRawPointer(timeline).assumingMemoryBound(to: Segment.self)
  }

  /// Whether a timeline begins with its segments, as ``init(_:)`` assumes. A unit test checks it once; each lookup would be too often.
  package static var isPossible: Bool {
    MemoryLayout<Timeline>.offset(of: \.segments) == 0 && SegmentList.beginsWithSegments
  }

  private var count: Int { timeline.pointee.segments.count }
  package var first: Int64 { timeline.pointee.first }
  package var session: UInt32 { timeline.pointee.session }
  package var isPlaying: Bool { count > 0 }
  package var isSteered: Bool { isPlaying && segments[count - 1].isSteered }

  /// The last segment that begins with a beat at or before this one; nil: there is none.
  private func place(ofBeat index: Int64) -> Int? {
    var place = count - 1
    while place >= 0, segments[place].firstIndex > index { place -= 1 }
    return place < 0 ? nil : place
  }

  /// The number of the first beat after a segment.
  private func end(of place: Int) -> Int64 { place + 1 < count ? segments[place + 1].firstIndex : .max }

  private func rhythm(of place: Int) -> Rhythm {
    switch segments[place].rhythm {
    case 0: timeline.pointee.rhythms.first
    case 1: timeline.pointee.rhythms.second
    case 2: timeline.pointee.rhythms.third
    default: timeline.pointee.rhythms.fourth
    }
  }

  /// The number of the oldest beat that is still kept; nil if stopped.
  package var oldestIndex: Int64? { isPlaying ? max(first, segments[0].firstIndex) : nil }

  /// The beat with this number; nil if stopped, or if the beat is so old that it was discarded.
  package func beat(_ index: Int64) -> Beat? {
    guard index >= first, let place = place(ofBeat: index) else { return nil }
    return beat(index, of: place)
  }

  private func beat(_ index: Int64, of place: Int) -> Beat {
    let segment = segments[place]
    var beat = segment.beat(index)
    beat.isSilent = segment.isSilent(index)
    beat.gain = segment.gain
    beat.isSpoken = segment.isSpoken
    let rhythm = rhythm(of: place)
    if rhythm.pattern != nil, beat.bar >= 0 {
      let position = Position(whole: index)
      let slot = segment.firstSlot(of: 0, at: position, isAfter: false, in: rhythm)
      beat.level = slot?.position == position ? slot?.level ?? .rest : .rest
    }
    return beat
  }

  /// The beat with this number, which must not be below ``oldestIndex``. Only while playing.
  package func knownBeat(_ index: Int64) -> Beat {
    guard let beat = beat(index) else { preconditionFailure("beat \(index) is not in this timeline") }
    return beat
  }

  /// The instant of a position in beats; nil if stopped, or if the beat is so old that it was discarded.
  ///
  /// A change of tempo within a beat keeps the phase: what is left of the beat is played at the new tempo. If a change moves the
  /// phase past a position, the position falls at the change.
  package func instant(of position: Position) -> Instant? {
    guard position.whole >= first, let index = place(ofBeat: position.whole) else { return nil }
    let own = segments[index].course.instant(of: position)
    guard position.numerator > 0, index + 1 < count, segments[index + 1].firstIndex == position.whole + 1 else {
      return own
    }
    // The latest change first: each moves what is left of the beat.
    var end = segments[index + 1].start
    let changed = segments[index + 1].course.instant(of: position)
    if changed >= end { return changed }
    for place in 0..<BeatParts.capacity {
      guard let part = timeline.pointee.parts[place] else { break }
      guard part.beat == position.whole else { continue }
      let instant = part.course.instant(of: position)
      if instant >= part.start { return min(instant, end) }
      end = part.start
    }
    return min(own, end)
  }

  /// The instant at which the score's pause before this beat begins. nil: there is no pause, or it lasts at most one beat.
  package func pause(beforeBeat index: Int64) -> Instant? {
    guard let place = place(ofBeat: index), place > 0 else { return nil }
    let next = segments[place]
    // A change within the beat before is no pause.
    guard next.firstIndex == index, !next.isSteered, next.start == next.anchor else { return nil }
    var course = segments[place - 1].course
    // The last change within the beat before has moved its end.
    if let part = timeline.pointee.parts.first, part.beat == index - 1, part.start < next.start { course = part.course }
    let end = course.instant(ofBeat: index)
    guard let begin = instant(of: Position(index - 1)) else { return nil }
    return next.start - end > end - begin ? end : nil
  }

  /// The first hit of a voice at one of some levels after a position, which may be before the oldest beat; nil if stopped, or if
  /// there is none from there on. If taps have moved several slots to one instant, only the last of them is a hit. Neither
  /// allocates nor counts references.
  package func hit(
    of voice: Int, after position: Position, among levels: PerLevel<Bool> = .all
  ) -> Hit? {
    guard let oldestIndex else { return nil }
    var (from, isAfter) = (position, true)
    if position.whole < oldestIndex { (from, isAfter) = (Position(whole: oldestIndex), false) }
    var index = place(ofBeat: from.whole) ?? 0
    while true {
      let segment = segments[index]
      let end = end(of: index)
      let rhythm = rhythm(of: index)
      let slot = segment.firstSlot(of: voice, at: from, isAfter: isAfter, among: levels, in: rhythm)
      if let slot, slot.position.whole < end, let instant = instant(of: slot.position) {
        if slot.position.whole + 1 == end, slot.position.numerator > 0,
          let next = hit(of: voice, after: slot.position), next.instant == instant
        {
          if levels[next.level] { return next }
          return hit(of: voice, after: next.position, among: levels)
        }
        return Hit(
          voice: voice, level: slot.level, sound: rhythm.sound(of: voice), position: slot.position, instant: instant,
          isSilent: segment.isSilent(slot.position.whole), gain: segment.gain)
      }
      index += 1
      guard index < count else { return nil }
      (from, isAfter) = (Position(whole: end), false)
    }
  }

  /// Whether all hits are beats.
  package var hasOnlyBeats: Bool {
    for place in 0..<count {
      if !rhythm(of: place).hasOnlyBeats(in: segments[place].metre) { return false }
    }
    return true
  }

  /// The metre and the rhythm at a beat; nil if stopped, or if the beat is so old that it was discarded.
  package func bar(ofBeat index: Int64) -> Bar? {
    guard let place = place(ofBeat: index) else { return nil }
    return Bar(segments[place].metre, rhythm(of: place))
  }

  /// The highest number of voices in any part of the timeline.
  package var voiceCount: Int {
    var most = 0
    for place in 0..<count { most = max(most, rhythm(of: place).voiceCount) }
    return most
  }

  /// The first beat at or after an instant that is still kept; nil if stopped.
  package func firstBeat(atOrAfter instant: Instant) -> Beat? {
    if let last = lastBeat(before: instant) { return knownBeat(last.index + 1) }
    guard let oldestIndex else { return nil }
    return knownBeat(oldestIndex)
  }

  /// The last beat at or before an instant; nil before the first beat and if stopped.
  package func lastBeat(atOrBefore instant: Instant) -> Beat? { lastBeat(before: instant + Nanoseconds(1)) }

  private func lastBeat(before instant: Instant) -> Beat? {
    var place = count - 1
    while place >= 0, segments[place].anchor >= instant { place -= 1 }
    guard place >= 0 else { return nil }
    let last = min(segments[place].course.firstBeat(atOrAfter: instant), end(of: place)) - 1
    return last < first ? nil : beat(last, of: place)
  }
}
