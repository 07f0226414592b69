/// All beats and hits from the start of playback, as a value.
///
/// Their instants, bars, positions and levels are computed from it by integer arithmetic; no error accumulates. Within a segment
/// beat n falls at `floor(anchor + n · beat)`, where a beat lasts an exact fraction of a nanosecond: see ``Metre`` for its notes.
/// A position within a beat is divided by the same fraction, and rounded down once. A change starts a new segment at an instant
/// that no output has committed, and keeps the phase: the same fraction of a beat remains, also below a nanosecond.
///
/// The value has a fixed size and no references; a real-time thread copies it without a lock.
public struct Timeline: Equatable, Sendable, BitwiseCopyable {
  /// Identifies the start of playback, so that an output can distinguish a new beat 0 from an old beat 0.
  public let session: UInt32
  /// The number of the session's first beat: 0, or the beat at which the session continued another one.
  package let first: Int64
  var segments: SegmentList
  var rhythms: RhythmTable
  /// The last two segments that a change within the same beat replaced, the later one first. Slots before the last change are
  /// still at their tempo.
  var replaced: ReplacedSegment?
  var replacedBefore: ReplacedSegment?

  public static let stopped = Timeline(session: 0, segments: SegmentList(), rhythms: RhythmTable())

  init(session: UInt32, first: Int64 = 0, segments: SegmentList, rhythms: RhythmTable) {
    self.session = session
    self.first = first
    self.segments = segments
    self.rhythms = rhythms
  }

  /// Beats at one tempo from `firstBeat` on, where a bar begins. `countIn` is the number of bars before bar 0.
  ///
  /// `session` must differ from the session of the previous start.
  public init(session: UInt32, firstBeat: Instant, tempo: Tempo, bar: Bar, countIn: Int = 0) {
    var segments = SegmentList()
    segments.append(
      Segment(
        start: firstBeat, anchor: firstBeat, firstIndex: 0, barBefore: -Int64(countIn), positionBefore: -1,
        tempo: tempo, metre: bar.metre, filter: bar.filter))
    self.init(session: session, segments: segments, rhythms: RhythmTable(bar.rhythm))
  }

  public var isPlaying: Bool { segments.count > 0 }

  /// The number of the oldest beat that is still kept; nil if stopped.
  public var oldestIndex: Int64? { isPlaying ? max(first, segments[0].firstIndex) : nil }

  /// The beat with this number; nil if stopped, or if the beat is so old that it was discarded.
  public func beat(_ index: Int64) -> Beat? {
    index < first ? nil : segments.last { $0.firstIndex <= index }.map { beat(index, of: $0) }
  }

  private func beat(_ index: Int64, of segment: Segment) -> Beat {
    var beat = segment.beat(index)
    beat.isSilent = segment.isSilent(index)
    beat.gain = segment.gain
    beat.isSpoken = segment.isSpoken
    let rhythm = rhythms[segment.rhythm]
    if rhythm.pattern != nil, beat.bar >= 0 {
      let position = Position(whole: index)
      let slot = segment.firstSlot(of: 0, at: position, isAfter: false, in: rhythm)
      beat.level = slot?.position == position ? slot?.level ?? .rest : .rest
    }
    return beat
  }

  /// The beat with this number, which must not be below ``oldestIndex``. Only while playing.
  public func knownBeat(_ index: Int64) -> Beat {
    guard let beat = beat(index) else { preconditionFailure("beat \(index) is not in this timeline") }
    return beat
  }

  /// The tempo at an instant, in the notes that the tempo counts; nil if stopped.
  public func tempo(at instant: Instant) -> Tempo? {
    guard isPlaying else { return nil }
    let segment = segments.last { $0.start <= instant } ?? segments[0]
    guard let curve = segment.curve else { return segment.tempo }
    let beat = max(curve.beat, curve.firstBeat(atOrAfter: instant + Nanoseconds(1)) - 1)
    return curve.curve.tempo(at: Position(whole: beat - curve.beat), in: segment.metre)
  }

  /// The instant of a position in beats; nil if stopped, or if the beat is so old that it was discarded.
  ///
  /// A change of tempo within a beat keeps the phase: what is left of the beat is played at the new tempo. If a change moves the
  /// phase past a position, the position falls at the change.
  public func instant(of position: Position) -> Instant? {
    guard position.whole >= first, let index = segments.lastIndex(where: { $0.firstIndex <= position.whole }) else {
      return nil
    }
    let own = segments[index].instant(of: position)
    guard position.numerator > 0, index + 1 < segments.count else { return own }
    let next = segments[index + 1]
    guard next.firstIndex == position.whole + 1 else { return own }
    if next.isSteered { return next.moved(position, from: segments[index].instant(of: Position(position.whole))) }
    let changed = next.instant(of: position)
    if changed >= next.start { return changed }
    var end = next.start
    if let replaced, replaced.firstIndex == next.firstIndex {
      let instant = replaced.instant(of: position)
      if instant >= replaced.start { return min(instant, end) }
      end = replaced.start
    }
    if let replacedBefore, replacedBefore.firstIndex == next.firstIndex {
      let instant = replacedBefore.instant(of: position)
      if instant >= replacedBefore.start { return min(instant, end) }
      end = replacedBefore.start
    }
    return min(own, end)
  }

  /// The instant at which the score's pause before this beat begins. nil: there is no pause, or it lasts at most one beat.
  package func pause(beforeBeat index: Int64) -> Instant? {
    guard let place = segments.lastIndex(where: { $0.firstIndex <= index }), place > 0 else { return nil }
    let (before, next) = (segments[place - 1], segments[place])
    // A change within the beat before is no pause.
    guard next.firstIndex == index, !next.isSteered, next.start == next.instant(ofBeat: 0) else { return nil }
    if let replaced, replaced.firstIndex == index, replaced.start < next.start { return nil }
    let end = before.instant(of: Position(whole: index))
    return next.start - end > end - before.instant(of: Position(whole: index - 1)) ? end : nil
  }

  /// The first hit of a voice at one of some levels after a position, which may be before the oldest beat; nil if stopped, or if
  /// there is none from there on. If taps have moved several slots to one instant, only the last of them is a hit. Neither
  /// allocates nor counts references.
  public func hit(
    of voice: Int, after position: Position, among levels: PerLevel<Bool> = .all
  ) -> Hit? {
    guard let oldestIndex else { return nil }
    var (from, isAfter) = (position, true)
    if position.whole < oldestIndex { (from, isAfter) = (Position(whole: oldestIndex), false) }
    var index = segments.lastIndex { $0.firstIndex <= from.whole } ?? 0
    while true {
      let segment = segments[index]
      let end = index + 1 < segments.count ? segments[index + 1].firstIndex : .max
      let rhythm = rhythms[segment.rhythm]
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
      guard index < segments.count else { return nil }
      (from, isAfter) = (Position(whole: end), false)
    }
  }

  /// Whether all hits are beats.
  public var hasOnlyBeats: Bool {
    // A loop over numbers: Swift 6.0 allocates for a closure over a value of this size.
    for index in 0..<segments.count {
      if !rhythms[segments[index].rhythm].hasOnlyBeats(in: segments[index].metre) { return false }
    }
    return true
  }

  /// The metre and the rhythm at a beat; nil if stopped, or if the beat is so old that it was discarded.
  public func bar(ofBeat index: Int64) -> Bar? {
    segments.last { $0.firstIndex <= index }.map { Bar($0.metre, rhythms[$0.rhythm]) }
  }

  /// The first sounding slot of a voice at or after a position, or only after it with `isAfter`, as if all beats were in the
  /// segment of one beat. So a display can show a whole bar that changed in the middle.
  public func slot(
    of voice: Int, at position: Position, isAfter: Bool = false, asInBarOf beat: Int64
  ) -> Rhythm.Slot? {
    segments.last { $0.firstIndex <= beat }.flatMap {
      $0.firstSlot(of: voice, at: position, isAfter: isAfter, in: rhythms[$0.rhythm])
    }
  }

  /// The highest number of voices in any part of the timeline.
  public var voiceCount: Int {
    var count = 0
    for index in 0..<segments.count { count = max(count, rhythms[segments[index].rhythm].voiceCount) }
    return count
  }

  /// How many bars begin with a beat after one beat and up to another, without those of a count-in. Discarded beats do not
  /// count.
  public func barLines(after earlier: Int64, through last: Int64) -> Int64 {
    var count: Int64 = 0
    for index in 0..<segments.count {
      let segment = segments[index]
      let end = index + 1 < segments.count ? segments[index + 1].firstIndex - 1 : Int64.max
      let (from, to) = (max(earlier + 1, segment.firstIndex, first), min(last, end))
      guard from <= to else { continue }
      let (begin, finish) = (segment.beat(from), segment.beat(to))
      let firstBar = max(0, begin.position == 0 ? begin.bar : begin.bar + 1)
      count += max(0, finish.bar - firstBar + 1)
    }
    return count
  }

  /// The first beat at or after an instant that is still kept; nil if stopped.
  public func firstBeat(atOrAfter instant: Instant) -> Beat? {
    if let last = lastBeat(before: instant) { return knownBeat(last.index + 1) }
    guard let oldestIndex else { return nil }
    return knownBeat(oldestIndex)
  }

  /// The last beat at or before an instant; nil before the first beat and if stopped.
  public func lastBeat(atOrBefore instant: Instant) -> Beat? { lastBeat(before: instant + Nanoseconds(1)) }

  private func lastBeat(before instant: Instant) -> Beat? {
    guard let index = segments.lastIndex(where: { $0.anchor < instant }) else { return nil }
    let segment = segments[index]
    let n = segment.firstBeat(atOrAfter: instant) - 1
    let end = index + 1 < segments.count ? segments[index + 1].firstIndex - 1 : Int64.max
    let last = min(segment.firstIndex + n, end)
    return last < first ? nil : beat(last, of: segment)
  }
}

/// One sounding slot of a voice. The main voice's hits include the beats.
public struct Hit: Hashable, Sendable, BitwiseCopyable {
  /// 0 is the main voice.
  public var voice: Int
  /// Never a rest.
  public var level: Level
  public var sound: Voice.Sound
  /// In beats since the start of playback.
  public var position: Position
  public var instant: Instant
  /// Whether its beat is silent: see ``Beat/isSilent``.
  public var isSilent = false
  /// See ``Beat/gain``.
  public var gain: Float = 1
}
