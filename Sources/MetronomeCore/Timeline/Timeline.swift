/// All beats and hits from the start of playback, as a value.
///
/// Their instants, bars, positions and levels are computed from it by integer arithmetic; no error accumulates. Within a segment
/// beat n falls at `floor(anchor + n · beat)`, where a beat lasts an exact fraction of a nanosecond: see ``Metre`` for its notes.
/// A position within a beat is divided by the same fraction, and rounded down once. A change starts a new segment at an instant
/// that no output has committed, and keeps the phase: the same fraction of a beat remains, also below a nanosecond.
///
/// The value has a fixed size and no references; a real-time thread copies it without a lock.
public struct Timeline: Equatable, Sendable, BitwiseCopyable {
  /// First, because ``TimelineView`` reads it in place.
  var segments: SegmentList
  /// Identifies the start of playback, so that an output can distinguish a new beat 0 from an old beat 0.
  public let session: UInt32
  /// The number of the session's first beat: 0, or the beat at which the session continued another one.
  package let first: Int64
  var rhythms: RhythmTable
  /// What later changes have left of the beats in which they were made. Slots before a change stay where they were.
  var parts = BeatParts.none

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
        at: firstBeat, firstIndex: 0, barBefore: -Int64(countIn), positionBefore: -1, tempo: tempo, metre: bar.metre,
        filter: bar.filter))
    self.init(session: session, segments: segments, rhythms: RhythmTable(bar.rhythm))
  }

  public var isPlaying: Bool { segments.count > 0 }

  /// The tempo at an instant, in the notes that the tempo counts; nil if stopped.
  public func tempo(at instant: Instant) -> Tempo? {
    guard isPlaying else { return nil }
    let segment = segments.last { $0.start <= instant } ?? segments[0]
    guard case .curve(let curve) = segment.course else { return segment.tempo }
    let beat = max(curve.beat, curve.firstBeat(atOrAfter: instant + Nanoseconds(1)) - 1)
    return curve.curve.tempo(at: Position(whole: beat - curve.beat), in: segment.metre)
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

}

/// Lookups, which ``TimelineView`` makes in place.
extension Timeline {
  private func inPlace<Result>(_ look: (TimelineView) -> Result) -> Result {
    withUnsafePointer(to: self) { look(TimelineView($0)) }
  }

  /// The number of the oldest beat that is still kept; nil if stopped.
  public var oldestIndex: Int64? { inPlace(\.oldestIndex) }

  /// The beat with this number; nil if stopped, or if the beat is so old that it was discarded.
  public func beat(_ index: Int64) -> Beat? { inPlace { $0.beat(index) } }

  /// The beat with this number, which must not be below ``oldestIndex``. Only while playing.
  public func knownBeat(_ index: Int64) -> Beat { inPlace { $0.knownBeat(index) } }

  /// The instant of a position in beats; nil if stopped, or if the beat is so old that it was discarded.
  ///
  /// A change of tempo within a beat keeps the phase: what is left of the beat is played at the new tempo. If a change moves the
  /// phase past a position, the position falls at the change.
  public func instant(of position: Position) -> Instant? { inPlace { $0.instant(of: position) } }

  /// The instant at which the score's pause before this beat begins. nil: there is no pause, or it lasts at most one beat.
  package func pause(beforeBeat index: Int64) -> Instant? { inPlace { $0.pause(beforeBeat: index) } }

  /// The first hit of a voice at one of some levels after a position, which may be before the oldest beat; nil if stopped, or if
  /// there is none from there on. If taps have moved several slots to one instant, only the last of them is a hit.
  public func hit(of voice: Int, after position: Position, among levels: PerLevel<Bool> = .all) -> Hit? {
    inPlace { $0.hit(of: voice, after: position, among: levels) }
  }

  /// Whether all hits are beats.
  public var hasOnlyBeats: Bool { inPlace(\.hasOnlyBeats) }

  /// The metre and the rhythm at a beat; nil if stopped, or if the beat is so old that it was discarded.
  public func bar(ofBeat index: Int64) -> Bar? { inPlace { $0.bar(ofBeat: index) } }

  /// The highest number of voices in any part of the timeline.
  public var voiceCount: Int { inPlace(\.voiceCount) }

  /// The first beat at or after an instant that is still kept; nil if stopped.
  public func firstBeat(atOrAfter instant: Instant) -> Beat? { inPlace { $0.firstBeat(atOrAfter: instant) } }

  /// The last beat at or before an instant; nil before the first beat and if stopped.
  public func lastBeat(atOrBefore instant: Instant) -> Beat? { inPlace { $0.lastBeat(atOrBefore: instant) } }
}

/// An inline list of segments, oldest first: no heap, so that a real-time thread can copy a timeline.
struct SegmentList: Equatable, Sendable, BitwiseCopyable {
  /// Segments without a beat are never kept, so this many changes fit if there is a beat between any two.
  static let capacity = 16

  private typealias Storage = (
    Segment, Segment, Segment, Segment, Segment, Segment, Segment, Segment,
    Segment, Segment, Segment, Segment, Segment, Segment, Segment, Segment
  )
  private var storage: Storage
  private(set) var count = 0

  static var beginsWithSegments: Bool { MemoryLayout<SegmentList>.offset(of: \.storage) == 0 }

  init() {
    let none = Segment(
      at: .zero, firstIndex: 0, barBefore: 0, positionBefore: -1, tempo: .initial, metre: Metre(.initial),
      filter: SilenceFilter())
    storage = (none, none, none, none, none, none, none, none, none, none, none, none, none, none, none, none)
  }

  var isFull: Bool { count == SegmentList.capacity }
  var room: Int { SegmentList.capacity - count }

  /// A switch, because a pointer to the storage would copy all of it. Out of line, because it is long.
  subscript(index: Int) -> Segment {
    @inline(never) get {
      precondition((0..<count).contains(index), "the segment index is out of range")
      return switch index {
      case 0: storage.0
      case 1: storage.1
      case 2: storage.2
      case 3: storage.3
      case 4: storage.4
      case 5: storage.5
      case 6: storage.6
      case 7: storage.7
      case 8: storage.8
      case 9: storage.9
      case 10: storage.10
      case 11: storage.11
      case 12: storage.12
      case 13: storage.13
      case 14: storage.14
      default: storage.15
      }
    }
  }

  mutating func append(_ segment: Segment) {
    precondition(!isFull, "the timeline has no room for another segment")
    store(segment, at: count)
    count += 1
  }

  mutating func replaceLast(with segment: Segment) {
    precondition(count > 0, "no segment to replace")
    store(segment, at: count - 1)
  }

  mutating func removeFirst(_ number: Int) {
    precondition(number <= count, "the timeline has fewer segments")
    let kept = (number..<count).map { self[$0] }
    count = 0
    for segment in kept { append(segment) }
  }

  mutating func removeLast(where matches: (Segment) -> Bool) {
    while count > 0, matches(self[count - 1]) { count -= 1 }
  }

  func lastIndex(where matches: (Segment) -> Bool) -> Int? {
    var index = count - 1
    while index >= 0, !matches(self[index]) { index -= 1 }
    return index < 0 ? nil : index
  }

  func last(where matches: (Segment) -> Bool) -> Segment? { lastIndex(where: matches).map { self[$0] } }

  private mutating func store(_ segment: Segment, at index: Int) {
    withUnsafeMutableBytes(of: &storage) {
      $0.storeBytes(of: segment, toByteOffset: index * MemoryLayout<Segment>.stride, as: Segment.self)
    }
  }

  static func == (a: SegmentList, b: SegmentList) -> Bool {
    a.count == b.count && (0..<a.count).allSatisfy { a[$0] == b[$0] }
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
  /// See ``Beat/set``.
  public var set: Voice.Sound?
  /// See ``Rhythm/Slot/syllable``.
  package var syllable: Syllable?
}

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
    beat.set = rhythm.set
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
          isSilent: segment.isSilent(slot.position.whole), gain: segment.gain, set: rhythm.set,
          syllable: slot.syllable)
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
