/// Every beat from the start of playing on, as a value.
///
/// Each beat's instant, bar, place, level and parity follow from it by integer arithmetic. Nothing accumulates: beat one
/// billion is computed, not reached. All outputs read the same value, so they cannot disagree.
///
/// Within a segment beat n falls at `anchor + floor(n · 60·10⁹ · 1000 · 4 / (milliBPM · denominator))` ns. A change starts
/// a new segment at an instant that no output has committed, and keeps the phase: the same fraction of a beat remains.
///
/// The value is of fixed size and holds no reference; a real-time thread copies it without a lock.
public struct Timeline: Hashable, Sendable, BitwiseCopyable {
  /// Which start of playing this is. It tells an output that beat 0 is a new one.
  public let session: UInt32
  /// The number of the session's first beat: 0, or where it took up another session's beats.
  package let first: Int64
  var segments: SegmentList

  /// No beats at all.
  public static let stopped = Timeline(session: 0, segments: SegmentList())

  init(session: UInt32, first: Int64 = 0, segments: SegmentList) {
    self.session = session
    self.first = first
    self.segments = segments
  }

  /// Beats from an instant on, the first of a bar first.
  ///
  /// - Parameters:
  ///   - session: another number than that of the start before.
  ///   - firstBeat: when the first beat falls.
  ///   - tempo: of all beats.
  ///   - signature: of all bars.
  ///   - countIn: how many bars before bar 0 it begins with.
  public init(session: UInt32, firstBeat: Instant, tempo: Tempo, signature: Signature, countIn: Int = 0) {
    var segments = SegmentList()
    segments.append(
      Segment(
        start: firstBeat, anchor: firstBeat, firstIndex: 0, barBefore: -Int64(countIn), positionBefore: -1,
        tempo: tempo, signature: signature))
    self.init(session: session, segments: segments)
  }

  public var isPlaying: Bool { segments.count > 0 }

  /// The number of the oldest beat that is not forgotten; nil if stopped.
  public var oldestIndex: Int64? { isPlaying ? max(first, segments[0].firstIndex) : nil }

  /// The beat of this number, or nil if stopped or if it lies so far back that it was forgotten.
  public func beat(_ index: Int64) -> Beat? {
    index < first ? nil : segments.last { $0.firstIndex <= index }?.beat(index)
  }

  /// The beat of a number that is not below ``oldestIndex``, while playing.
  public func knownBeat(_ index: Int64) -> Beat {
    guard let beat = beat(index) else { preconditionFailure("beat \(index) is not known to this timeline") }
    return beat
  }

  /// The first beat at an instant or after it, of those that are not forgotten; nil if stopped.
  public func firstBeat(atOrAfter instant: Instant) -> Beat? {
    if let last = lastBeat(before: instant) { return knownBeat(last.index + 1) }
    guard let oldestIndex else { return nil }
    return knownBeat(oldestIndex)
  }

  /// The last beat at an instant or before it; nil before the first and if stopped.
  public func lastBeat(atOrBefore instant: Instant) -> Beat? { lastBeat(before: instant + Nanoseconds(1)) }

  private func lastBeat(before instant: Instant) -> Beat? {
    guard let index = segments.lastIndex(where: { $0.anchor < instant }) else { return nil }
    let segment = segments[index]
    let n = segment.pace.firstBeat(atOrAfter: instant - segment.anchor) - 1
    let end = index + 1 < segments.count ? segments[index + 1].firstIndex - 1 : Int64.max
    let last = min(segment.firstIndex + n, end)
    return last < first ? nil : segment.beat(last)
  }
}

/// A stretch of a timeline at one tempo in one signature.
struct Segment: Hashable, Sendable, BitwiseCopyable {
  /// From when on it holds. What comes before belongs to the segment before.
  var start: Instant
  /// Where its first beat falls. The beats that follow are counted from here.
  var anchor: Instant
  /// What was cut off when the anchor was rounded down, in nanoseconds / ``Pace/divisor``. A change before the first beat
  /// counts from the unrounded place, so that many changes within a beat lose no more than one.
  var anchorRemainder: Int32 = 0
  /// Its first beat's number.
  var firstIndex: Int64
  /// The bar and the place in it of the beat before its first: -1 where its first begins a bar of that number, at the
  /// start of playing and at a bar line.
  var barBefore: Int64
  var positionBefore: Int
  var tempo: Tempo
  var signature: Signature

  var pace: Pace { Pace(tempo, signature) }

  /// The beat of this number as this segment counts, which is not before its first.
  func beat(_ index: Int64) -> Beat {
    let n = index - firstIndex
    precondition(n >= 0, "a segment knows no beat before its first")
    let place = self.place(ofBeat: n)
    return Beat(index: index, instant: anchor + pace.offset(ofBeat: n), bar: place.bar, position: place.position)
  }

  /// The place of the n-th beat. The bar goes on; where it has no such place any more a new bar begins.
  private func place(ofBeat n: Int64) -> (bar: Int64, position: Int) {
    let beats = Int64(signature.numerator)
    let next = Int64(positionBefore) + 1
    let (bar, position) = next < beats ? (barBefore, next) : (barBefore + 1, 0)
    let place = position + n
    return (bar + place / beats, Int(place % beats))
  }
}

/// A few segments in place, oldest first: no heap, so that a real-time thread can copy a timeline.
struct SegmentList: Hashable, Sendable, BitwiseCopyable {
  /// A segment without a beat is never kept: so many changes with a beat between each two, all of them remembered, fit.
  static let capacity = 16

  private typealias Storage = (
    Segment, Segment, Segment, Segment, Segment, Segment, Segment, Segment,
    Segment, Segment, Segment, Segment, Segment, Segment, Segment, Segment
  )
  private var storage: Storage
  private(set) var count = 0

  init() {
    let none = Segment(
      start: .zero, anchor: .zero, firstIndex: 0, barBefore: 0, positionBefore: -1, tempo: .initial, signature: .initial
    )
    storage = (
      none, none, none, none, none, none, none, none, none, none, none, none, none, none, none, none
    )
  }

  var isFull: Bool { count == SegmentList.capacity }

  /// How many more fit.
  var room: Int { SegmentList.capacity - count }

  subscript(index: Int) -> Segment {
    precondition((0..<count).contains(index), "a segment that is not there")
    return withUnsafeBytes(of: storage) {
      $0.load(fromByteOffset: index * MemoryLayout<Segment>.stride, as: Segment.self)
    }
  }

  mutating func append(_ segment: Segment) {
    precondition(!isFull, "more segments than fit")
    store(segment, at: count)
    count += 1
  }

  mutating func replaceLast(with segment: Segment) {
    precondition(count > 0, "no segment to replace")
    store(segment, at: count - 1)
  }

  mutating func removeFirst(_ number: Int) {
    precondition(number <= count, "more segments than there are")
    let kept = (number..<count).map { self[$0] }
    count = 0
    for segment in kept { append(segment) }
  }

  /// Takes away those at the end that match.
  mutating func removeLast(where matches: (Segment) -> Bool) {
    while count > 0, matches(self[count - 1]) { count -= 1 }
  }

  func lastIndex(where matches: (Segment) -> Bool) -> Int? {
    var index = count - 1
    while index >= 0 {
      if matches(self[index]) { return index }
      index -= 1
    }
    return nil
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

  func hash(into hasher: inout Hasher) { for index in 0..<count { hasher.combine(self[index]) } }
}

/// The distance between beats, as an exact fraction of integers.
///
/// A beat lasts `60·10⁹ · 1000 · 4 / (milliBPM · denominator)` ns. The quotient is seldom whole, so it is never formed.
struct Pace: Hashable, Sendable, BitwiseCopyable {
  /// Nanoseconds × thousandths × quarters in a minute: 60·10⁹ · 1000 · 4.
  private static let numerator: Int128 = 240_000_000_000_000

  /// milliBPM · denominator, from 1,000 to 31,968,000.
  let divisor: Int64

  init(_ tempo: Tempo, _ signature: Signature) {
    divisor = Int64(tempo.milliBPM) * Int64(signature.denominator)
  }

  /// How long after an anchor its n-th beat falls, rounded down. 128 bits inside: a century at the fastest pace needs 87.
  func offset(ofBeat n: Int64) -> Nanoseconds {
    Nanoseconds(Int64((Int128(n) * Pace.numerator).floorDivided(by: Int128(divisor))))
  }

  /// From beat to beat, rounded up.
  var interval: Nanoseconds { offset(ofBeat: 1) + Nanoseconds(1) }

  /// The number of the first beat that falls this long after an anchor, or later.
  func firstBeat(atOrAfter offset: Nanoseconds) -> Int64 {
    // floor(n·N/d) ≥ t  ⇔  n·N ≥ t·d  ⇔  n ≥ ceil(t·d/N), for whole t.
    Int64((Int128(offset.count) * Int128(divisor)).ceilingDivided(by: Pace.numerator))
  }

  /// The time left until the n-th beat after the anchor, `elapsed` after it, if the same fraction of a beat goes on at
  /// another pace.
  ///
  /// - Parameter remainder: how far the anchor lies after the instant it is counted from, in nanoseconds / ``divisor``.
  /// - Returns: whole nanoseconds, rounded down once, and what was cut off, in nanoseconds / the other pace's divisor.
  func left(
    untilBeat n: Int64, elapsed: Nanoseconds, remainder: Int32, at other: Pace
  ) -> (whole: Nanoseconds, remainder: Int32) {
    let scaled = Int128(n) * Pace.numerator - Int128(elapsed.count) * Int128(divisor) + Int128(remainder)
    let whole = scaled.floorDivided(by: Int128(other.divisor))
    return (Nanoseconds(Int64(whole)), Int32(scaled - whole * Int128(other.divisor)))
  }
}

extension Int128 {
  func floorDivided(by divisor: Int128) -> Int128 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }

  fileprivate func ceilingDivided(by divisor: Int128) -> Int128 { -(-self).floorDivided(by: divisor) }
}
