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

/// A part of a timeline at one tempo in one signature.
struct Segment: Equatable, Sendable, BitwiseCopyable {
  /// When the segment begins. Earlier instants belong to the previous segment.
  var start: Instant
  /// The instant of its first beat, rounded down.
  var anchor: Instant
  /// What the rounding removed, in nanoseconds / ``Pace/divisor``: every beat is counted from the exact instant.
  var anchorRemainder: Int64 = 0
  var firstIndex: Int64
  /// The bar and position of the beat before the segment's first; position -1 if the segment's first beat begins that bar.
  var barBefore: Int64
  var positionBefore: Int
  var tempo: Tempo
  var metre: Metre
  /// The place of the rhythm in the timeline's table.
  var rhythm = 0
  /// The beat of a bar line at which the cycles of all voices begin.
  var origin: Int64
  /// The part of a score's tempo that the segment plays, instead of its tempo; nil: no score is played.
  var curve: PlacedCurve?
  /// Which bars and beats are silent.
  var filter: SilenceFilter
  /// The beat of a bar line from which the filter counts bars and beats.
  var filterOrigin: Int64
  /// The number of that beat in its song.
  var songBeat: Int64 = 0
  /// A factor for the samples of the clicks.
  var gain: Float = 1
  /// Whether the beats speak their numbers.
  var isSpoken = false
  /// Whether the curve is the tempo of an external source, not of a score.
  var isSteered = false
  /// The last two moves of the first beat, as points of the beat before it, in order. Older moves are forgotten.
  var firstKnot: BeatKnot?
  var secondKnot: BeatKnot?

  /// The cycles begin with the bar of the first beat, or with bar 0 if that bar is a count-in.
  init(
    start: Instant, anchor: Instant, firstIndex: Int64, barBefore: Int64, positionBefore: Int, tempo: Tempo,
    metre: Metre, filter: SilenceFilter = SilenceFilter()
  ) {
    self.start = start
    self.anchor = anchor
    self.firstIndex = firstIndex
    self.barBefore = barBefore
    self.positionBefore = positionBefore
    self.tempo = tempo
    self.metre = metre
    self.filter = filter
    (origin, filterOrigin) = (0, 0)
    let place = place(ofBeat: 0)
    origin = firstIndex - Int64(place.position) - min(0, place.bar) * Int64(metre.beatsInBar)
    filterOrigin = origin
  }

  var pace: Pace { Pace(tempo, metre) }

  func isSilent(_ index: Int64) -> Bool {
    guard !filter.isEmpty, index >= filterOrigin else { return false }
    let beat = index - filterOrigin
    return filter.silences(bar: beat / Int64(metre.beatsInBar), beat: beat, number: songBeat + beat)
  }

  /// Continues the cycles of another segment if its metre and bar lines are the same: those of the voices if it has the same
  /// rhythm, and the gaps if it has the same filter.
  mutating func continueCycles(of other: Segment, hasSameRhythm: Bool) {
    guard metre == other.metre, (origin - other.origin) % Int64(metre.beatsInBar) == 0 else { return }
    if hasSameRhythm { origin = other.origin }
    if filter == other.filter { filterOrigin = other.filterOrigin }
  }

  /// The beat with this number, which must not be before the segment's first beat.
  func beat(_ index: Int64) -> Beat {
    let n = index - firstIndex
    precondition(n >= 0, "a segment has no beat before its first")
    let place = self.place(ofBeat: n)
    let level = metre.level(ofNote: place.position * metre.notesInBeat)
    return Beat(
      index: index, instant: instant(ofBeat: n), bar: place.bar, position: place.position, level: level)
  }

  /// The first sounding slot of a voice at one of some levels, at or after a position in beats, or only after it. Bars of a
  /// count-in have the beats of the main voice only.
  func firstSlot(
    of voice: Int, at position: Position, isAfter: Bool, among levels: PerLevel<Bool> = .all,
    in rhythm: Rhythm
  ) -> Rhythm.Slot? {
    if voice == 0, position.whole < origin {
      var next = position.numerator == 0 && !isAfter ? position.whole : position.whole + 1
      while next < origin {
        let place = Int((next - origin) % Int64(metre.beatsInBar) + Int64(metre.beatsInBar)) % metre.beatsInBar
        let level = metre.level(ofNote: place * metre.notesInBeat)
        if levels[level] { return Rhythm.Slot(position: Position(whole: next), level: level) }
        next += 1
      }
    }
    let begin = Position(whole: origin)
    let isBefore = position < begin
    let from = isBefore ? .zero : position - begin
    let isAfter = isAfter && !isBefore
    guard var slot = rhythm.firstSlot(of: voice, at: from, isAfter: isAfter, among: levels, in: metre) else {
      return nil
    }
    slot.position = slot.position + begin
    return slot
  }

  /// The instant of a position in beats, extended at this segment's tempo to positions before its first beat.
  func instant(of position: Position) -> Instant {
    if let curve { return curve.instant(of: position) }
    return anchor + pace.offset(of: position - Position(whole: firstIndex), remainder: anchorRemainder)
  }

  /// The instant of the n-th beat of this segment.
  func instant(ofBeat n: Int64) -> Instant {
    if let curve { return curve.instant(of: Position(whole: firstIndex + n)) }
    return anchor + pace.offset(ofBeat: n, remainder: anchorRemainder)
  }

  /// What rounding removes from the instant of a beat, in nanoseconds / ``Pace/divisor``.
  func remainder(ofBeat index: Int64) -> Int64 {
    let exact = Int128(index - firstIndex) * Pace.numerator + Int128(anchorRemainder)
    let divisor = Int128(pace.divisor)
    return Int64(exact - exact.floorDivided(by: divisor) * divisor)
  }

  /// The number, counted from the first, of the first beat at or after an instant; at most 0 before the first.
  func firstBeat(atOrAfter instant: Instant) -> Int64 {
    if let curve { return curve.firstBeat(atOrAfter: instant) - firstIndex }
    return pace.firstBeat(atOrAfter: instant - anchor, remainder: anchorRemainder)
  }

  /// The bar and position of the n-th beat. The bar continues; a new one begins when its positions are used up.
  private func place(ofBeat n: Int64) -> (bar: Int64, position: Int) {
    let beats = Int64(metre.beatsInBar)
    let next = Int64(positionBefore) + 1
    let (bar, position) = next < beats ? (barBefore, next) : (barBefore + 1, 0)
    let place = position + n
    return (bar + place / beats, Int(place % beats))
  }
}

/// What remains of a segment that a change within the same beat replaced.
struct ReplacedSegment: Equatable, Sendable, BitwiseCopyable {
  let start: Instant
  let firstIndex: Int64
  private let anchor: Instant
  private let anchorRemainder: Int64
  private let pace: Pace
  private let curve: PlacedCurve?

  init(_ segment: Segment) {
    start = segment.start
    firstIndex = segment.firstIndex
    anchor = segment.anchor
    anchorRemainder = segment.anchorRemainder
    pace = segment.pace
    curve = segment.curve
  }

  /// The instant of a position before the segment's first beat.
  func instant(of position: Position) -> Instant {
    if let curve { return curve.instant(of: position) }
    return anchor + pace.offset(of: position - Position(whole: firstIndex), remainder: anchorRemainder)
  }
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

  init() {
    let none = Segment(
      start: .zero, anchor: .zero, firstIndex: 0, barBefore: 0, positionBefore: -1, tempo: .initial,
      metre: Metre(.initial))
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

/// An inline table of the rhythms that the segments of a timeline name by their places.
struct RhythmTable: Equatable, Sendable, BitwiseCopyable {
  static let capacity = 4

  private var first: Rhythm
  private var second = Rhythm()
  private var third = Rhythm()
  private var fourth = Rhythm()

  init(_ first: Rhythm = Rhythm()) { self.first = first }

  subscript(place: Int) -> Rhythm {
    get {
      switch place {
      case 0: first
      case 1: second
      case 2: third
      default: fourth
      }
    }
    set {
      switch place {
      case 0: first = newValue
      case 1: second = newValue
      case 2: third = newValue
      default: fourth = newValue
      }
    }
  }
}

/// The interval between beats, as an exact fraction of integers.
///
/// With a tempo that counts notes of p/q, a beat of n notes of 1/denominator lasts
/// `60·10⁹ · 1000 · n · q / (milliBPM · denominator · p)` ns. The quotient is seldom whole, so it is never computed.
struct Pace: Equatable, Sendable, BitwiseCopyable {
  /// Nanoseconds × thousandths × 32nds of the unit's denominator in a minute: 60·10⁹ · 1000 · 32.
  static let numerator: Int128 = 1_920_000_000_000_000

  /// milliBPM · 32 · denominator · p / (q · n), which is whole: from 1,000 to 3,068,928,000.
  let divisor: Int64

  init(_ tempo: Tempo, _ metre: Metre) {
    divisor = Int64(tempo.milliBPM) * Pace.parts(metre)
  }

  static func parts(_ metre: Metre) -> Int64 {
    let parts = 32 * metre.signature.denominator * (metre.unit.isDotted ? 3 : 1)
    return Int64(parts / (metre.unit.denominator * metre.notesInBeat))
  }

  /// Time from an anchor to its n-th beat, rounded down. Uses 128 bits: a century at the fastest pace needs 87. `remainder` is
  /// the part of the anchor that was lost by rounding, in nanoseconds / ``divisor``.
  func offset(ofBeat n: Int64, remainder: Int64) -> Nanoseconds {
    Nanoseconds(Int64((Int128(n) * Pace.numerator + Int128(remainder)).floorDivided(by: Int128(divisor))))
  }

  /// Time from an anchor to a position in beats, rounded down once. `remainder` is the part of the anchor that was lost by
  /// rounding, in nanoseconds / ``divisor``.
  func offset(of position: Position, remainder: Int64) -> Nanoseconds {
    let parts = Int128(position.whole) * Int128(position.denominator) + Int128(position.numerator)
    let scaled = parts * Pace.numerator + Int128(remainder) * Int128(position.denominator)
    return Nanoseconds(Int64(scaled.floorDivided(by: Int128(divisor) * Int128(position.denominator))))
  }

  /// The beat interval, rounded up.
  var interval: Nanoseconds { offset(ofBeat: 1, remainder: 0) + Nanoseconds(1) }

  /// The number of the first beat that falls this long after an anchor, or later. `remainder` is the part of the anchor that
  /// was lost by rounding, in nanoseconds / ``divisor``.
  func firstBeat(atOrAfter offset: Nanoseconds, remainder: Int64) -> Int64 {
    // floor((n·N + r)/d) ≥ t  ⇔  n·N + r ≥ t·d  ⇔  n ≥ ceil((t·d - r)/N), for whole t.
    Int64((Int128(offset.count) * Int128(divisor) - Int128(remainder)).ceilingDivided(by: Pace.numerator))
  }

  /// The time from `elapsed` after the anchor to the n-th beat, if another pace applies from then on: whole nanoseconds,
  /// rounded down, and the rest in nanoseconds / the other pace's divisor. `remainder` is the part of the anchor that was lost
  /// by rounding, in nanoseconds / ``divisor``.
  func left(
    untilBeat n: Int64, elapsed: Nanoseconds, remainder: Int64, at other: Pace
  ) -> (whole: Nanoseconds, remainder: Int64) {
    let scaled = Int128(n) * Pace.numerator - Int128(elapsed.count) * Int128(divisor) + Int128(remainder)
    let whole = scaled.floorDivided(by: Int128(other.divisor))
    return (Nanoseconds(Int64(whole)), Int64(scaled - whole * Int128(other.divisor)))
  }
}

extension Int64 {
  func floorDivided(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

extension Int128 {
  func floorDivided(by divisor: Int128) -> Int128 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }

  fileprivate func ceilingDivided(by divisor: Int128) -> Int128 { -(-self).floorDivided(by: divisor) }
}
