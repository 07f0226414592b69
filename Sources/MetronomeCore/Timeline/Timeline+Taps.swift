extension Timeline {
  /// Beats that were tapped before they are played: the first is the one that the last tap stands for, as soon as it can
  /// be, and the others fall where the taps have them.
  ///
  /// The first tap of the run began a bar; in one of these bars playing begins, which is bar 0.
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
  ///   - tempo: of the beats after that.
  ///   - signature: from the instant on.
  ///   - instant: as for ``changed(to:_:from:now:)``.
  ///   - now: as there.
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
