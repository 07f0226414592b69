extension Timeline {
  /// How long a stretch of beats is remembered after its last one, for an output that is late.
  static let memory = Nanoseconds.milliseconds(100)

  /// Whether a change can be taken in now. There is always room but for presses that come faster, with beats between
  /// them, than outputs commit; a change then waits for room, and those that come while it waits are merged into it.
  public func hasRoom(at now: Instant) -> Bool { !remembering(from: now).segments.isFull }

  /// When ``hasRoom(at:)`` becomes true if nothing else happens.
  public var nextRoom: Instant { segments.isFull ? segments[1].anchor + Timeline.memory : .zero }

  /// The same beats until an instant, and from there on another tempo and signature with the phase kept.
  ///
  /// The place in the bar is kept where the new bar has such a place; otherwise the next beat starts a bar. Before the
  /// first beat there is no phase to keep: it stays where it is.
  ///
  /// - Parameters:
  ///   - instant: from when on; must not lie before what an output has committed. Changes come in order: an instant
  ///     before that of the last change counts as that.
  ///   - now: what lies well before this may be forgotten.
  /// - Precondition: ``hasRoom(at:)``.
  public func changed(to tempo: Tempo, _ signature: Signature, from instant: Instant, now: Instant) -> Timeline {
    var timeline = remembering(from: now)
    guard timeline.isPlaying else { return timeline }
    let last = timeline.segments[timeline.segments.count - 1]
    let next = last.changed(to: tempo, signature, from: max(instant, last.start))
    if next.firstIndex == last.firstIndex {
      timeline.segments.replaceLast(with: next)
    } else {
      timeline.segments.append(next)
    }
    return timeline
  }

  private func remembering(from now: Instant) -> Timeline {
    var forgotten = 0
    while forgotten + 1 < segments.count, segments[forgotten + 1].anchor <= now - Timeline.memory { forgotten += 1 }
    guard forgotten > 0 else { return self }
    var timeline = self
    timeline.segments.removeFirst(forgotten)
    return timeline
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
    if next.firstIndex > 0 {
      // Once a beat has been counted from the rounded anchor, that is where the phase is.
      let left = pace.left(
        untilBeat: n, elapsed: instant - anchor, remainder: n == 0 ? anchorRemainder : 0, at: next.pace)
      next.anchor = instant + left.whole
      next.anchorRemainder = left.remainder
    }
    return next
  }
}
