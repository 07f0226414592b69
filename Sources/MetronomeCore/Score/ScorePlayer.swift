/// Plays a set list on a timeline: appends the sections of the song ahead of time, as far as the timeline has room.
///
/// Each section begins exactly where the section before ends, in fractions of a nanosecond. If the timeline is not filled
/// in time, its last beats go on at their tempo; afterwards the song continues where it would have been.
public struct ScorePlayer: Sendable {
  /// How far ahead the timeline is filled, if it has room.
  static let horizon = Nanoseconds.seconds(30)

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
  var next = Next.endless
  /// Whether the timeline was not filled in time: its last beats have gone on and have used up beat numbers.
  var isLate = false
  /// Whether a change of the sounding section waits for room in the timeline.
  var isBehind = false

  /// What is appended next.
  enum Next: Sendable {
    /// The piece that begins at this beat of the last section.
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
    (placed, isLate, isBehind) = ([], false, false)
    next = .part(first, song: song, at: FineTime(firstBeat - .zero), beat: 0)
    var timeline = Timeline(session: session, segments: SegmentList(), rhythms: RhythmTable())
    fill(&timeline, from: firstBeat, now: now)
    return timeline.isPlaying ? timeline : nil
  }

  /// Remembers the section that plays at an instant as the place of the next start.
  mutating func stop(at now: Instant) {
    forgetSections(before: now)
    if let section = sounding(at: now) { (song, place) = (section.song, section.occurrence) }
    placed = []
    next = .endless
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
  func hasEnded(at now: Instant) -> Bool { end.map { FineTime(now - .zero) >= $0 } ?? false }

  /// Stops after the end of the song. The next start plays the next song, and after the last song the first.
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
    let time = FineTime(instant - .zero)
    return placed.lastIndex { $0.begin <= time } ?? (placed.isEmpty ? nil : 0)
  }

  func hasPassed(_ section: PlacedSection, at instant: Instant) -> Bool {
    section.end.map { section.time(ofBeat: $0) <= FineTime(instant - .zero) } ?? false
  }

  /// Whether the song waits for the musician at an instant.
  func isWaiting(at now: Instant) -> Bool {
    if case .wait(_, _, let time) = next { return time <= FineTime(now - .zero) }
    return false
  }

  /// When the status changes or there is more to append; nil: not before a command.
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
    if case .part(let occurrence, _, _, _) = next { return occurrence?.section?.bar.rhythm ?? Rhythm() }
    return placed.last?.section.bar.rhythm ?? Rhythm()
  }
}
