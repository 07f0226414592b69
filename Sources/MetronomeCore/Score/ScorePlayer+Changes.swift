/// What presses change, while a song plays and while it is stopped.
extension ScorePlayer {
  /// Plays the rest at another speed, with the phase kept.
  mutating func change(speed new: Int, in timeline: inout Timeline, from instant: Instant, now: Instant) {
    speed = min(max(new, TempoCurve.scales.lowerBound), TempoCurve.scales.upperBound)
    reshape(&timeline, from: instant, now: now) { [speed] section, pivot in
      section.origin = pivot - (pivot - section.origin).scaled(by: section.speed, over: speed)
      section.speed = speed
    }
  }

  /// Uses another filter from an instant on, in the sections that have none of their own.
  mutating func use(_ filter: SilenceFilter, in timeline: inout Timeline, from instant: Instant, now: Instant) {
    guard filter != self.filter else { return }
    self.filter = filter
    reshape(&timeline, from: instant, now: now) { _, _ in }
  }

  /// Moves the rest of the sounding section, and what follows it, in time.
  mutating func shift(by delta: Nanoseconds, in timeline: inout Timeline, from instant: Instant, now: Instant) {
    let next = timeline.isPlaying ? timeline.nextBeat(atOrAfter: instant) : 0
    reshape(&timeline, from: instant, now: now) { section, _ in
      // The next beat may move earlier only as far as `instant`: outputs have committed what is before.
      let earliest = FineTime(instant - .zero) - section.time(ofBeat: next - section.firstBeat)
      let shift = delta < .zero ? min(max(FineTime(delta), earliest), .zero) : FineTime(delta)
      section.origin = section.origin + shift
      if section.begin > FineTime(instant - .zero) { section.begin = section.start }
    }
  }

  /// Moves the rest of the sounding section, and what follows it, to where another player has them. Returns false if they are
  /// already there, or if the other player plays another section.
  mutating func follow(_ other: ScorePlayer, in timeline: inout Timeline, from instant: Instant, now: Instant) -> Bool {
    guard let own = sounding(at: instant), let section = other.sounding(at: instant),
      own.occurrence == section.occurrence, own.firstBeat == section.firstBeat, own.mapSpeed == section.mapSpeed,
      own.origin != section.origin || own.speed != section.speed, !hasPassed(own, at: instant),
      !hasPassed(section, at: instant)
    else { return false }
    (song, speed) = (other.song, other.speed)
    reshape(&timeline, from: instant, now: now) { own, _ in own = section }
    return true
  }

  /// How many segments must fit: the rest of the sounding section, and what follows it. A section whose end does not fit would go
  /// on beyond it.
  static let neededRoom = 2

  /// Makes the change of speed or filter that waits for room in the timeline.
  mutating func catchUp(_ timeline: inout Timeline, from instant: Instant, now: Instant) {
    if isBehind { change(speed: speed, in: &timeline, from: instant, now: now) }
  }

  /// Changes the sounding section, then places the rest of it again, and what follows. If that does not fit, the beats stay as
  /// they are, and ``isBehind`` is set.
  mutating func reshape(
    _ timeline: inout Timeline, from instant: Instant, now: Instant, _ change: (inout PlacedSection, FineTime) -> Void
  ) {
    isBehind = false
    guard timeline.isPlaying, let index = soundingIndex(at: instant) else { return }
    timeline = timeline.trimmed(at: now)
    let before = (player: self, timeline: timeline)
    if let pause = pause(at: instant) {
      // It keeps its length. A pause that waits has nothing behind it yet.
      guard let end = pause.end else { return }
      let following = setList.maps[pause.song].next(after: pause.occurrence)
      leave(pause, for: following, song: pause.song, at: end, in: &timeline)
    } else {
      var section = placed[index]
      guard !hasPassed(section, at: instant) else { return }
      guard timeline.hasRoomForPart(at: now) else { return isBehind = true }
      change(&section, max(FineTime(instant - .zero), section.begin))
      removeSections(after: index)
      placed[index] = section
      let beat = timeline.nextBeat(atOrAfter: instant)
      let isPlaced =
        beat < section.firstBeat
        ? recount(section, in: &timeline, beat, instant) : replay(section, &timeline, beat, instant)
      guard isPlaced, isEndless || timeline.segments.room > 0 else {
        (self, timeline) = (before.player, before.timeline)
        isBehind = true
        return
      }
    }
    fill(&timeline, from: instant, now: now)
    if !timeline.isPlaying { (self, timeline) = (before.player, before.timeline) }
  }

  /// The pause at an instant; nil: there is none.
  private func pause(at instant: Instant) -> PlacedPause? {
    guard let pause = pauses.last(where: { $0.begin <= .latest(at: instant) }), let index = soundingIndex(at: instant)
    else { return nil }
    let section = placed[index]
    return section.begin > .latest(at: instant) || pause.begin >= section.begin && hasPassed(section, at: instant)
      ? pause : nil
  }

  /// Removes what follows a section.
  private mutating func removeSections(after index: Int) {
    let begin = placed[index].begin
    pauses.removeAll { $0.begin > begin }
    placed.removeSubrange((index + 1)...)
  }

  /// Ends a pause at a time, for another part or the end of a song.
  private mutating func leave(
    _ pause: PlacedPause, for occurrence: SongMap.Occurrence?, song: Int, at end: FineTime, in timeline: inout Timeline
  ) {
    pauses.removeAll { $0.begin > pause.begin }
    pauses[pauses.count - 1].end = end
    placed.removeAll { $0.begin > pause.begin }
    timeline.truncate(from: placed.isEmpty ? .min : pause.beat + 1)
    next = .part(occurrence, song: song, at: end, beat: pause.beat)
  }

  /// Places the rest of a count-in again, from a beat of the timeline on.
  mutating func recount(
    _ section: PlacedSection, in timeline: inout Timeline, _ beat: Int64, _ instant: Instant
  ) -> Bool {
    let curve = section.placedCountIn
    let (bar, position) = (beat - curve.beat).quotientAndRemainder(dividingBy: section.beatsInBar)
    var segment = segment(of: section, curve, from: beat, bar: bar - Int64(section.countIn))
    segment.positionBefore = Int(position) - 1
    segment.delay(to: instant)
    segment.start = min(max(instant, curve.origin.instant), segment.anchor)
    guard timeline.place(segment, section.section.bar.rhythm) else { return false }
    next = .piece(min(section.end ?? 0, 0))
    return true
  }

  /// Places the rest of a section again, from a beat of the timeline on. The slots since the previous beat change tempo, too.
  mutating func replay(
    _ section: PlacedSection, _ timeline: inout Timeline, _ beat: Int64, _ instant: Instant
  ) -> Bool {
    let beat = min(max(beat - section.firstBeat, 0), section.end ?? .max)
    let (piece, pieceEnd) = section.map.piece(atBeat: max(beat - 1, 0))
    var segment = segment(of: section, piece, from: beat)
    segment.delay(to: instant)
    if beat > 0 { segment.start = instant }
    guard timeline.place(segment, section.section.bar.rhythm) else { return false }
    next = [pieceEnd, section.end].compactMap(\.self).min().map { .piece($0) } ?? .endless
    return true
  }

  /// The song's own practice speed: its `scale=`, or 100 %.
  var songSpeed: Int { setList.songs[song].scale }

  enum Move {
    case next, previous, again
  }

  /// Goes to another section of the song: while playing, at the next bar line.
  mutating func move(_ move: Move, in timeline: inout Timeline, from instant: Instant, now: Instant) {
    if timeline.isPlaying, case .wait(let following, let song, _) = next, isWaiting(at: instant), move == .next {
      let beat = timeline.nextBeat(atOrAfter: instant)
      if !pauses.isEmpty { pauses[pauses.count - 1].end = FineTime(instant - .zero) }
      next = .part(following, song: song, at: FineTime(instant - .zero), beat: beat)
      return fill(&timeline, from: instant, now: now)
    }
    let playing = timeline.isPlaying ? sounding(at: instant) : nil
    // A second press before the bar line counts from the target of the first one.
    let pending = move == .again ? nil : pendingJump(at: instant, in: timeline)
    let opening = openingPause(at: instant, in: timeline)
    let song = pending?.song ?? opening?.song ?? playing?.song ?? song
    let map = setList.maps[song]
    guard let current = pending?.occurrence ?? opening?.occurrence ?? playing?.occurrence ?? place ?? map.first else {
      return
    }
    var target: SongMap.Occurrence?
    switch move {
    case .next:
      target = map.next(after: current, leaving: opening == nil)
      let isPause = pending != nil || opening != nil || playing.map { hasPassed($0, at: instant) } ?? true
      if isPause { target = map.firstSection(from: target) }
    case .previous: target = map.section(before: current) ?? map.first
    case .again: target = current
    }
    if timeline.isPlaying {
      jump(to: target, song: song, speed: pending?.speed, in: &timeline, from: instant, now: now)
    } else if let target {
      place = target
    }
  }

  /// Goes to another song of the set list, which wraps around: while playing, at the next bar line.
  mutating func move(bySongs step: Int, in timeline: inout Timeline, from instant: Instant, now: Instant) {
    let count = setList.songs.count
    let playing = timeline.isPlaying ? sounding(at: instant)?.song : nil
    let pending = pendingJump(at: instant, in: timeline)?.song ?? openingPause(at: instant, in: timeline)?.song
    let current = pending ?? playing ?? song
    let target = (current + step + count) % count
    if timeline.isPlaying {
      jump(to: setList.maps[target].first, song: target, in: &timeline, from: instant, now: now)
    } else {
      select(song: target)
    }
  }

  /// The target of an earlier press, at the next bar line; nil: there is none, or it is the end of the song.
  private func pendingJump(
    at instant: Instant, in timeline: Timeline
  ) -> (song: Int, occurrence: SongMap.Occurrence, speed: Int?)? {
    guard timeline.isPlaying, let section = sounding(at: instant), !hasPassed(section, at: instant),
      let leavesFor = section.leavesFor, let occurrence = leavesFor.occurrence
    else { return nil }
    return (leavesFor.song, occurrence, leavesFor.speed)
  }

  /// The pause at an instant if no section of its song has sounded before it; nil: there is none.
  private func openingPause(at instant: Instant, in timeline: Timeline) -> PlacedPause? {
    guard timeline.isPlaying, let pause = pause(at: instant), let section = sounding(at: instant) else { return nil }
    return section.song != pause.song || section.begin > pause.begin ? pause : nil
  }

  /// The section of a remembered place, or the first section of its song if the bar no longer exists; nil: this is another score,
  /// or the song no longer exists.
  private func section(at saved: SavedPlace) -> SongMap.Occurrence? {
    guard saved.score == setList.name, setList.songs.indices.contains(saved.song) else { return nil }
    let map = setList.maps[saved.song]
    return map.section(atBar: saved.bar, sectionsAfter: saved.sectionsAfter) ?? map.firstSection(from: map.first)
  }

  /// Whether the score has a name and the song of this place; the bar need not exist.
  func contains(_ saved: SavedPlace) -> Bool { !setList.name.isEmpty && section(at: saved) != nil }

  /// Goes to a remembered section at its speed: while playing, at the next bar line.
  mutating func recall(_ saved: SavedPlace, in timeline: inout Timeline, from instant: Instant, now: Instant) {
    guard let section = section(at: saved) else { return }
    let speed = saved.speed.flatMap { TempoCurve.scales.contains($0) ? $0 : nil } ?? setList.songs[saved.song].scale
    if timeline.isPlaying {
      jump(to: section, song: saved.song, speed: speed, in: &timeline, from: instant, now: now)
    } else {
      (song, place, self.speed) = (saved.song, section, speed)
    }
  }

  /// Leaves the sounding section, or its count-in, at the next bar line for another part of the set list, or the end of the song; a
  /// pause is left at once. Unless `speed` is given, the speed is that of the target song.
  mutating func jump(
    to occurrence: SongMap.Occurrence?, song target: Int, speed: Int? = nil, in timeline: inout Timeline,
    from instant: Instant, now: Instant
  ) {
    guard timeline.isPlaying, let index = soundingIndex(at: instant) else { return }
    placed[index].leavesFor = (target, occurrence, speed)
    if let pause = pause(at: instant) {
      let before = (player: self, timeline: timeline)
      leave(pause, for: occurrence, song: target, at: FineTime(instant - .zero), in: &timeline)
      if placed.isEmpty {
        select(song: target)
        self.speed = speed ?? self.speed
      }
      fill(&timeline, from: instant, now: now)
      if !timeline.isPlaying { (self, timeline) = (before.player, before.timeline) }
      return
    }
    let isFilling = index == placed.count - 1
    removeSections(after: index)
    let section = placed[index]
    var (at, beat) = (FineTime(instant - .zero), timeline.nextBeat(atOrAfter: instant))
    if !hasPassed(section, at: instant) {
      let bar = section.beatsInBar
      // Taps may have moved the place of a beat that has been played.
      let played = timeline.nextBeat(atOrAfter: instant) - section.firstBeat
      let line = -(-max(section.firstBeat(atOrAfter: instant), played)).floorDivided(by: bar) * bar
      placed[index].end = min(line, section.end ?? .max)
      let end = placed[index].end ?? line
      (at, beat) = (section.time(ofBeat: end), section.firstBeat + end)
      if isFilling, case .piece(let filled) = next, section.firstBeat + filled < beat {
        return fill(&timeline, from: instant, now: now)
      }
    }
    timeline.truncate(from: beat + 1)
    next = .part(occurrence, song: target, at: at, beat: beat)
    fill(&timeline, from: instant, now: now)
  }
}
