/// The seam through which an external source moves the beats of a timeline.
extension Timeline {
  /// Whether the last segment plays the tempo of an external source.
  package var isSteered: Bool { isPlaying && lastSegment.isSteered }

  /// The bar that plays once all changes are in effect. Only while playing.
  var lastBar: Bar {
    let last = lastSegment
    return Bar(last.metre, rhythms[last.rhythm], filter: last.filter)
  }

  /// The same beats before `index`, then beats at a source's tempo, or at the set tempo if it is nil, the first of them at `instant`.
  ///
  /// Every beat keeps its number. The bar continues, unless `place` gives the first beat's bar and position, counted from 0.
  /// `tempo` is the set tempo, which is kept apart from the played one. The outputs have committed everything before `effective`,
  /// so `index` must not be before it. `instant` must be after the beat before it.
  ///
  /// - Returns: nil if the timeline is full, also of parts of beats that are still to come.
  func steered(
    from index: Int64, at instant: Instant, playing played: ScoreTempo?, in bar: Bar, set tempo: Tempo,
    place: (bar: Int64, position: Int)? = nil, effective: Instant, now: Instant
  ) -> Timeline? {
    var timeline = trimmed(at: now)
    // A beat that was steered before keeps the place that it was given.
    let earlier = timeline.segments.last { $0.firstIndex == index && $0.isSteered }
    let before = earlier.map { ($0.barBefore, $0.positionBefore) } ?? timeline.placeBefore(index)
    let curve = played.map {
      PlacedCurve(curve: TempoCurve($0, bar.metre), beat: index, origin: FineTime(instant - .zero))
    }
    let steady = SteadyCourse(pace: Pace(tempo, bar.metre), beat: index, anchor: instant)
    var next = Segment(
      curve.map(Course.curve) ?? .steady(steady), firstIndex: index, barBefore: place?.bar ?? before.0,
      positionBefore: place.map { $0.position - 1 } ?? before.1, tempo: tempo, metre: bar.metre, filter: bar.filter)
    next.isSteered = played != nil
    let part = rest(ofBeat: index - 1, from: effective, to: instant)
    guard timeline.add(next, bar.rhythm) else { return nil }
    // A change of tempo or bar by hands is made all the same.
    if let part, let forgotten = timeline.parts.add(part), timeline.end(of: forgotten) > now, ends(in: tempo, bar) {
      return nil
    }
    return timeline
  }

  /// When the next part of the same beat begins, or else the next beat.
  func end(of part: BeatPart) -> Instant {
    for place in (0..<BeatParts.capacity).reversed() {
      if let later = parts[place], later.beat == part.beat, later.start > part.start { return later.start }
    }
    return beat(part.beat + 1)?.instant ?? part.start
  }

  /// What is left of a beat at an instant, evenly up to another instant of the next beat; nil: nothing, or the beat is not kept.
  private func rest(ofBeat index: Int64, from instant: Instant, to end: Instant) -> BeatPart? {
    guard let begin = beat(index)?.instant else { return nil }
    let start = max(begin, instant)
    let phase = start == begin ? 0 : course(at: start, inBeat: index).phase(at: start, inBeat: index)
    return Course(from: start, phase: phase, toBeat: index + 1, at: end).map {
      BeatPart(start: start, beat: index, course: $0)
    }
  }

  /// The course at an instant in a beat that is kept.
  private func course(at instant: Instant, inBeat index: Int64) -> Course {
    if let next = segments.last(where: { $0.firstIndex == index + 1 && $0.start <= instant }) { return next.course }
    for place in 0..<BeatParts.capacity {
      if let part = parts[place], part.beat == index, part.start <= instant { return part.course }
    }
    let segment = segments.last { $0.firstIndex <= index }
    guard let segment else { preconditionFailure("beat \(index) is not in this timeline") }
    return segment.course
  }

  /// The number of the first beat at or after an instant that begins a bar. Only while playing.
  func nextBarLine(atOrAfter instant: Instant) -> Int64 {
    var beat = knownBeat(nextBeat(atOrAfter: instant))
    // Beat by beat: another metre may begin with the bar line.
    while beat.position > 0 { beat = knownBeat(beat.index + 1) }
    return beat.index
  }
}

extension Metre {
  /// The length of a beat in millionths of a quarter note.
  var beatInMicroquarters: Int64 { Int64(4_000_000 * notesInBeat / signature.denominator) }
}

extension ScoreTempo {
  /// The fastest and the slowest tempo of a source: 999 and 1 BPM.
  static let femtosecondsPerQuarter: ClosedRange<Int64> = 60_060_060_060_061...60_000_000_000_000_000

  /// The tempo of a source, in femtoseconds per quarter note; clamped to 1 to 999 BPM.
  init(clampingFemtosecondsPerQuarter period: Int64) {
    let range = ScoreTempo.femtosecondsPerQuarter
    (quarter, rate) = (min(max(period, range.lowerBound), range.upperBound), 1_000_000)
  }
}
