/// The seam through which an external source moves the beats of a timeline.
extension Timeline {
  /// Whether the last segment plays the tempo of an external source.
  var isSteered: Bool { isPlaying && lastSegment.isSteered }

  /// The bar that plays once all changes are in effect. Only while playing.
  var lastBar: Bar {
    let last = lastSegment
    return Bar(last.metre, rhythms[last.rhythm], filter: last.filter)
  }

  /// The same beats before `index`, then beats at a source's tempo, the first of them at `instant`.
  ///
  /// Every beat keeps its number. The bar continues, unless `place` gives the first beat's bar and position, counted from 0.
  /// `tempo` is the set tempo, which is kept apart from the played one. The beat must not be before what an output has
  /// committed, and `instant` must be after the beat before it.
  ///
  /// - Returns: nil if the timeline is full.
  func steered(
    from index: Int64, at instant: Instant, playing played: ScoreTempo, in bar: Bar, set tempo: Tempo,
    place: (bar: Int64, position: Int)? = nil, now: Instant
  ) -> Timeline? {
    var timeline = trimmed(at: now)
    let before = timeline.placeBefore(index)
    var next = Segment(
      start: instant, anchor: instant, firstIndex: index, barBefore: place?.bar ?? before.bar,
      positionBefore: place.map { $0.position - 1 } ?? before.position, tempo: tempo, metre: bar.metre,
      filter: bar.filter)
    next.curve = PlacedCurve(
      curve: TempoCurve(played, bar.metre), beat: index, origin: FineTime(instant - .zero))
    next.isSteered = true
    return timeline.add(next, bar.rhythm) ? timeline : nil
  }

  /// The number of the first beat at or after an instant that begins a bar. Only while playing.
  func nextBarLine(atOrAfter instant: Instant) -> Int64 {
    var beat = knownBeat(nextBeat(atOrAfter: instant))
    if beat.position > 0 { beat = knownBeat(beat.index + Int64(lastSegment.metre.beatsInBar - beat.position)) }
    return beat.index
  }
}

extension Segment {
  /// An instant within a beat, moved in proportion if a source's tempo ends the beat at another instant than this segment does. So
  /// the slots and clocks of the beat stay evenly spaced.
  func stretched(_ instant: Instant, in beat: Int64, until end: Instant) -> Instant {
    let (start, own) = (self.instant(of: Position(beat)), self.instant(of: Position(beat + 1)))
    guard own > start, end > start else { return min(instant, end) }
    let moved = Int128((instant - start).count) * Int128((end - start).count)
    return start + Nanoseconds(Int64(moved / Int128((own - start).count)))
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
