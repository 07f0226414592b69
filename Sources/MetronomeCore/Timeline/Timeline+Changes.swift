extension Timeline {
  /// How long a stretch of beats is remembered after its last one, for an output that is late.
  static let memory = Nanoseconds.milliseconds(100)

  /// Whether a change can be taken in now. There is always room but for presses that come faster, with beats between
  /// them, than outputs commit; a change then waits for room, and those that come while it waits are merged into it.
  public func hasRoom(at now: Instant) -> Bool { !remembering(from: now).segments.isFull }

  /// When ``hasRoom(at:)`` becomes true if nothing else happens.
  public var nextRoom: Instant { segments.isFull ? segments[1].anchor + Timeline.memory : .zero }

  /// Whether it goes on for ever at this tempo in this signature, once all changes are in effect.
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
  ///   - tempo: of what follows.
  ///   - signature: of what follows.
  ///   - instant: from when on; must not lie before what an output has committed. Changes come in order: an instant
  ///     before that of the last change counts as that.
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
  ///   - now: what lies well before this may be forgotten.
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
