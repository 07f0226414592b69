/// A score that can be played: its songs with their maps.
///
/// A class, because it may be large: a metronome is copied with each press that can be undone.
public final class SetList: Hashable, Sendable {
  /// The name of the score, by which it is remembered.
  public let name: String
  public let songs: [Song]
  let maps: [SongMap]

  /// - Precondition: ``Score/init(text:)`` accepts the score.
  public init(_ score: Score, name: String = "") {
    self.name = name
    songs = score.songs
    maps = score.songs.map {
      guard let map = SongMap($0) else { preconditionFailure("the song is too long") }
      return map
    }
  }

  public static func == (a: SetList, b: SetList) -> Bool { a === b || a.name == b.name && a.songs == b.songs }
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// Plays a set list on a timeline: appends the sections of the song ahead of time, as far as the timeline has room.
///
/// Each section is placed at an instant finer than a nanosecond, at which the section before ends. If the timeline is not filled
/// in time, its last beats go on at their tempo; afterwards the song continues where it would have been.
public struct ScorePlayer: Sendable {
  /// How far ahead the timeline is filled, if it has room.
  static let horizon = Nanoseconds.seconds(30)
  /// How long the silence before the first section may last.
  private static let longestSilence = Nanoseconds.seconds(86_400)
  /// What is appended at once, at most: pauses may be as short as a nanosecond.
  private static let mostSteps = 10_000
  /// The beat after the end of a song, and after a section before a pause, is this far away.
  private static let never = Nanoseconds.seconds(40 * 366 * 86_400)

  public let setList: SetList
  /// The place of the song in the set list, counted from 0.
  public private(set) var song: Int
  /// The practice speed: tempi are multiplied by it. In thousandths, within ``TempoCurve/scales``.
  public private(set) var speed: Int
  /// Where the next start begins; nil: at the beginning of the song.
  private var place: SongMap.Occurrence?
  /// The sections in the timeline, oldest first.
  private var placed: [PlacedSection] = []
  private var next = Next.endless
  /// Whether the timeline was not filled in time, so that its last beats have gone on: they have their own numbers.
  private var isLate = false

  /// What is appended next.
  private enum Next: Sendable {
    /// The piece of the last section that begins at a beat of this section.
    case piece(Int64)
    /// A section or a pause of a song, or the end of the song, from an instant and a beat of the timeline on.
    case part(SongMap.Occurrence?, song: Int, at: FineTime, beat: Int64)
    /// Nothing: the last piece of the last section has no end.
    case endless
    /// Nothing, until the musician goes on with this part; nil: until the musician ends the song.
    case wait(SongMap.Occurrence?, song: Int, at: FineTime)
    /// Nothing: the song ends.
    case end(at: FineTime)
  }

  /// A section in a timeline.
  private struct PlacedSection: Sendable {
    let song: Int
    let occurrence: SongMap.Occurrence
    let section: Section
    let map: SectionMap
    /// The speed for which the map was made, and the speed at which the section is played.
    let mapSpeed: Int
    var speed: Int
    /// When its first beat falls, after the count-in.
    var origin: FineTime
    /// When it begins or began: taps may move the place of its first beat afterwards.
    var begin: FineTime
    /// The number of its first beat in the timeline.
    var firstBeat: Int64
    /// The bars that are counted in before it.
    let countIn: Int
    /// The beat at which it ends or is left; nil: without an end.
    var end: Int64?
    /// What follows if the section is left early.
    var leavesFor: (song: Int, occurrence: SongMap.Occurrence?)?

    var beatsInBar: Int64 { Int64(map.beatsInBar) }
    var countInBeats: Int64 { Int64(countIn) * beatsInBar }

    func time(ofBeat beat: Int64) -> FineTime {
      origin + map.time(at: Position(whole: beat)).scaled(by: mapSpeed, over: speed)
    }

    func firstBeat(atOrAfter instant: Instant) -> Int64 {
      // The product of the rounded quotient may be too small by one beat.
      let time = FineTime(instant - .zero)
      var beat = map.firstBeat(atOrAfter: (time - origin).scaled(by: speed, over: mapSpeed))
      while beat > 0, self.time(ofBeat: beat - 1) >= time { beat -= 1 }
      while self.time(ofBeat: beat) < time { beat += 1 }
      return beat
    }

    /// When a beat of the timeline falls.
    func time(ofNumber beat: Int64) -> FineTime {
      beat < firstBeat ? placedCountIn.time(of: Position(whole: beat)) : time(ofBeat: beat - firstBeat)
    }

    /// Where its count-in begins.
    var start: FineTime {
      countIn == 0 ? origin : origin - countInCurve.time(at: Position(whole: countInBeats))
    }

    var countInCurve: TempoCurve { map.pieces[0].curve.initial.rescaled(from: mapSpeed, to: speed) }

    var placedCountIn: PlacedCurve { PlacedCurve(curve: countInCurve, beat: firstBeat - countInBeats, origin: start) }
  }

  /// A stopped player at the beginning of a song.
  public init(_ setList: SetList, song: Int = 0) {
    self.setList = setList
    self.song = song
    speed = setList.songs[song].scale
  }

  private var map: SongMap { setList.maps[song] }

  // MARK: Start and stop

  /// The timeline of a song from its place on. nil if nothing in it sounds.
  mutating func start(session: UInt32, at firstBeat: Instant, now: Instant) -> Timeline? {
    guard let first = place ?? map.first else { return nil }
    (placed, isLate) = ([], false)
    next = .part(first, song: song, at: FineTime(firstBeat - .zero), beat: 0)
    var timeline = Timeline(session: session, segments: SegmentList(), rhythms: RhythmTable())
    fill(&timeline, from: firstBeat, now: now)
    return timeline.isPlaying ? timeline : nil
  }

  /// Remembers the section that plays at an instant as the place of the next start.
  mutating func stop(at now: Instant) {
    if let section = sounding(at: now) { (song, place) = (section.song, section.occurrence) }
    placed = []
    next = .endless
  }

  /// When the song ends; nil: not known yet.
  fileprivate var end: FineTime? {
    if case .end(let end) = next { return end }
    return nil
  }

  /// Whether the song has ended at an instant.
  func hasEnded(at now: Instant) -> Bool { end.map { FineTime(now - .zero) >= $0 } ?? false }

  /// Stops after the end of the song; the next start begins the next song, or the first one after the last.
  mutating func finish() {
    let last = placed.last?.song ?? song
    placed = []
    next = .endless
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
    place = map.occurrence(atBar: saved.bar)
    if let own = saved.speed, TempoCurve.scales.contains(own) { speed = own }
  }

  /// Where a start continues after the power was off; nil for a set list without a name.
  func savedPlace(at now: Instant) -> SavedPlace? {
    guard !setList.name.isEmpty else { return nil }
    let playing = sounding(at: now)
    return SavedPlace(
      score: setList.name, song: playing?.song ?? song, bar: (playing?.occurrence ?? place)?.start.bars ?? 0,
      speed: speed)
  }

  // MARK: What plays

  private func sounding(at instant: Instant) -> PlacedSection? { soundingIndex(at: instant).map { placed[$0] } }

  /// The last section that has begun at an instant, or the first one.
  private func soundingIndex(at instant: Instant) -> Int? {
    let time = FineTime(instant - .zero)
    return placed.lastIndex { $0.begin <= time } ?? (placed.isEmpty ? nil : 0)
  }

  private func hasPassed(_ section: PlacedSection, at instant: Instant) -> Bool {
    section.end.map { section.time(ofBeat: $0) <= FineTime(instant - .zero) } ?? false
  }

  /// Whether the song waits for the musician at an instant.
  func isWaiting(at now: Instant) -> Bool {
    if case .wait(_, _, let time) = next { return time <= FineTime(now - .zero) }
    return false
  }

  /// What a display shows at an instant; while stopped, the place of the next start.
  func status(at now: Instant) -> ScoreStatus {
    let playing = sounding(at: now)
    let song = playing?.song ?? song
    let occurrence = playing?.occurrence ?? place ?? setList.maps[song].first
    let section = playing?.section ?? occurrence?.section
    let bar = section?.bar ?? Bar(.initial)
    let tempo = section.map {
      TempoCurve($0.tempo.first, bar.metre, scale: playing?.speed ?? speed).tempo(at: .zero, in: bar.metre)
    }
    return ScoreStatus(
      score: setList.name, song: song, songs: setList.songs.count, name: setList.songs[song].name,
      label: occurrence?.part.label, firstBar: occurrence?.start.bars ?? 0, speed: speed,
      isWaiting: playing != nil && isWaiting(at: now), tempo: tempo ?? .initial,
      bar: bar)
  }

  /// When the status changes or more is to be appended; nil: only by a command.
  func deadline(_ timeline: Timeline, now: Instant) -> Instant? {
    let time = FineTime(now - .zero)
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
    return dues.min()
  }

  /// Where ``next`` begins.
  private var nextTime: FineTime {
    switch next {
    case .piece(let beat): placed.last.map { $0.time(ofBeat: beat) } ?? .zero
    case .part(_, _, let at, _), .wait(_, _, let at), .end(let at): at
    case .endless: .zero
    }
  }

  private var nextRhythm: Rhythm {
    if case .part(let occurrence, _, _, _) = next { return occurrence?.section?.bar.rhythm ?? Rhythm() }
    return placed.last?.section.bar.rhythm ?? Rhythm()
  }

  // MARK: Filling

  /// Appends what fits. `instant` is the first that no output has committed.
  mutating func fill(_ timeline: inout Timeline, from instant: Instant, now: Instant) {
    timeline = timeline.trimmed(at: now)
    let time = FineTime(now - .zero)
    while placed.count > 1, placed[1].begin <= time { placed.removeFirst() }
    var steps = 0
    while steps < ScorePlayer.mostSteps, appendNext(&timeline, from: instant, now: now) { steps += 1 }
  }

  private mutating func appendNext(_ timeline: inout Timeline, from instant: Instant, now: Instant) -> Bool {
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
      if let length = setList.maps[song].duration(of: pause, occurrence, speed: speed) {
        next = .part(following, song: song, at: at + length, beat: beat)
      } else {
        // A song does not begin with waiting.
        next =
          timeline.isPlaying ? .wait(following, song: song, at: at) : .part(following, song: song, at: at, beat: beat)
      }
      return true
    }
  }

  private mutating func begin(
    _ section: Section, _ occurrence: SongMap.Occurrence, song: Int, at: FineTime, beat: Int64,
    in timeline: inout Timeline, from instant: Instant
  ) -> Bool {
    if song != self.song {
      self.song = song
      speed = setList.songs[song].scale
    }
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

  private mutating func appendPiece(at beat: Int64, to timeline: inout Timeline, from instant: Instant) -> Bool {
    guard var section = placed.last else { preconditionFailure("a piece belongs to a section") }
    if let end = section.end, beat >= end {
      let (song, following) =
        section.leavesFor ?? (section.song, setList.maps[section.song].next(after: section.occurrence))
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
      // What has passed of the song is left out.
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
  private func segment(of section: PlacedSection, _ piece: SectionMap.Piece, from beat: Int64) -> Segment {
    let curve = PlacedCurve(
      curve: piece.curve.rescaled(from: section.mapSpeed, to: section.speed), beat: section.firstBeat + piece.beat,
      origin: section.origin + piece.time.scaled(by: section.mapSpeed, over: section.speed))
    let bar = section.occurrence.start.bars + beat / section.beatsInBar
    var segment = self.segment(of: section, curve, from: section.firstBeat + beat, bar: bar)
    segment.positionBefore = Int(beat % section.beatsInBar) - 1
    segment.filter = section.section.filter
    return segment
  }

  /// A segment that begins with a bar line.
  private func segment(of section: PlacedSection, _ curve: PlacedCurve, from beat: Int64, bar: Int64) -> Segment {
    let start = curve.instant(of: Position(whole: beat))
    var segment = Segment(
      start: start, anchor: start, firstIndex: beat, barBefore: bar, positionBefore: -1, tempo: .initial,
      metre: section.section.bar.metre)
    segment.curve = curve
    segment.origin = section.firstBeat
    segment.songBeat = section.occurrence.start.beats
    segment.gain = Float(section.section.volume) / 1_000_000
    return segment
  }

  /// Appends a beat that never comes, at which the beats before it end. A song does not begin with silence.
  private mutating func appendSilence(
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

  // MARK: Live changes

  /// Plays the rest at another speed, with the phase kept.
  mutating func change(speed new: Int, in timeline: inout Timeline, from instant: Instant, now: Instant) {
    speed = min(max(new, TempoCurve.scales.lowerBound), TempoCurve.scales.upperBound)
    reshape(&timeline, from: instant, now: now) { [speed] section, pivot in
      section.origin = pivot - (pivot - section.origin).scaled(by: section.speed, over: speed)
      section.speed = speed
    }
  }

  /// Moves the rest of the sounding section, and what follows it, in time.
  mutating func shift(by delta: Nanoseconds, in timeline: inout Timeline, from instant: Instant, now: Instant) {
    let next = timeline.isPlaying ? timeline.nextBeat(atOrAfter: instant) : 0
    reshape(&timeline, from: instant, now: now) { section, _ in
      // The next beat comes earlier as far as no output has committed it.
      let earliest = FineTime(instant - .zero) - section.time(ofNumber: next)
      let shift = delta < .zero ? min(max(FineTime(delta), earliest), .zero) : FineTime(delta)
      section.origin = section.origin + shift
      if section.begin > FineTime(instant - .zero) { section.begin = section.start }
    }
  }

  /// Moves the rest of the sounding section, and what follows it, to where another player has them; false if it need not or
  /// cannot, because another section plays.
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

  /// Changes the place of the sounding section, and appends it and what follows again.
  private mutating func reshape(
    _ timeline: inout Timeline, from instant: Instant, now: Instant, _ change: (inout PlacedSection, FineTime) -> Void
  ) {
    guard timeline.isPlaying, let index = soundingIndex(at: instant) else { return }
    var section = placed[index]
    let pivot = max(FineTime(instant - .zero), section.begin)
    if hasPassed(section, at: instant) {
      // A pause: it keeps its length.
      guard index + 1 < placed.count else { return }
      let following = placed[index + 1]
      let beat = following.firstBeat - following.countInBeats
      next = .part(following.occurrence, song: following.song, at: following.start, beat: beat)
      placed.removeSubrange((index + 1)...)
      timeline.truncate(from: beat + 1)
    } else {
      change(&section, pivot)
      placed.removeSubrange((index + 1)...)
      placed[index] = section
      let next = timeline.nextBeat(atOrAfter: instant)
      let isPlaced =
        next < section.firstBeat
        ? recount(section, in: &timeline, next, instant) : replay(section, &timeline, next, instant)
      guard isPlaced else { return }
    }
    fill(&timeline, from: instant, now: now)
  }

  /// Places the rest of a count-in again, from a beat of the timeline on.
  private mutating func recount(
    _ section: PlacedSection, in timeline: inout Timeline, _ beat: Int64, _ instant: Instant
  ) -> Bool {
    let curve = section.placedCountIn
    let (bar, position) = (beat - curve.beat).quotientAndRemainder(dividingBy: section.beatsInBar)
    var segment = segment(of: section, curve, from: beat, bar: bar - Int64(section.countIn))
    segment.positionBefore = Int(position) - 1
    segment.delay(to: instant)
    segment.start = min(max(instant, curve.origin.instant), segment.anchor)
    next = .piece(0)
    return timeline.place(segment, section.section.bar.rhythm)
  }

  /// Places the rest of a section again, from a beat of the timeline on. The slots since the beat before are at the new tempo, too.
  private mutating func replay(
    _ section: PlacedSection, _ timeline: inout Timeline, _ beat: Int64, _ instant: Instant
  ) -> Bool {
    let beat = min(max(beat - section.firstBeat, 0), section.end ?? .max)
    let (piece, pieceEnd) = section.map.piece(atBeat: max(beat - 1, 0))
    var segment = segment(of: section, piece, from: beat)
    segment.delay(to: instant)
    if beat > 0 { segment.start = instant }
    next = [pieceEnd, section.end].compactMap(\.self).min().map { .piece($0) } ?? .endless
    return timeline.place(segment, section.section.bar.rhythm)
  }

  /// The practice speed that the score gives the song.
  var songSpeed: Int { setList.songs[song].scale }

  enum Move {
    case next, previous, again
  }

  /// Goes to another section of the song: while playing, at the next bar line.
  mutating func move(_ move: Move, in timeline: inout Timeline, from instant: Instant, now: Instant) {
    if timeline.isPlaying, case .wait(let following, let song, let at) = next, at.instant <= instant, move == .next {
      let beat = timeline.nextBeat(atOrAfter: instant)
      next = .part(following, song: song, at: FineTime(instant - .zero), beat: beat)
      return fill(&timeline, from: instant, now: now)
    }
    let playing = timeline.isPlaying ? sounding(at: instant) : nil
    let song = playing?.song ?? song
    let map = setList.maps[song]
    guard let current = playing?.occurrence ?? place ?? map.first else { return }
    var target: SongMap.Occurrence?
    switch move {
    case .next: target = map.next(after: current, leaving: true)
    case .previous: target = map.occurrence(atBeat: current.start.beats - 1) ?? map.first
    case .again: target = current
    }
    if timeline.isPlaying {
      jump(to: target, song: song, in: &timeline, from: instant, now: now)
    } else if let target {
      place = target
    }
  }

  /// Goes to another song of the set list, which wraps around: while playing, at the next bar line.
  mutating func move(bySongs step: Int, in timeline: inout Timeline, from instant: Instant, now: Instant) {
    let count = setList.songs.count
    let current = timeline.isPlaying ? sounding(at: instant)?.song ?? song : song
    let target = (current + step + count) % count
    if timeline.isPlaying {
      jump(to: setList.maps[target].first, song: target, in: &timeline, from: instant, now: now)
    } else {
      select(song: target)
    }
  }

  /// Leaves the sounding section at its next bar line for another part of the set list, or the end of the song; a pause is left
  /// at once.
  private mutating func jump(
    to occurrence: SongMap.Occurrence?, song target: Int, in timeline: inout Timeline, from instant: Instant,
    now: Instant
  ) {
    guard timeline.isPlaying, let index = soundingIndex(at: instant) else { return }
    let isFilling = index == placed.count - 1
    placed.removeSubrange((index + 1)...)
    let section = placed[index]
    var (at, beat) = (FineTime(instant - .zero), timeline.nextBeat(atOrAfter: instant))
    if !hasPassed(section, at: instant) {
      let bar = section.beatsInBar
      // Taps may have moved the place of a beat that has been played.
      let played = timeline.nextBeat(atOrAfter: instant) - section.firstBeat
      let line = (max(section.firstBeat(atOrAfter: instant), played) + bar - 1) / bar * bar
      placed[index].end = min(line, section.end ?? .max)
      placed[index].leavesFor = (target, occurrence)
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

extension Segment {
  /// Moves the curve so that the first beat is not before an instant: the products of rounded quotients may be too small.
  fileprivate mutating func delay(to instant: Instant) {
    guard var curve else { return }
    let early = FineTime(instant - .zero) - curve.time(of: Position(whole: firstIndex))
    guard early > .zero else { return }
    curve.origin = curve.origin + early
    self.curve = curve
    anchor = instant
  }
}

/// A place in a score that is remembered.
public struct SavedPlace: Hashable, Sendable {
  /// The name of the score.
  public var score: String
  /// Counted from 0.
  public var song: Int
  /// The bar of the song at which the section begins, counted from 0.
  public var bar: Int64
  /// The practice speed, in thousandths; nil: the song's own.
  public var speed: Int?

  public init(score: String, song: Int, bar: Int64 = 0, speed: Int? = nil) {
    (self.score, self.song, self.bar, self.speed) = (score, song, bar, speed)
  }
}

extension SetList {
  /// How long a song plays, with its count-ins; nil if it waits, has no end, or is longer than `limit`.
  public func playingTime(ofSong song: Int, limit: Nanoseconds) -> Nanoseconds? {
    var player = ScorePlayer(self, song: song)
    var now = Instant.zero
    guard var timeline = player.start(session: 1, at: now, now: now) else { return nil }
    while now <= .zero + limit {
      if let end = player.end { return end.instantAtOrAfter - .zero }
      guard let due = player.deadline(timeline, now: now) else { return nil }
      now = due
      player.fill(&timeline, from: now, now: now)
    }
    return nil
  }
}

/// What a display shows of a score.
public struct ScoreStatus: Hashable, Sendable {
  /// The name of the set list; empty if it has none.
  public var score: String
  /// The number of the song in the set list, counted from 0, and how many songs there are.
  public var song: Int
  public var songs: Int
  /// The name of the song; empty if it has none.
  public var name: String
  /// The label of the section or pause.
  public var label: String?
  /// The bar of the song at which the section begins, counted from 0.
  public var firstBar: Int64
  /// The practice speed, in thousandths.
  public var speed: Int
  /// Whether the song waits until the musician goes on.
  public var isWaiting: Bool
  /// The tempo at which the section begins.
  public var tempo: Tempo
  public var bar: Bar

  /// In words, such as `"Blue", song 2 of 3, verse, bar 9, 85 %`. Bars are counted from 1.
  public var text: String {
    var words: [String] = []
    if !name.isEmpty { words.append("\"\(name)\"") }
    if songs > 1 { words.append("song \(song + 1) of \(songs)") }
    if let label { words.append(label) }
    words.append("bar \(firstBar + 1)")
    if speed != 1_000 {
      words.append("\(speed / 10)\(speed % 10 == 0 ? "" : ".\(speed % 10)") %")
    }
    if isWaiting { words.append("waiting") }
    return words.joined(separator: ", ")
  }
}
