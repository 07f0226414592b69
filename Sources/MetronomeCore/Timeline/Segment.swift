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
  /// The last two moves of the first beat, as points of the beat before it, in order. Older moves are forgotten.
  var firstKnot: BeatKnot?
  var secondKnot: BeatKnot?
  /// Whether the beats speak their numbers.
  var isSpoken = false
  /// Whether the curve is the tempo of an external source, not of a score.
  var isSteered = false
  /// A factor for the samples of the clicks.
  var gain: Float = 1

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

  static var beginsWithSegments: Bool { MemoryLayout<SegmentList>.offset(of: \.storage) == 0 }

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

  private(set) var first: Rhythm
  private(set) var second = Rhythm()
  private(set) var third = Rhythm()
  private(set) var fourth = Rhythm()

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
