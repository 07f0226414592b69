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
  /// - Returns: nil where that does not join: the next beat would have fallen before the instant, a further change of the
  ///   other one lies ahead, or there is no room.
  func returned(to other: Timeline, from instant: Instant, now: Instant) -> Timeline? {
    var timeline = remembering(from: now)
    guard let next = timeline.firstBeat(atOrAfter: instant), let back = other.beat(next.index), back.instant >= instant
    else { return nil }
    let last = other.lastSegment
    guard last.start <= instant else { return nil }
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
