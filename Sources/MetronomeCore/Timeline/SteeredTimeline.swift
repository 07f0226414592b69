/// The seam through which an external source moves the beats of a timeline.
extension Timeline {
  /// Whether the last segment plays the tempo of an external source.
  package var isSteered: Bool { isPlaying && lastSegment.isSteered }

  /// The bar that plays once all changes are in effect. Only while playing.
  var lastBar: Bar {
    let last = lastSegment
    return Bar(last.metre, rhythms[last.rhythm], filter: last.filter)
  }

  /// The same beats before `index`, then beats at a source's tempo, the first of them at `instant`.
  ///
  /// Every beat keeps its number. The bar continues, unless `place` gives the first beat's bar and position, counted from 0.
  /// `tempo` is the set tempo, which is kept apart from the played one. The outputs have committed everything before `effective`,
  /// so `index` must not be before it. `instant` must be after the beat before it.
  ///
  /// - Returns: nil if the timeline is full.
  func steered(
    from index: Int64, at instant: Instant, playing played: ScoreTempo, in bar: Bar, set tempo: Tempo,
    place: (bar: Int64, position: Int)? = nil, effective: Instant, now: Instant
  ) -> Timeline? {
    var timeline = trimmed(at: now)
    // A beat that was steered before keeps the place that it was given.
    let earlier = timeline.segments.last { $0.firstIndex == index && $0.isSteered }
    let before = earlier.map { ($0.barBefore, $0.positionBefore) } ?? timeline.placeBefore(index)
    var next = Segment(
      start: instant, anchor: instant, firstIndex: index, barBefore: place?.bar ?? before.0,
      positionBefore: place.map { $0.position - 1 } ?? before.1, tempo: tempo, metre: bar.metre,
      filter: bar.filter)
    next.curve = PlacedCurve(
      curve: TempoCurve(played, bar.metre), beat: index, origin: FineTime(instant - .zero))
    next.isSteered = true
    if let begin = beat(index - 1)?.instant {
      var planned = next
      planned.start = knownBeat(index).instant
      if let earlier { (planned.firstKnot, planned.secondKnot) = (earlier.firstKnot, earlier.secondKnot) }
      next.addKnot(at: effective, in: begin, planned: planned)
    }
    return timeline.add(next, bar.rhythm) ? timeline : nil
  }

  /// The number of the first beat at or after an instant that begins a bar. Only while playing.
  func nextBarLine(atOrAfter instant: Instant) -> Int64 {
    var beat = knownBeat(nextBeat(atOrAfter: instant))
    if beat.position > 0 { beat = knownBeat(beat.index + Int64(lastSegment.metre.beatsInBar - beat.position)) }
    return beat.index
  }
}

/// A point of a beat whose end was moved: the instant of the move, and the phase reached then. Earlier positions keep their
/// instants.
struct BeatKnot: Equatable, Sendable, BitwiseCopyable {
  var instant: Instant
  /// The part of the beat, in 2⁻³².
  var phase: Int64

  static let whole: Int64 = 1 << 32

  /// The instant of a position between this knot and a later one, as a straight line.
  func instant(of position: Position, until later: BeatKnot) -> Instant {
    guard later.phase > phase, later.instant > instant else { return later.instant }
    let denominator = Int128(position.denominator)
    let part = Int128(position.numerator) * Int128(BeatKnot.whole) - Int128(phase) * denominator
    let scaled = part * Int128((later.instant - instant).count)
    return instant + Nanoseconds(Int64(scaled.floorDivided(by: denominator * Int128(later.phase - phase))))
  }

  /// The part of the beat at an instant between this knot and a later one.
  func phase(at instant: Instant, until later: BeatKnot) -> Int64 {
    guard later.instant > self.instant else { return later.phase }
    let scaled = Int128(later.phase - phase) * Int128((instant - self.instant).count)
    return phase + Int64(scaled.floorDivided(by: Int128((later.instant - self.instant).count)))
  }

  func isAtOrBefore(_ position: Position) -> Bool {
    Int128(phase) * Int128(position.denominator) <= Int128(position.numerator) * Int128(BeatKnot.whole)
  }
}

extension Segment {
  private var lastKnot: BeatKnot { BeatKnot(instant: start, phase: BeatKnot.whole) }

  /// The instant of a position in the beat before the segment, which began at `begin`. Positions before the last two moves keep
  /// their instants; later ones are evenly spaced.
  func moved(_ position: Position, from begin: Instant) -> Instant {
    var from = BeatKnot(instant: begin, phase: 0)
    if let knot = firstKnot {
      guard knot.isAtOrBefore(position) else { return from.instant(of: position, until: knot) }
      from = knot
    }
    if let knot = secondKnot {
      guard knot.isAtOrBefore(position) else { return from.instant(of: position, until: knot) }
      from = knot
    }
    return from.instant(of: position, until: lastKnot)
  }

  /// The phase at an instant of the beat before the segment, which began at `begin`.
  private func phase(at instant: Instant, from begin: Instant) -> Int64 {
    var from = BeatKnot(instant: begin, phase: 0)
    if let knot = firstKnot {
      guard knot.instant <= instant else { return from.phase(at: instant, until: knot) }
      from = knot
    }
    if let knot = secondKnot {
      guard knot.instant <= instant else { return from.phase(at: instant, until: knot) }
      from = knot
    }
    return from.phase(at: instant, until: lastKnot)
  }

  /// Records a move of the first beat at an instant. `planned` is the segment before the move.
  mutating func addKnot(at instant: Instant, in begin: Instant, planned: Segment) {
    guard instant > begin, instant < planned.start else { return }
    let knot = BeatKnot(instant: instant, phase: planned.phase(at: instant, from: begin))
    if let last = planned.secondKnot ?? planned.firstKnot {
      (firstKnot, secondKnot) =
        last.instant < instant ? (last, knot) : (planned.firstKnot, planned.secondKnot)
    } else {
      firstKnot = knot
    }
  }
}

extension Metre {
  /// The length of a beat in millionths of a quarter note.
  var beatInMicroquarters: Int64 { Int64(4_000_000 * notesInBeat / signature.denominator) }
}

extension ScoreTempo {
  /// The fastest and the slowest tempo of a source: 999 and 1 BPM.
  static let femtosecondsPerQuarter: ClosedRange<Int64> = 60_060_060_060_061...60_000_000_000_000_000

  /// A tempo that counts the metre's unit.
  init(_ tempo: Tempo, in metre: Metre) {
    let unit = Int64(4 * (metre.unit.isDotted ? 3 : 1) * tempo.milliBPM)
    self.init(clampingFemtosecondsPerQuarter: 60_000_000_000_000_000 / unit * 1_000 * Int64(metre.unit.denominator))
  }

  /// The tempo of a source, in femtoseconds per quarter note; clamped to 1 to 999 BPM.
  init(clampingFemtosecondsPerQuarter period: Int64) {
    let range = ScoreTempo.femtosecondsPerQuarter
    (quarter, rate) = (min(max(period, range.lowerBound), range.upperBound), 1_000_000)
  }
}
