/// All beats from the start of playback, as a value.
///
/// Each beat's instant, bar, position, level and parity are computed from it by integer arithmetic; no error accumulates.
/// Within a segment beat n falls at `anchor + floor(n · 60·10⁹ · 1000 · 4 / (milliBPM · denominator))` ns. A change starts a
/// new segment at an instant that no output has committed, and keeps the phase: the same fraction of a beat remains.
///
/// The value has a fixed size and no references; a real-time thread copies it without a lock.
public struct Timeline: Hashable, Sendable, BitwiseCopyable {
  /// Identifies the start of playback, so that an output can distinguish a new beat 0 from an old beat 0.
  public let session: UInt32
  /// The number of the session's first beat: 0, or the beat at which the session continued another one.
  package let first: Int64
  var segments: SegmentList

  public static let stopped = Timeline(session: 0, segments: SegmentList())

  init(session: UInt32, first: Int64 = 0, segments: SegmentList) {
    self.session = session
    self.first = first
    self.segments = segments
  }

  /// Beats at one tempo from `firstBeat` on, where a bar begins. `countIn` is the number of bars before bar 0.
  ///
  /// `session` must differ from the session of the previous start.
  public init(session: UInt32, firstBeat: Instant, tempo: Tempo, signature: Signature, countIn: Int = 0) {
    var segments = SegmentList()
    segments.append(
      Segment(
        start: firstBeat, anchor: firstBeat, firstIndex: 0, barBefore: -Int64(countIn), positionBefore: -1,
        tempo: tempo, signature: signature))
    self.init(session: session, segments: segments)
  }

  public var isPlaying: Bool { segments.count > 0 }

  /// The number of the oldest beat that is still kept; nil if stopped.
  public var oldestIndex: Int64? { isPlaying ? max(first, segments[0].firstIndex) : nil }

  /// The beat with this number; nil if stopped, or if the beat is so old that it was discarded.
  public func beat(_ index: Int64) -> Beat? {
    index < first ? nil : segments.last { $0.firstIndex <= index }?.beat(index)
  }

  /// The beat with this number, which must not be below ``oldestIndex``. Only while playing.
  public func knownBeat(_ index: Int64) -> Beat {
    guard let beat = beat(index) else { preconditionFailure("beat \(index) is not in this timeline") }
    return beat
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
    let changed = next.instant(of: position)
    return changed >= next.start ? changed : min(own, next.start)
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
    let n = segment.pace.firstBeat(atOrAfter: instant - segment.anchor) - 1
    let end = index + 1 < segments.count ? segments[index + 1].firstIndex - 1 : Int64.max
    let last = min(segment.firstIndex + n, end)
    return last < first ? nil : segment.beat(last)
  }
}

/// A part of a timeline at one tempo in one signature.
struct Segment: Hashable, Sendable, BitwiseCopyable {
  /// When the segment begins. Earlier instants belong to the previous segment.
  var start: Instant
  /// The instant of its first beat, from which the following beats are counted.
  var anchor: Instant
  /// The rounding error of the anchor, in nanoseconds / ``Pace/divisor``, so that the errors of several changes do not add up.
  var anchorRemainder: Int32 = 0
  var firstIndex: Int64
  /// The bar and position of the beat before the segment's first; position -1 if the segment's first beat begins that bar.
  var barBefore: Int64
  var positionBefore: Int
  var tempo: Tempo
  var signature: Signature

  var pace: Pace { Pace(tempo, signature) }

  /// The beat with this number, which must not be before the segment's first beat.
  func beat(_ index: Int64) -> Beat {
    let n = index - firstIndex
    precondition(n >= 0, "a segment has no beat before its first")
    let place = self.place(ofBeat: n)
    return Beat(index: index, instant: anchor + pace.offset(ofBeat: n), bar: place.bar, position: place.position)
  }

  /// The instant of a position in beats, extended at this segment's tempo to positions before its first beat.
  func instant(of position: Position) -> Instant {
    let offset = position - Position(firstIndex)
    // The rounded anchor defines the phase from the first beat on.
    return anchor + pace.offset(of: offset, remainder: offset.whole < 0 ? anchorRemainder : 0)
  }

  /// The bar and position of the n-th beat. The bar continues; a new one begins when its positions are used up.
  private func place(ofBeat n: Int64) -> (bar: Int64, position: Int) {
    let beats = Int64(signature.numerator)
    let next = Int64(positionBefore) + 1
    let (bar, position) = next < beats ? (barBefore, next) : (barBefore + 1, 0)
    let place = position + n
    return (bar + place / beats, Int(place % beats))
  }
}

/// An inline list of segments, oldest first: no heap, so that a real-time thread can copy a timeline.
struct SegmentList: Hashable, Sendable, BitwiseCopyable {
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
      start: .zero, anchor: .zero, firstIndex: 0, barBefore: 0, positionBefore: -1, tempo: .initial, signature: .initial
    )
    storage = (none, none, none, none, none, none, none, none, none, none, none, none, none, none, none, none)
  }

  var isFull: Bool { count == SegmentList.capacity }
  var room: Int { SegmentList.capacity - count }

  subscript(index: Int) -> Segment {
    precondition((0..<count).contains(index), "the segment index is out of range")
    return withUnsafeBytes(of: storage) {
      $0.load(fromByteOffset: index * MemoryLayout<Segment>.stride, as: Segment.self)
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

  func hash(into hasher: inout Hasher) { for index in 0..<count { hasher.combine(self[index]) } }
}

/// The interval between beats, as an exact fraction of integers.
///
/// A beat lasts `60·10⁹ · 1000 · 4 / (milliBPM · denominator)` ns. The quotient is seldom whole, so it is never computed.
struct Pace: Hashable, Sendable, BitwiseCopyable {
  /// Nanoseconds × thousandths × quarters in a minute: 60·10⁹ · 1000 · 4.
  private static let numerator: Int128 = 240_000_000_000_000

  /// milliBPM · denominator, from 1,000 to 31,968,000.
  let divisor: Int64

  init(_ tempo: Tempo, _ signature: Signature) { divisor = Int64(tempo.milliBPM) * Int64(signature.denominator) }

  /// Time from an anchor to its n-th beat, rounded down. Uses 128 bits: a century at the fastest pace needs 87.
  func offset(ofBeat n: Int64) -> Nanoseconds {
    Nanoseconds(Int64((Int128(n) * Pace.numerator).floorDivided(by: Int128(divisor))))
  }

  /// Time from an anchor to a position in beats, rounded down once. `remainder` is the part of the anchor that was lost by
  /// rounding, in nanoseconds / ``divisor``.
  func offset(of position: Position, remainder: Int32) -> Nanoseconds {
    let parts = Int128(position.whole) * Int128(position.denominator) + Int128(position.numerator)
    let scaled = parts * Pace.numerator + Int128(remainder) * Int128(position.denominator)
    return Nanoseconds(Int64(scaled.floorDivided(by: Int128(divisor) * Int128(position.denominator))))
  }

  /// The beat interval, rounded up.
  var interval: Nanoseconds { offset(ofBeat: 1) + Nanoseconds(1) }

  /// The number of the first beat that falls this long after an anchor, or later.
  func firstBeat(atOrAfter offset: Nanoseconds) -> Int64 {
    // floor(n·N/d) ≥ t  ⇔  n·N ≥ t·d  ⇔  n ≥ ceil(t·d/N), for whole t.
    Int64((Int128(offset.count) * Int128(divisor)).ceilingDivided(by: Pace.numerator))
  }

  /// The time from `elapsed` after the anchor to the n-th beat, if another pace applies from then on: whole nanoseconds,
  /// rounded down, and the rest in nanoseconds / the other pace's divisor. `remainder` is the part of the anchor that was lost
  /// by rounding, in nanoseconds / ``divisor``.
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
