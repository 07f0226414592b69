/// Every beat from the start of playing on, as a value.
///
/// It says at which instant a beat falls, at which tempo and in which signature it goes on from there; each beat's
/// instant, bar, place, accent and parity follow from that by integer arithmetic. Light, buzzer and clicks all read the
/// same value, so they cannot disagree, and nothing accumulates: beat one billion is computed, not reached.
///
/// Within a segment beat n falls at `anchor + floor(n · 60·10⁹ · 1000 · 4 / (milliBPM · denominator))` ns. A change of
/// tempo or signature starts a new segment at an instant that no output has committed yet, and keeps the phase: the
/// fraction of a beat that remained at the old pace, counted from its anchor, remains at the new one, to the nanosecond.
///
/// The value is of fixed size and holds no reference; a real-time thread copies it without a lock.
public struct Timeline: Hashable, Sendable, BitwiseCopyable {
  /// Which start of playing this is. It tells an output that beat 0 is a new one.
  public let session: UInt32
  /// The number of the session's first beat: 0, or where it took up another session's beats. Its oldest segment may count
  /// from before.
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
  ///   - firstBeat: when beat 0 falls.
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
