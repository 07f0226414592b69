extension Timeline {
  /// How long a segment is kept after the first beat of the next segment, for outputs that are late.
  static let memory = Nanoseconds.milliseconds(100)
  /// How long a part of a beat is kept after its end: the latency of a MIDI output may be as low as -20 ms.
  private static let partMemory = Nanoseconds.milliseconds(20)

  /// Whether a change to this rhythm fits now. The timeline is full only if presses come faster than outputs commit. A change then waits,
  /// and later changes are merged into it.
  public func hasRoom(for rhythm: Rhythm = Rhythm(), at now: Instant) -> Bool {
    hasRoomForPart(at: now) && trimmed(at: now).hasRoom(for: rhythm)
  }

  /// Whether a change within a beat makes the timeline forget no part of a beat that an output still needs.
  func hasRoomForPart(at now: Instant) -> Bool { nextRoomForPart <= now }

  private var nextRoomForPart: Instant { parts.last.map { end(of: $0) + Timeline.partMemory } ?? .zero }

  private func hasRoom(for rhythm: Rhythm, count: Int = 1) -> Bool {
    var changed = self
    return segments.room >= count && changed.place(of: rhythm) != nil
  }

  /// When ``hasRoom(for:at:)`` becomes true if nothing else happens. A rhythm that several segments use keeps its place in the
  /// table until the last of them is dropped. `count` is the number of segments that must fit: 1 or 2.
  public func nextRoom(for rhythm: Rhythm = Rhythm(), count: Int = 1) -> Instant {
    if hasRoom(for: rhythm, count: count) { return nextRoomForPart }
    for dropped in 1..<segments.count {
      var rest = self
      rest.segments.removeFirst(dropped)
      guard rest.hasRoom(for: rhythm, count: count) else { continue }
      return max(segments[dropped].anchor + Timeline.memory, nextRoomForPart)
    }
    preconditionFailure("one segment leaves room for another rhythm")
  }

  /// Whether tempo and bar are these once all changes are in effect.
  public func ends(in tempo: Tempo, _ bar: Bar) -> Bool {
    guard isPlaying else { return false }
    let last = lastSegment
    return last.tempo == tempo && last.metre == bar.metre && last.filter == bar.filter
      && rhythms[last.rhythm] == bar.rhythm
  }

  /// The same beats until an instant, and then another tempo and bar with the phase kept.
  ///
  /// The position in the bar is kept if the new bar has it; otherwise the next beat starts a bar. The first beat does not move;
  /// an earlier instant is treated as the instant of the first beat. Another rhythm begins with the next beat, at the place that
  /// the beat has in its bar.
  ///
  /// The instant must not be before what an output has committed; an instant before the last change is treated as the instant
  /// of the last change. Segments well before `now` may be discarded.
  ///
  /// - Precondition: ``hasRoom(for:at:)``.
  public func changed(to tempo: Tempo, _ bar: Bar, from instant: Instant, now: Instant) -> Timeline {
    guard isPlaying else { return self }
    var timeline = trimmed(at: now)
    let last = timeline.lastSegment
    let fits = timeline.add(last.changed(to: tempo, bar, from: max(instant, last.start)), bar.rhythm)
    precondition(fits, "the timeline has no room for another change")
    return timeline
  }

  /// The same beats until the first bar line at or after an instant, and then another tempo and bar. It replaces a change at the
  /// same bar line. Parameters and precondition are those of ``changed(to:_:from:now:)-(_,Bar,_,_)``.
  public func changedAtBarLine(to tempo: Tempo, _ bar: Bar, from instant: Instant, now: Instant) -> Timeline {
    guard isPlaying else { return self }
    var timeline = trimmed(at: now)
    let last = timeline.lastSegment
    let line = last.barLine(atOrAfter: instant)
    var next = Segment(
      at: line.instant, firstIndex: line.index, barBefore: line.bar, positionBefore: -1, tempo: tempo,
      metre: bar.metre, filter: bar.filter)
    // Another filter alone does not move the beats, not even by a nanosecond.
    let isInTime = tempo == last.tempo && bar.metre == last.metre && bar.rhythm == timeline.rhythms[last.rhythm]
    if isInTime { next.course = last.course }
    let fits = timeline.add(next, bar.rhythm)
    precondition(fits, "the timeline has no room for another change")
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

  /// The place of a rhythm in the table, which it is entered into if necessary; nil if all places are in use.
  private mutating func place(of rhythm: Rhythm) -> Int? {
    for place in 0..<RhythmTable.capacity where isUsed(place) && rhythms[place] == rhythm { return place }
    for place in 0..<RhythmTable.capacity where !isUsed(place) {
      rhythms[place] = rhythm
      return place
    }
    return nil
  }

  private func isUsed(_ place: Int) -> Bool { segments.lastIndex { $0.rhythm == place } != nil }

  /// Adds a segment, in place of those from its first beat on; false, and unchanged, if there is no room. The cycles go on if they can,
  /// but those of a score begin with each of its sections.
  mutating func add(_ next: Segment, _ rhythm: Rhythm, continuesCycles: Bool = true) -> Bool {
    var changed = self
    let last = lastSegment
    let isContinued = rhythms[last.rhythm] == rhythm
    changed.removeSegments(from: next.firstIndex, at: next.start)
    guard !changed.segments.isFull, let place = changed.place(of: rhythm) else { return false }
    var next = next
    next.rhythm = place
    if continuesCycles { next.continueCycles(of: last, hasSameRhythm: isContinued) }
    changed.segments.append(next)
    self = changed
    return true
  }

  /// Appends a segment of a score, in place of those from its first beat on; false, and unchanged, if there is no room.
  mutating func place(_ segment: Segment, _ rhythm: Rhythm) -> Bool {
    if isPlaying { return add(segment, rhythm, continuesCycles: false) }
    segments.append(segment)
    rhythms = RhythmTable(rhythm)
    return true
  }

  /// Removes the segments from a beat on. The one before goes on.
  mutating func truncate(from index: Int64) { segments.removeLast { $0.firstIndex >= index } }

  /// The number of the first beat at or after an instant. Only while playing.
  func nextBeat(atOrAfter instant: Instant) -> Int64 {
    lastBeat(atOrBefore: instant - Nanoseconds(1)).map { $0.index + 1 } ?? max(first, segments[0].firstIndex)
  }

  /// Removes the segments from a beat on, because the timeline changes at an instant.
  private mutating func removeSegments(from index: Int64, at start: Instant) {
    // A segment that begins with its first beat has no slots before it.
    if let removed = segments.last(where: { $0.firstIndex == index }), removed.start < min(start, removed.anchor) {
      parts.add(BeatPart(start: removed.start, beat: index - 1, course: removed.course))
    }
    segments.removeLast { $0.firstIndex >= index }
  }
}

extension Segment {
  fileprivate func changed(to tempo: Tempo, _ bar: Bar, from instant: Instant) -> Segment {
    let index = max(firstIndex, course.firstBeat(atOrAfter: instant))
    let before = index > firstIndex ? beat(index - 1) : nil
    return Segment(
      course.changed(to: Pace(tempo, bar.metre), from: instant, beforeBeat: index), start: instant, firstIndex: index,
      barBefore: before?.bar ?? barBefore, positionBefore: before?.position ?? positionBefore, tempo: tempo,
      metre: bar.metre, filter: bar.filter)
  }

  /// The first beat of a bar at or after an instant, and not before this segment begins.
  fileprivate func barLine(atOrAfter instant: Instant) -> Beat {
    let next = beat(max(firstIndex, course.firstBeat(atOrAfter: instant)))
    return next.position == 0 ? next : beat(next.index + Int64(metre.beatsInBar - next.position))
  }
}

extension Timeline {
  /// Starts playback at `firstBeat` with the beat of the last tap, in bar 0, and continues in phase with the taps. The first
  /// tap of the run counts as the first beat of a bar.
  public init(session: UInt32, tapped taps: TapTempo.Estimate, firstBeat: Instant, tempo: Tempo, bar: Bar) {
    self.init(session: session, firstBeat: firstBeat, tempo: tempo, bar: bar)
    let first = Segment(
      at: firstBeat, firstIndex: 0, barBefore: 0,
      positionBefore: Int(taps.beats % Int64(bar.metre.beatsInBar)) - 1, tempo: tempo, metre: bar.metre,
      filter: bar.filter)
    segments.replaceLast(with: first)
    segments.append(first.afterItsFirstBeat(at: taps.instant(ofBeat: max(1, taps.firstBeat(after: firstBeat)))))
  }

  /// The same beats until an instant, and then beats in phase with the taps.
  ///
  /// The last tap belongs to the nearest beat. If that beat is before the instant, it does not move; otherwise it moves to the
  /// instant. The next beat falls one period after the tap, or the smallest number of periods that puts it after the instant.
  /// Every beat keeps its number and position. If a change is scheduled for a later bar line, tempo and signature change there,
  /// and the phase is kept. Parameters are those of ``changed(to:_:from:now:)-(_,Bar,_,_)``. nil if the timeline is full.
  public func tapped(
    _ taps: TapTempo.Estimate, to tempo: Tempo, _ bar: Bar, from instant: Instant, now: Instant
  ) -> Timeline? {
    guard isPlaying else { return self }
    guard hasRoomForPart(at: now) else { return nil }
    var timeline = trimmed(at: now)
    let last = timeline.lastSegment
    if last.positionBefore < 0, last.start >= instant {
      return timeline.hasRoom(for: bar.rhythm, at: now) ? changed(to: tempo, bar, from: instant, now: now) : nil
    }
    let effect = max(instant, last.start)
    guard let next = timeline.firstBeat(atOrAfter: effect), let meant = timeline.beat(nearestTo: taps.instant) else {
      return nil
    }
    let place = timeline.placeBefore(next.index)
    let isAhead = meant.instant >= effect
    let number = isAhead ? 1 : next.index - meant.index
    let following = taps.instant(ofBeat: max(number, taps.firstBeat(after: effect)))
    let rest = Segment(
      at: isAhead ? effect : following, start: effect, firstIndex: next.index, barBefore: place.bar,
      positionBefore: place.position, tempo: tempo, metre: bar.metre, filter: bar.filter)
    guard timeline.add(rest, bar.rhythm) else { return nil }
    if isAhead {
      guard !timeline.segments.isFull else { return nil }
      timeline.segments.append(timeline.lastSegment.afterItsFirstBeat(at: following))
    }
    return timeline
  }

  /// The metre at an instant, or the first one before the first beat; nil if stopped.
  func metre(at instant: Instant) -> Metre? {
    isPlaying ? (segments.last { $0.start <= instant } ?? segments[0]).metre : nil
  }

  /// The nearest beat; of two equally near beats, the earlier. Only while playing.
  private func beat(nearestTo instant: Instant) -> Beat? {
    guard let before = lastBeat(atOrBefore: instant) else { return oldestIndex.map(knownBeat) }
    let after = knownBeat(before.index + 1)
    return instant - before.instant <= after.instant - instant ? before : after
  }

  /// The time from the nearest beat to an instant; nil if stopped or before the first beat.
  func distance(fromBeatTo instant: Instant) -> Nanoseconds? {
    lastBeat(atOrBefore: instant) == nil ? nil : beat(nearestTo: instant).map { instant - $0.instant }
  }

  /// Whether all beats before an instant are those of another timeline, as far as both keep them. Only while playing.
  func hasBeats(of other: Timeline, before instant: Instant) -> Bool {
    let last = lastBeat(atOrBefore: instant - Nanoseconds(1))
    guard last == other.lastBeat(atOrBefore: instant - Nanoseconds(1)) else { return false }
    guard let last else { return true }
    let oldest = max(oldestIndex ?? last.index, other.oldestIndex ?? last.index)
    return (oldest...last.index).allSatisfy { beat($0) == other.beat($0) }
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
    var next = Segment(
      at: instant, start: before.instant + Nanoseconds(1), firstIndex: firstIndex + 1, barBefore: before.bar,
      positionBefore: before.position, tempo: tempo, metre: metre, filter: filter)
    next.rhythm = rhythm
    next.continueCycles(of: self, hasSameRhythm: true)
    return next
  }
}

extension Timeline {
  /// Continues the beats of this timeline from an instant on as a new session; each beat keeps its number, position and time.
  /// The instant must not be before what an output has committed.
  public func resumed(as session: UInt32, from instant: Instant) -> Timeline {
    guard let next = firstBeat(atOrAfter: instant) else { return self }
    var segments = segments
    segments.removeFirst(segments.lastIndex { $0.firstIndex <= next.index } ?? 0)
    var timeline = Timeline(session: session, first: next.index, segments: segments, rhythms: rhythms)
    timeline.parts = parts
    return timeline
  }

  /// The same beats until an instant, and then the beats of `other`, from which this timeline was changed. The bar continues.
  ///
  /// - Returns: nil if the next beat of `other` is before the instant, if the gap before it is longer than both beat intervals
  ///   or shorter than half of both, if `other` changes later, or if the timeline is full, also of parts of beats.
  func returned(to other: Timeline, from instant: Instant, now: Instant) -> Timeline? {
    var timeline = trimmed(at: now)
    guard hasRoomForPart(at: now), let next = timeline.firstBeat(atOrAfter: instant),
      let back = other.beat(next.index), back.instant >= instant
    else { return nil }
    let last = other.lastSegment
    guard last.start <= instant else { return nil }
    if let played = timeline.beat(next.index - 1), played.instant != other.beat(played.index)?.instant {
      let (gap, interval) = (back.instant - played.instant, next.instant - played.instant)
      let wanted = Pace(last.tempo, last.metre).interval
      guard gap <= max(interval, wanted), gap * 2 >= min(interval, wanted) else { return nil }
    }
    let place = timeline.placeBefore(next.index)
    let rhythm = other.rhythms[last.rhythm]
    var returned = Segment(
      last.course, start: instant, firstIndex: next.index, barBefore: place.bar, positionBefore: place.position,
      tempo: last.tempo, metre: last.metre, filter: last.filter)
    returned.isSteered = last.isSteered
    returned.continueCycles(of: last, hasSameRhythm: true)
    return timeline.add(returned, rhythm) ? timeline : nil
  }
}

/// Bars without a pattern, in quarters per minute.
extension Timeline {
  public init(session: UInt32, firstBeat: Instant, tempo: Tempo, signature: Signature, countIn: Int = 0) {
    self.init(session: session, firstBeat: firstBeat, tempo: tempo, bar: Bar(signature), countIn: countIn)
  }

  public func ends(in tempo: Tempo, _ signature: Signature) -> Bool { ends(in: tempo, Bar(signature)) }

  public func changed(to tempo: Tempo, _ signature: Signature, from instant: Instant, now: Instant) -> Timeline {
    changed(to: tempo, Bar(signature), from: instant, now: now)
  }

  public func changedAtBarLine(to tempo: Tempo, _ signature: Signature, from instant: Instant, now: Instant) -> Timeline
  {
    changedAtBarLine(to: tempo, Bar(signature), from: instant, now: now)
  }
}
