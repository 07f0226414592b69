extension Timeline {
  /// How long a stretch of beats is remembered after its last one, for an output that is late.
  static let memory = Nanoseconds.milliseconds(100)

  /// Whether a change fits now. There is room unless presses, with beats between them, come faster than outputs commit: a
  /// change then waits, and later ones are merged into it.
  public func hasRoom(at now: Instant) -> Bool { !remembering(from: now).segments.isFull }

  /// When ``hasRoom(at:)`` becomes true if nothing else happens.
  public var nextRoom: Instant { segments.isFull ? segments[1].anchor + Timeline.memory : .zero }

  /// Whether it stays at this tempo in this signature once all changes are in effect.
  public func ends(in tempo: Tempo, _ signature: Signature) -> Bool {
    guard isPlaying else { return false }
    let last = lastSegment
    return last.tempo == tempo && last.signature == signature
  }

  /// The same beats until an instant, and from there on another tempo and signature with the phase kept.
  ///
  /// The place in the bar is kept where the new bar has such a place; otherwise the next beat starts a bar. Before the
  /// first beat there is no phase to keep: it stays where it is, and an instant before it counts as that.
  ///
  /// - Parameters:
  ///   - tempo: from the instant on.
  ///   - signature: from the instant on.
  ///   - instant: must not lie before what an output has committed; one before the last change counts as that.
  ///   - now: what lies well before this may be forgotten.
  /// - Precondition: ``hasRoom(at:)``.
  public func changed(to tempo: Tempo, _ signature: Signature, from instant: Instant, now: Instant) -> Timeline {
    guard isPlaying else { return self }
    var timeline = remembering(from: now)
    let last = timeline.lastSegment
    timeline.followLast(with: last.changed(to: tempo, signature, from: max(instant, last.start)))
    return timeline
  }

  /// The same beats until the next bar line, and from there on another tempo and signature: the beat that falls there
  /// begins a bar of them.
  ///
  /// - Parameters:
  ///   - tempo: from the bar line on.
  ///   - signature: from the bar line on.
  ///   - instant: the bar line falls there or later; must not lie before what an output has committed. What was to change
  ///     at the same bar line changes to this instead.
  ///   - now: as for ``changed(to:_:from:now:)``.
  /// - Precondition: ``hasRoom(at:)``.
  public func changedAtBarLine(
    to tempo: Tempo, _ signature: Signature, from instant: Instant, now: Instant
  ) -> Timeline {
    guard isPlaying else { return self }
    var timeline = remembering(from: now)
    let line = timeline.lastSegment.barLine(atOrAfter: instant)
    timeline.followLast(
      with: Segment(
        start: line.instant, anchor: line.instant, firstIndex: line.index, barBefore: line.bar, positionBefore: -1,
        tempo: tempo, signature: signature))
    return timeline
  }

  /// While playing, the one that holds in the end.
  var lastSegment: Segment { segments[segments.count - 1] }

  func remembering(from now: Instant) -> Timeline {
    var forgotten = 0
    while forgotten + 1 < segments.count, segments[forgotten + 1].anchor <= now - Timeline.memory { forgotten += 1 }
    guard forgotten > 0 else { return self }
    var timeline = self
    timeline.segments.removeFirst(forgotten)
    return timeline
  }

  private mutating func followLast(with next: Segment) {
    if next.firstIndex == lastSegment.firstIndex {
      segments.replaceLast(with: next)
    } else {
      segments.append(next)
    }
  }
}

extension Segment {
  /// The segment that follows this one from an instant on.
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
    // Once a beat has been counted from the rounded anchor, that is where the phase is.
    let left = pace.left(
      untilBeat: n, elapsed: instant - anchor, remainder: n == 0 ? anchorRemainder : 0, at: next.pace)
    next.anchor = instant + left.whole
    next.anchorRemainder = left.remainder
    return next
  }

  /// The first beat of a bar at an instant or after it, and not before this segment holds.
  fileprivate func barLine(atOrAfter instant: Instant) -> Beat {
    let next = beat(firstIndex + max(0, pace.firstBeat(atOrAfter: instant - anchor)))
    return next.position == 0 ? next : beat(next.index + Int64(signature.numerator - next.position))
  }
}

extension Timeline {
  /// Beats that were tapped before they are played: the first is the last tap's, as soon as it can be, and the others fall
  /// where the taps have them. The first tap of the run began a bar; the one in which playing begins is bar 0.
  public init(
    session: UInt32, tapped taps: TapTempo.Estimate, firstBeat: Instant, tempo: Tempo, signature: Signature
  ) {
    self.init(session: session, firstBeat: firstBeat, tempo: tempo, signature: signature)
    var first = segments[0]
    first.positionBefore = Int(taps.beats % Int64(signature.numerator)) - 1
    segments.replaceLast(with: first)
    segments.append(first.afterItsFirstBeat(at: taps.instant(ofBeat: max(1, taps.firstBeat(after: firstBeat)))))
  }

  /// The same beats until an instant, and from there on those that are tapped.
  ///
  /// The last tap stands for the beat that is nearest to it. If that falls before the instant it stays where it is,
  /// otherwise it falls at that instant; the beat after it falls one period after the tap, or as many more as it takes for
  /// it to come after the instant. No beat is left out or added, and every one keeps its place in the bar. If a
  /// change waits for a bar line ahead, tempo and signature change there too, and the phase does not.
  ///
  /// - Parameters:
  ///   - taps: the line through them.
  ///   - tempo: of the beats after the instant.
  ///   - signature: of the beats after the instant.
  ///   - instant: as for ``changed(to:_:from:now:)``.
  ///   - now: as for ``changed(to:_:from:now:)``.
  /// - Returns: nil if there is no room.
  public func tapped(
    _ taps: TapTempo.Estimate, to tempo: Tempo, _ signature: Signature, from instant: Instant, now: Instant
  ) -> Timeline? {
    guard isPlaying else { return self }
    var timeline = remembering(from: now)
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

  /// The signature in force at an instant, before the first beat the first; nil if stopped.
  func signature(at instant: Instant) -> Signature? {
    isPlaying ? (segments.last { $0.start <= instant } ?? segments[0]).signature : nil
  }

  /// While playing, of two that are equally near the earlier.
  private func beat(nearestTo instant: Instant) -> Beat? {
    guard let before = lastBeat(atOrBefore: instant) else { return oldestIndex.map(knownBeat) }
    let after = knownBeat(before.index + 1)
    return instant - before.instant <= after.instant - instant ? before : after
  }

  /// The bar of the beat before this one, and its place in it.
  func placeBefore(_ index: Int64) -> (bar: Int64, position: Int) {
    guard let segment = segments.last(where: { $0.firstIndex < index }) else {
      return (segments[0].barBefore, segments[0].positionBefore)
    }
    let beat = segment.beat(index - 1)
    return (beat.bar, beat.position)
  }
}

extension Segment {
  /// What goes on after its first beat, with the next one at an instant.
  fileprivate func afterItsFirstBeat(at instant: Instant) -> Segment {
    let before = beat(firstIndex)
    return Segment(
      start: before.instant + Nanoseconds(1), anchor: instant, firstIndex: firstIndex + 1, barBefore: before.bar,
      positionBefore: before.position, tempo: tempo, signature: signature)
  }
}

extension Timeline {
  /// The beats that this timeline has from an instant on, as a session of their own: every one with its number, its place
  /// and its instant, as if nothing had been between.
  ///
  /// - Parameters:
  ///   - session: another number than this one's.
  ///   - instant: must not lie before what an output has committed.
  public func resumed(as session: UInt32, from instant: Instant) -> Timeline {
    guard let next = firstBeat(atOrAfter: instant) else { return self }
    var segments = segments
    segments.removeFirst(segments.lastIndex { $0.firstIndex <= next.index } ?? 0)
    return Timeline(session: session, first: next.index, segments: segments)
  }

  /// The same beats until an instant, and from there on those of the timeline that this one was changed from, as if it had
  /// not been changed. The bar goes on where it is.
  ///
  /// - Parameter instant: as for ``changed(to:_:from:now:)``.
  /// - Returns: nil where that does not join: the next beat would have fallen before the instant, or leaves a gap that is
  ///   longer than any interval in force or shorter than half of one; a further change of the other one lies ahead; or there
  ///   is no room.
  func returned(to other: Timeline, from instant: Instant, now: Instant) -> Timeline? {
    var timeline = remembering(from: now)
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
