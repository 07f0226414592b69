/// Plays a set list on a timeline: appends the sections of the song ahead of time, as far as the timeline has room.
///
/// Each section begins exactly where the section before ends, in fractions of a nanosecond. If the timeline is not filled
/// in time, its last beats go on at their tempo; afterwards the song continues where it would have been.
public struct ScorePlayer: Sendable {
  /// How far ahead the timeline is filled, if it has room.
  static let horizon = Nanoseconds.seconds(30)
  /// How long the silence before the first section may last.
  private static let longestSilence = Nanoseconds.seconds(86_400)
  /// The maximum number of parts and pieces appended at once: pauses may be as short as a nanosecond.
  private static let mostSteps = 10_000
  /// How far ahead `appendSilence` places the beat that never comes.
  private static let never = Nanoseconds.seconds(40 * 366 * 86_400)

  public let setList: SetList
  /// The place of the song in the set list, counted from 0.
  public internal(set) var song: Int
  /// The practice speed: tempi are multiplied by it. In thousandths, within ``TempoCurve/scales``.
  public internal(set) var speed: Int
  /// Silences bars and beats of the sections that have no gaps or dropped beats of their own.
  var filter = SilenceFilter()
  /// Where the next start begins; nil: at the beginning of the song.
  var place: SongMap.Occurrence?
  /// The sections in the timeline, oldest first.
  var placed: [PlacedSection] = []
  /// The pauses in the timeline, oldest first.
  var pauses: [PlacedPause] = []
  var next = Next.endless
  /// Whether the timeline was not filled in time: its last beats have gone on and have used up beat numbers.
  var isLate = false
  /// Whether a change of the sounding section waits for room in the timeline.
  var isBehind = false

  /// What is appended next.
  enum Next: Sendable {
    /// The piece that begins at this beat of the last section, or what follows if the section ends there.
    case piece(Int64)
    /// A section or a pause of a song, or the end of the song, from an instant and a beat of the timeline on.
    case part(SongMap.Occurrence?, song: Int, at: FineTime, beat: Int64)
    /// Nothing: the last piece of the last section has no end.
    case endless
    /// Nothing until the musician goes on. This part follows; nil: the song ends.
    case wait(SongMap.Occurrence?, song: Int, at: FineTime)
    /// Nothing: the song ends.
    case end(at: FineTime)
  }

  /// A stopped player at the beginning of a song.
  public init(_ setList: SetList, song: Int = 0) {
    self.setList = setList
    self.song = song
    speed = setList.songs[song].scale
  }

  var map: SongMap { setList.maps[song] }

  // MARK: Start and stop

  /// The timeline of the song from ``place`` on; nil if nothing in it sounds.
  mutating func start(session: UInt32, at firstBeat: Instant, now: Instant) -> Timeline? {
    guard let first = place ?? map.first else { return nil }
    (placed, pauses, isLate, isBehind) = ([], [], false, false)
    next = .part(first, song: song, at: FineTime(firstBeat - .zero), beat: 0)
    var timeline = Timeline(session: session, segments: SegmentList(), rhythms: RhythmTable())
    fill(&timeline, from: firstBeat, now: now)
    return timeline.isPlaying ? timeline : nil
  }

  /// Remembers the section that plays at an instant as the place of the next start.
  mutating func stop(at now: Instant) {
    forgetSections(before: now)
    if let section = sounding(at: now) { (song, place) = (section.song, section.occurrence) }
    (placed, pauses, next) = ([], [], .endless)
  }

  /// When the song ends; nil: not known yet.
  var end: FineTime? {
    if case .end(let end) = next { return end }
    return nil
  }

  /// Whether nothing follows the last piece in the timeline.
  var isEndless: Bool {
    if case .endless = next { return true }
    return false
  }

  /// Whether the song has ended at an instant.
  func hasEnded(at now: Instant) -> Bool { end.map { $0 <= .latest(at: now) } ?? false }

  /// Stops after the end of the song. The next start plays the next song, and after the last song the first.
  mutating func finish() {
    let last = placed.last?.song ?? song
    (placed, pauses, next) = ([], [], .endless)
    select(song: (last + 1) % setList.songs.count)
  }

  /// Chooses the song of the next start.
  mutating func select(song: Int) {
    if song != self.song { speed = setList.songs[song].scale }
    (self.song, place) = (song, nil)
  }

  /// Chooses the section and the speed of the next start, if the place belongs to this set list.
  mutating func select(_ saved: SavedPlace) {
    guard saved.score == setList.name, setList.songs.indices.contains(saved.song) else { return }
    select(song: saved.song)
    place = map.section(atBar: saved.bar, sectionsAfter: saved.sectionsAfter)
    if let own = saved.speed, TempoCurve.scales.contains(own) { speed = own }
  }

  /// The place that is saved for the next power-up or in a preset; nil for a set list without a name.
  func savedPlace(at now: Instant) -> SavedPlace? {
    guard !setList.name.isEmpty else { return nil }
    let playing = sounding(at: now)
    let (song, section) = (playing?.song ?? song, playing?.occurrence ?? place)
    return SavedPlace(
      score: setList.name, song: song, bar: section?.start.bars ?? 0,
      sectionsAfter: section.map { setList.maps[song].sectionsAfterBar(of: $0) } ?? 0, speed: speed)
  }

  // MARK: What plays

  func sounding(at instant: Instant) -> PlacedSection? { soundingIndex(at: instant).map { placed[$0] } }

  /// The last section that has begun at an instant, or the first one.
  func soundingIndex(at instant: Instant) -> Int? {
    placed.lastIndex { $0.begin <= .latest(at: instant) } ?? (placed.isEmpty ? nil : 0)
  }

  func hasPassed(_ section: PlacedSection, at instant: Instant) -> Bool {
    section.end.map { section.time(ofBeat: $0) <= .latest(at: instant) } ?? false
  }

  /// Whether the song waits for the musician at an instant.
  func isWaiting(at now: Instant) -> Bool {
    if case .wait(_, _, let time) = next { return time <= .latest(at: now) }
    return false
  }

  /// When the status changes or there is more to append; nil: not before a command.
  func deadline(_ timeline: Timeline, now: Instant) -> Instant? {
    let time = FineTime.latest(at: now)
    var dues: [Instant] = []
    if let section = placed.first(where: { $0.begin > time }) { dues.append(section.begin.instantAtOrAfter) }
    switch next {
    case .piece, .part:
      let due = max(nextTime.instant - ScorePlayer.horizon, timeline.nextRoom(for: nextRhythm))
      dues.append(max(due, now + .milliseconds(1)))
    case .endless: break
    case .wait(_, _, let at): if at > time { dues.append(at.instantAtOrAfter) }
    case .end(let at): dues.append(max(at.instantAtOrAfter, now + .milliseconds(1)))
    }
    if isBehind { dues.append(max(timeline.nextRoom(count: ScorePlayer.neededRoom), now + .milliseconds(1))) }
    return dues.min()
  }

  /// Where ``next`` begins.
  var nextTime: FineTime {
    switch next {
    case .piece(let beat): placed.last.map { $0.time(ofBeat: beat) } ?? .zero
    case .part(_, _, let at, _), .wait(_, _, let at), .end(let at): at
    case .endless: .zero
    }
  }

  var nextRhythm: Rhythm {
    if case .part(let occurrence, _, _, _) = next, let rhythm = occurrence?.section?.bar.rhythm { return rhythm }
    return placed.last?.section.bar.rhythm ?? Rhythm()
  }

  // MARK: Filling

  /// Appends what fits. `instant` is the first instant that no output has committed.
  mutating func fill(_ timeline: inout Timeline, from instant: Instant, now: Instant) {
    timeline = timeline.trimmed(at: now)
    forgetSections(before: now)
    var steps = 0
    while steps < ScorePlayer.mostSteps, appendNext(&timeline, from: instant, now: now) { steps += 1 }
  }

  /// Removes the sections before the one that plays. If it is in another song or was recalled, takes over its song and speed.
  private mutating func forgetSections(before now: Instant) {
    while placed.count > 1, placed[1].begin <= .latest(at: now) {
      let left = placed.removeFirst()
      let isNew = placed[0].song != song || left.leavesFor?.speed != nil
      if isNew { (song, speed) = (placed[0].song, placed[0].speed) }
    }
    pauses.removeAll { $0.end.map { $0 <= .latest(at: now) } ?? false }
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
      let length = setList.maps[song].duration(of: pause, occurrence, speed: speed(ofSong: song))
      // A wait before the first section is skipped.
      let end = length.map { at + $0 } ?? (timeline.isPlaying ? nil : at)
      pauses.append(PlacedPause(song: song, occurrence: occurrence, begin: at, end: end, beat: beat))
      next = end.map { .part(following, song: song, at: $0, beat: beat) } ?? .wait(following, song: song, at: at)
      return true
    }
  }

  mutating func begin(
    _ section: Section, _ occurrence: SongMap.Occurrence, song: Int, at: FineTime, beat: Int64,
    in timeline: inout Timeline, from instant: Instant
  ) -> Bool {
    let speed = speed(ofSong: song)
    let own = setList.songs[song].scale
    let map = SectionMap(section, scale: own)
    let isFirst = placed.isEmpty || occurrence == setList.maps[song].first
    let countIn = max(section.countIn, isFirst ? setList.songs[song].countIn : 0)
    isLate = timeline.isPlaying && (isLate || at.instant < instant)
    var new = PlacedSection(
      song: song, occurrence: occurrence, section: section, map: map, mapSpeed: own, speed: speed, origin: at,
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
    var segment = Segment(
      .curve(curve), firstIndex: beat, barBefore: bar, positionBefore: -1, tempo: .initial,
      metre: section.section.bar.metre)
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
    let segment = Segment(
      .curve(curve), firstIndex: beat, barBefore: 0, positionBefore: -1, tempo: .initial, metre: metre)
    // The rhythm goes on, because another one would need a place in the table.
    guard timeline.place(segment, timeline.rhythms[timeline.lastSegment.rhythm]) else { return false }
    isLate = false
    return true
  }
}
