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
  /// rhythm, and the gaps if it has the same filter. Cycles that the other segment would have begun later begin now.
  mutating func continueCycles(of other: Segment, hasSameRhythm: Bool) {
    guard metre == other.metre, (origin - other.origin) % Int64(metre.beatsInBar) == 0 else { return }
    if hasSameRhythm { origin = min(origin, other.origin) }
    if filter == other.filter { filterOrigin = min(filterOrigin, other.filterOrigin) }
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

/// When the beats of a part of a timeline fall.
enum Course: Equatable, Sendable, BitwiseCopyable {
  /// At one tempo. Its beats last an exact fraction of a nanosecond for ever.
  case steady(SteadyCourse)
  /// At the tempo of a score or of a source, or in what a source leaves of a beat.
  case curve(PlacedCurve)

  /// From an instant at a phase of a beat on, in 2⁻³² of the beat, evenly to the instant of the next beat. nil if nothing is left of the
  /// beat, or no time.
  init?(from start: Instant, phase: Int64, toBeat beat: Int64, at instant: Instant) {
    guard phase < Course.wholeBeat, start < instant else { return nil }
    let curve = TempoCurve(
      interval: Int128((instant - start).count) << Int128(Course.phaseBits), over: Course.wholeBeat - phase)
    self = .curve(PlacedCurve(curve: curve, beat: beat, origin: FineTime(instant - .zero)))
  }

  private static let phaseBits = 32
  private static let wholeBeat = Int64(1) << Int64(phaseBits)

  /// The instant of a position in beats, rounded down. The course extends in both directions.
  func instant(of position: Position) -> Instant {
    switch self {
    case .steady(let steady): steady.instant(of: position)
    case .curve(let curve): curve.instant(of: position)
    }
  }

  func instant(ofBeat index: Int64) -> Instant {
    switch self {
    case .steady(let steady): steady.instant(ofBeat: index)
    case .curve(let curve): curve.instant(of: Position(whole: index))
    }
  }

  /// The number of the first beat at or after an instant. Before the course begins, it is at most its first beat.
  func firstBeat(atOrAfter instant: Instant) -> Int64 {
    switch self {
    case .steady(let steady): steady.firstBeat(atOrAfter: instant)
    case .curve(let curve): curve.firstBeat(atOrAfter: instant)
    }
  }

  /// How much of a beat has passed at an instant, in 2⁻³² of the beat, as if its tempo were constant: 0 before it, 2³² after it.
  func phase(at instant: Instant, inBeat index: Int64) -> Int64 {
    let (begin, end) = (self.instant(ofBeat: index), self.instant(ofBeat: index + 1))
    let phase = (Int128((instant - begin).count) << Int128(Course.phaseBits)) / Int128((end - begin).count)
    return Int64(min(max(phase, 0), Int128(Course.wholeBeat)))
  }

  /// The rest of the beat before `index` from an instant on, and the beats from then on, at another pace: the same fraction of the beat
  /// is left. `index` is the first beat at or after the instant, or the first beat of the course.
  func changed(to pace: Pace, from instant: Instant, beforeBeat index: Int64) -> Course {
    switch self {
    case .steady(let steady):
      let elapsed = instant - steady.anchor
      let left = steady.pace.left(
        untilBeat: index - steady.beat, elapsed: elapsed, remainder: steady.remainder, at: pace)
      return .steady(
        SteadyCourse(pace: pace, beat: index, anchor: instant + left.whole, remainder: left.remainder))
    case .curve:
      let left = Course.wholeBeat - phase(at: instant, inBeat: index - 1)
      let rest = pace.offset(of: Position(left, over: Course.wholeBeat), remainder: 0)
      return .steady(SteadyCourse(pace: pace, beat: index, anchor: instant + rest))
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

/// Beats at one tempo: beat n falls at `floor(anchor + (n - beat) · N / d + remainder / d)` ns: see ``Pace``.
struct SteadyCourse: Equatable, Sendable, BitwiseCopyable {
  var pace: Pace
  /// The number of the beat at the anchor.
  var beat: Int64
  /// The instant of that beat, rounded down.
  var anchor: Instant
  /// What the rounding removed, in nanoseconds / ``Pace/divisor``: every beat is counted from the exact instant.
  var remainder: Int64 = 0

  func instant(of position: Position) -> Instant {
    anchor + pace.offset(of: position - Position(whole: beat), remainder: remainder)
  }

  func instant(ofBeat index: Int64) -> Instant { anchor + pace.offset(ofBeat: index - beat, remainder: remainder) }

  func firstBeat(atOrAfter instant: Instant) -> Int64 {
    beat + pace.firstBeat(atOrAfter: instant - anchor, remainder: remainder)
  }
}

/// A part of a beat that later changes within the same beat have left behind: from an instant on, it was on this course.
struct BeatPart: Equatable, Sendable, BitwiseCopyable {
  var start: Instant
  /// The number of the beat.
  var beat: Int64
  var course: Course
}

/// An inline table with four places: no heap, so that a real-time thread can copy a timeline.
struct FourPlaces<Element: Equatable & Sendable & BitwiseCopyable>: Equatable, Sendable, BitwiseCopyable {
  static var capacity: Int { 4 }

  private(set) var first: Element
  private(set) var second: Element
  private(set) var third: Element
  private(set) var fourth: Element

  init(_ first: Element, others: Element) { (self.first, second, third, fourth) = (first, others, others, others) }

  subscript(place: Int) -> Element {
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

/// The last changes within beats that have begun, the latest first.
typealias BeatParts = FourPlaces<BeatPart?>

extension BeatParts {
  static var none: BeatParts { BeatParts(nil, others: nil) }

  /// The part that the next one replaces; nil: there is a free place.
  var last: BeatPart? { fourth }

  /// Remembers a part, and returns the one that is forgotten for it. The parts of the same beat that begin at the same instant or later
  /// never came.
  @discardableResult
  mutating func add(_ part: BeatPart) -> BeatPart? {
    var kept: [BeatPart] = [part]
    for place in 0..<Self.capacity {
      guard let other = self[place], other.beat != part.beat || other.start < part.start else { continue }
      kept.append(other)
    }
    for place in 0..<Self.capacity { self[place] = place < kept.count ? kept[place] : nil }
    return kept.count > Self.capacity ? kept[Self.capacity] : nil
  }
}

typealias RhythmTable = FourPlaces<Rhythm>

extension RhythmTable {
  init(_ first: Rhythm = Rhythm()) { self.init(first, others: Rhythm()) }
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
