/// A part of a timeline on one course in one signature. It begins at any phase of a beat.
struct Segment: Equatable, Sendable, BitwiseCopyable {
  /// When the segment begins. Earlier instants belong to the previous segment.
  var start: Instant
  /// When its beats fall, and what is left of the beat in which it begins.
  var course: Course { didSet { anchor = course.instant(ofBeat: firstIndex) } }
  /// The instant of its first beat, rounded down.
  private(set) var anchor: Instant
  let firstIndex: Int64
  /// The bar and position of the beat before the segment's first; position -1 if the segment's first beat begins that bar.
  var barBefore: Int64
  var positionBefore: Int
  /// The set tempo. A score or a source plays another one.
  var tempo: Tempo
  var metre: Metre
  /// The place of the rhythm in the timeline's table.
  var rhythm = 0
  /// The beat of a bar line at which the cycles of all voices begin.
  var origin: Int64
  /// Which bars and beats are silent.
  var filter: SilenceFilter
  /// The beat of a bar line from which the filter counts bars and beats.
  var filterOrigin: Int64
  /// The number of that beat in its song.
  var songBeat: Int64 = 0
  /// Whether the beats speak their numbers.
  var isSpoken = false
  /// Whether the course is that of an external source.
  var isSteered = false
  /// A factor for the samples of the clicks.
  var gain: Float = 1

  /// The cycles begin with the bar of the first beat, or with bar 0 if that bar is a count-in. `start` is nil if the segment begins with
  /// its first beat.
  init(
    _ course: Course, start: Instant? = nil, firstIndex: Int64, barBefore: Int64, positionBefore: Int, tempo: Tempo,
    metre: Metre, filter: SilenceFilter = SilenceFilter()
  ) {
    self.course = course
    anchor = course.instant(ofBeat: firstIndex)
    self.start = start ?? anchor
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

  /// Beats at the set tempo, the first of them at an instant, or a part of a nanosecond later: see ``SteadyCourse/remainder``.
  init(
    at anchor: Instant, remainder: Int64 = 0, start: Instant? = nil, firstIndex: Int64, barBefore: Int64,
    positionBefore: Int, tempo: Tempo, metre: Metre, filter: SilenceFilter
  ) {
    let course = SteadyCourse(pace: Pace(tempo, metre), beat: firstIndex, anchor: anchor, remainder: remainder)
    self.init(
      .steady(course), start: start, firstIndex: firstIndex, barBefore: barBefore, positionBefore: positionBefore,
      tempo: tempo, metre: metre, filter: filter)
  }

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
      index: index, instant: course.instant(ofBeat: index), bar: place.bar, position: place.position, level: level)
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

  /// The bar and position of the n-th beat. The bar continues; a new one begins when its positions are used up.
  private func place(ofBeat n: Int64) -> (bar: Int64, position: Int) {
    let beats = Int64(metre.beatsInBar)
    let next = Int64(positionBefore) + 1
    let (bar, position) = next < beats ? (barBefore, next) : (barBefore + 1, 0)
    let place = position + n
    return (bar + place / beats, Int(place % beats))
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
