/// Appends sections, pauses and pieces of sections to the timeline.
extension ScorePlayer {
  /// How long the silence before the first section may last.
  private static let longestSilence = Nanoseconds.seconds(86_400)
  /// The maximum number of parts and pieces appended at once: pauses may be as short as a nanosecond.
  private static let mostSteps = 10_000
  /// How far ahead `appendSilence` places the beat that never comes.
  private static let never = Nanoseconds.seconds(40 * 366 * 86_400)

  /// Appends what fits. `instant` is the first instant that no output has committed.
  mutating func fill(_ timeline: inout Timeline, from instant: Instant, now: Instant) {
    timeline = timeline.trimmed(at: now)
    forgetSections(before: now)
    var steps = 0
    while steps < ScorePlayer.mostSteps, appendNext(&timeline, from: instant, now: now) { steps += 1 }
  }

  /// Removes the sections before the one that plays. If it is in another song or was recalled, takes over its song and speed.
  mutating func forgetSections(before now: Instant) {
    let time = FineTime(now - .zero)
    while placed.count > 1, placed[1].begin <= time {
      let left = placed.removeFirst()
      let isNew = placed[0].song != song || left.leavesFor?.speed != nil
      if isNew { (song, speed) = (placed[0].song, placed[0].speed) }
    }
  }

  /// The speed of what is appended next, from this song: for the sounding song, as the musician has changed it.
  func speed(ofSong number: Int) -> Int {
    if let speed = placed.last?.leavesFor?.speed { return speed }
    // A recalled section is in the timeline, but does not sound yet.
    if let last = placed.last, last.song == number, placed.contains(where: { $0.leavesFor?.speed != nil }) {
      return last.speed
    }
    return number == song ? speed : setList.songs[number].scale
  }

  mutating func appendNext(_ timeline: inout Timeline, from instant: Instant, now: Instant) -> Bool {
    let latest = now + (timeline.isPlaying ? ScorePlayer.horizon : ScorePlayer.longestSilence)
    guard nextTime <= FineTime(latest - .zero) else { return false }
    switch next {
    case .endless, .wait, .end: return false
    case .piece(let beat): return appendPiece(at: beat, to: &timeline, from: instant)
    case .part(let occurrence, let song, let at, var beat):
      if case .section(let section)? = occurrence?.part, let occurrence {
        return begin(section, occurrence, song: song, at: at, beat: beat, in: &timeline, from: instant)
      }
      guard appendSilence(&timeline, at: at, beat: &beat, from: instant) else { return false }
      guard let occurrence, case .pause(let pause) = occurrence.part else {
        next = .end(at: at)
        return false
      }
      let following = setList.maps[song].next(after: occurrence)
      if let length = setList.maps[song].duration(of: pause, occurrence, speed: speed(ofSong: song)) {
        next = .part(following, song: song, at: at + length, beat: beat)
      } else {
        // A wait before the first section is skipped.
        next =
          timeline.isPlaying ? .wait(following, song: song, at: at) : .part(following, song: song, at: at, beat: beat)
      }
      return true
    }
  }

  mutating func begin(
    _ section: Section, _ occurrence: SongMap.Occurrence, song: Int, at: FineTime, beat: Int64,
    in timeline: inout Timeline, from instant: Instant
  ) -> Bool {
    let speed = speed(ofSong: song)
    let map = SectionMap(section, scale: speed)
    let isFirst = placed.isEmpty || occurrence == setList.maps[song].first
    let countIn = max(section.countIn, isFirst ? setList.songs[song].countIn : 0)
    isLate = timeline.isPlaying && (isLate || at.instant < instant)
    var new = PlacedSection(
      song: song, occurrence: occurrence, section: section, map: map, mapSpeed: speed, speed: speed, origin: at,
      begin: at,
      firstBeat: beat + Int64(countIn) * Int64(map.beatsInBar), countIn: countIn, end: map.beats)
    if countIn > 0 {
      new.origin = at + new.countInCurve.time(at: Position(whole: new.countInBeats))
      let start = isLate ? max(instant, at.instant) : at.instant
      let first = new.placedCountIn.firstBeat(atOrAfter: start)
      if first < new.firstBeat {
        let number = isLate ? timeline.nextBeat(atOrAfter: instant) : first
        new.firstBeat += number - first
        guard recount(new, in: &timeline, number, start) else { return false }
        isLate = false
      }
    }
    placed.append(new)
    next = .piece(0)
    return true
  }

  mutating func appendPiece(at beat: Int64, to timeline: inout Timeline, from instant: Instant) -> Bool {
    guard var section = placed.last else { preconditionFailure("a piece belongs to a section") }
    if let end = section.end, beat >= end {
      let (song, following, _) =
        section.leavesFor ?? (section.song, setList.maps[section.song].next(after: section.occurrence), nil)
      next = .part(
        following, song: song, at: section.time(ofBeat: end),
        beat: section.firstBeat + end)
      return true
    }
    let (piece, pieceEnd) = section.map.piece(atBeat: beat)
    let end = [pieceEnd, section.end].compactMap(\.self).min()
    var first = beat
    var start = section.time(ofBeat: beat).instant
    isLate = timeline.isPlaying && (isLate || start < instant)
    if isLate {
      // The part of the song that has passed is skipped.
      first = max(beat, section.firstBeat(atOrAfter: instant))
      if let end, first >= end {
        placed[placed.count - 1].firstBeat = timeline.nextBeat(atOrAfter: instant) - end
        next = .piece(end)
        return true
      }
      section.firstBeat = timeline.nextBeat(atOrAfter: instant) - first
      start = max(start, instant)
    }
    var segment = self.segment(of: section, piece, from: first)
    if isLate { segment.delay(to: instant) }
    segment.start = start
    guard timeline.place(segment, section.section.bar.rhythm) else { return false }
    isLate = false
    placed[placed.count - 1] = section
    next = end.map { .piece($0) } ?? .endless
    return true
  }

  /// A piece of a section from one of its beats on.
  func segment(of section: PlacedSection, _ piece: SectionMap.Piece, from beat: Int64) -> Segment {
    let curve = PlacedCurve(
      curve: piece.curve.rescaled(from: section.mapSpeed, to: section.speed), beat: section.firstBeat + piece.beat,
      origin: section.origin + piece.time.scaled(by: section.mapSpeed, over: section.speed))
    let bar = section.occurrence.start.bars + beat / section.beatsInBar
    var segment = self.segment(of: section, curve, from: section.firstBeat + beat, bar: bar)
    segment.positionBefore = Int(beat % section.beatsInBar) - 1
    let own = section.section.filter
    (segment.filter, segment.filterOrigin) = (own.isEmpty ? filter : own, section.firstBeat)
    return segment
  }

  /// A segment that begins with a bar line.
  func segment(of section: PlacedSection, _ curve: PlacedCurve, from beat: Int64, bar: Int64) -> Segment {
    let start = curve.instant(of: Position(whole: beat))
    var segment = Segment(
      start: start, anchor: start, firstIndex: beat, barBefore: bar, positionBefore: -1, tempo: .initial,
      metre: section.section.bar.metre)
    segment.curve = curve
    segment.origin = section.firstBeat
    segment.songBeat = section.occurrence.start.beats
    segment.gain = Float(section.section.volume) / 1_000_000
    segment.isSpoken = section.section.speaks
    return segment
  }

  /// Ends the beats so far by a beat that never comes. Before the first section there is nothing to end.
  mutating func appendSilence(
    _ timeline: inout Timeline, at time: FineTime, beat: inout Int64, from instant: Instant
  ) -> Bool {
    guard timeline.isPlaying else { return true }
    isLate = isLate || time.instant < instant
    if isLate { beat = timeline.nextBeat(atOrAfter: max(time.instant, instant)) }
    let metre = timeline.lastSegment.metre
    let origin = FineTime(max(time.instant, instant) - .zero + ScorePlayer.never)
    let curve = PlacedCurve(curve: TempoCurve(ScoreTempo(.initial), metre), beat: beat, origin: origin)
    var segment = Segment(
      start: origin.instant, anchor: origin.instant, firstIndex: beat, barBefore: 0, positionBefore: -1,
      tempo: .initial, metre: metre)
    segment.curve = curve
    guard timeline.place(segment, Rhythm()) else { return false }
    isLate = false
    return true
  }
}
