extension Timeline {
  /// How long a segment is kept after the first beat of the next segment, for outputs that are late.
  static let memory = Nanoseconds.milliseconds(100)

  /// Whether a change fits now. The timeline is full only if presses, with beats between them, come faster than outputs commit.
  /// A change then waits, and later changes are merged into it.
  public func hasRoom(at now: Instant) -> Bool { !trimmed(at: now).segments.isFull }

  /// When ``hasRoom(at:)`` becomes true if nothing else happens.
  public var nextRoom: Instant { segments.isFull ? segments[1].anchor + Timeline.memory : .zero }

  /// Whether tempo and signature are these once all changes are in effect.
  public func ends(in tempo: Tempo, _ signature: Signature) -> Bool {
    guard isPlaying else { return false }
    let last = lastSegment
    return last.tempo == tempo && last.signature == signature
  }

  /// The same beats until an instant, and then another tempo and signature with the phase kept.
  ///
  /// The position in the bar is kept if the new bar has it; otherwise the next beat starts a bar. The first beat does not move;
  /// an earlier instant is treated as the instant of the first beat.
  ///
  /// The instant must not be before what an output has committed; an instant before the last change is treated as the instant
  /// of the last change. Segments well before `now` may be discarded.
  ///
  /// - Precondition: ``hasRoom(at:)``.
  public func changed(to tempo: Tempo, _ signature: Signature, from instant: Instant, now: Instant) -> Timeline {
    guard isPlaying else { return self }
    var timeline = trimmed(at: now)
    let last = timeline.lastSegment
    timeline.appendOrReplaceLast(with: last.changed(to: tempo, signature, from: max(instant, last.start)))
    return timeline
  }

  /// The same beats until the first bar line at or after an instant, and then another tempo and signature. It replaces a change
  /// at the same bar line. Parameters and precondition are those of ``changed(to:_:from:now:)``.
  public func changedAtBarLine(to tempo: Tempo, _ signature: Signature, from instant: Instant, now: Instant) -> Timeline
  {
    guard isPlaying else { return self }
    var timeline = trimmed(at: now)
    let line = timeline.lastSegment.barLine(atOrAfter: instant)
    timeline.appendOrReplaceLast(
      with: Segment(
        start: line.instant, anchor: line.instant, firstIndex: line.index, barBefore: line.bar, positionBefore: -1,
        tempo: tempo, signature: signature))
    return timeline
  }

  /// The last segment. Only while playing.
  var lastSegment: Segment { segments[segments.count - 1] }

  func trimmed(at now: Instant) -> Timeline {
    var dropped = 0
    while dropped + 1 < segments.count, segments[dropped + 1].anchor <= now - Timeline.memory { dropped += 1 }
    guard dropped > 0 else { return self }
    var timeline = self
    timeline.segments.removeFirst(dropped)
    return timeline
  }

  private mutating func appendOrReplaceLast(with next: Segment) {
    next.firstIndex == lastSegment.firstIndex ? segments.replaceLast(with: next) : segments.append(next)
  }
}

extension Segment {
  fileprivate func changed(to tempo: Tempo, _ signature: Signature, from instant: Instant) -> Segment {
    let n = max(0, pace.firstBeat(atOrAfter: instant - anchor))
    var next = Segment(
      start: instant, anchor: anchor, firstIndex: firstIndex + n, barBefore: barBefore, positionBefore: positionBefore,
      tempo: tempo, signature: signature)
    if n > 0 {
      let before = beat(firstIndex + n - 1)
      next.barBefore = before.bar
      next.positionBefore = before.position
    }
    // Once a beat has been played at the rounded anchor, the rounded anchor defines the phase.
    let left = pace.left(
      untilBeat: n, elapsed: instant - anchor, remainder: n == 0 ? anchorRemainder : 0, at: next.pace)
    next.anchor = instant + left.whole
    next.anchorRemainder = left.remainder
    return next
  }

  /// The first beat of a bar at or after an instant, and not before this segment begins.
  fileprivate func barLine(atOrAfter instant: Instant) -> Beat {
    let next = beat(firstIndex + max(0, pace.firstBeat(atOrAfter: instant - anchor)))
    return next.position == 0 ? next : beat(next.index + Int64(signature.numerator - next.position))
  }
}

extension Timeline {
  /// Starts playback at `firstBeat` with the beat of the last tap, in bar 0, and continues in phase with the taps. The first
  /// tap of the run counts as the first beat of a bar.
  public init(session: UInt32, tapped taps: TapTempo.Estimate, firstBeat: Instant, tempo: Tempo, signature: Signature) {
    self.init(session: session, firstBeat: firstBeat, tempo: tempo, signature: signature)
    var first = segments[0]
    first.positionBefore = Int(taps.beats % Int64(signature.numerator)) - 1
    segments.replaceLast(with: first)
    segments.append(first.afterItsFirstBeat(at: taps.instant(ofBeat: max(1, taps.firstBeat(after: firstBeat)))))
  }

  /// The same beats until an instant, and then beats in phase with the taps.
  ///
  /// The last tap belongs to the nearest beat. If that beat is before the instant, it does not move; otherwise it moves to the
  /// instant. The next beat falls one period after the tap, or the smallest number of periods that puts it after the instant.
  /// Every beat keeps its number and position. If a change is scheduled for a later bar line, tempo and signature change there,
  /// and the phase is kept. Parameters are those of ``changed(to:_:from:now:)``. nil if the timeline is full.
  public func tapped(
    _ taps: TapTempo.Estimate, to tempo: Tempo, _ signature: Signature, from instant: Instant, now: Instant
  ) -> Timeline? {
    guard isPlaying else { return self }
    var timeline = trimmed(at: now)
    let last = timeline.lastSegment
    if last.positionBefore < 0, last.start >= instant {
      return timeline.segments.isFull ? nil : changed(to: tempo, signature, from: instant, now: now)
    }
    let effect = max(instant, last.start)
    guard let next = timeline.firstBeat(atOrAfter: effect), let meant = timeline.beat(nearestTo: taps.instant) else {
      return nil
    }
    let place = timeline.placeBefore(next.index)
    timeline.segments.removeLast { $0.firstIndex >= next.index }
    var rest = Segment(
      start: effect, anchor: effect, firstIndex: next.index, barBefore: place.bar, positionBefore: place.position,
      tempo: tempo, signature: signature)
    let isAhead = meant.instant >= effect
    let number = isAhead ? 1 : next.index - meant.index
    guard timeline.segments.room >= (isAhead ? 2 : 1) else { return nil }
    let following = taps.instant(ofBeat: max(number, taps.firstBeat(after: effect)))
    if isAhead {
      timeline.segments.append(rest)
      rest = rest.afterItsFirstBeat(at: following)
    }
    rest.anchor = following
    timeline.segments.append(rest)
    return timeline
  }

  /// The signature at an instant, or the first one before the first beat; nil if stopped.
  func signature(at instant: Instant) -> Signature? {
    isPlaying ? (segments.last { $0.start <= instant } ?? segments[0]).signature : nil
  }

  /// The nearest beat; of two equally near beats, the earlier. Only while playing.
  private func beat(nearestTo instant: Instant) -> Beat? {
    guard let before = lastBeat(atOrBefore: instant) else { return oldestIndex.map(knownBeat) }
    let after = knownBeat(before.index + 1)
    return instant - before.instant <= after.instant - instant ? before : after
  }

  func placeBefore(_ index: Int64) -> (bar: Int64, position: Int) {
    guard let segment = segments.last(where: { $0.firstIndex < index }) else {
      return (segments[0].barBefore, segments[0].positionBefore)
    }
    let beat = segment.beat(index - 1)
    return (beat.bar, beat.position)
  }
}

extension Segment {
  /// The segment after its first beat, with the next beat at an instant.
  fileprivate func afterItsFirstBeat(at instant: Instant) -> Segment {
    let before = beat(firstIndex)
    return Segment(
      start: before.instant + Nanoseconds(1), anchor: instant, firstIndex: firstIndex + 1, barBefore: before.bar,
      positionBefore: before.position, tempo: tempo, signature: signature)
  }
}

extension Timeline {
  /// Continues the beats of this timeline from an instant on as a new session; each beat keeps its number, position and time.
  /// The instant must not be before what an output has committed.
  public func resumed(as session: UInt32, from instant: Instant) -> Timeline {
    guard let next = firstBeat(atOrAfter: instant) else { return self }
    var segments = segments
    segments.removeFirst(segments.lastIndex { $0.firstIndex <= next.index } ?? 0)
    return Timeline(session: session, first: next.index, segments: segments)
  }

  /// The same beats until an instant, and then the beats of `other`, from which this timeline was changed. The bar continues.
  ///
  /// - Returns: nil if the next beat of `other` is before the instant, if the gap before it is longer than both beat intervals
  ///   or shorter than half of both, if `other` changes later, or if the timeline is full.
  func returned(to other: Timeline, from instant: Instant, now: Instant) -> Timeline? {
    var timeline = trimmed(at: now)
    guard let next = timeline.firstBeat(atOrAfter: instant), let back = other.beat(next.index), back.instant >= instant
    else { return nil }
    let last = other.lastSegment
    guard last.start <= instant else { return nil }
    if let played = timeline.beat(next.index - 1), played.instant != other.beat(played.index)?.instant {
      let (gap, interval) = (back.instant - played.instant, next.instant - played.instant)
      guard gap <= max(interval, last.pace.interval), gap * 2 >= min(interval, last.pace.interval) else { return nil }
    }
    let place = timeline.placeBefore(next.index)
    timeline.segments.removeLast { $0.firstIndex >= next.index }
    guard !timeline.segments.isFull else { return nil }
    timeline.segments.append(
      Segment(
        start: instant, anchor: back.instant, firstIndex: next.index, barBefore: place.bar,
        positionBefore: place.position, tempo: last.tempo, signature: last.signature))
    return timeline
  }
}
