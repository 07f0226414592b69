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

  /// Whether a section speaks the numbers of its beats.
  public var speaks: Bool { songs.contains { SetList.speaks($0.parts) } }

  private static func speaks(_ parts: [Song.Part]) -> Bool {
    parts.contains {
      switch $0 {
      case .section(let section): section.speaks
      case .pause: false
      case .block(let block): speaks(block.parts)
      }
    }
  }

  public static func == (a: SetList, b: SetList) -> Bool { a === b || a.name == b.name && a.songs == b.songs }
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// A place in a score that is remembered.
public struct SavedPlace: Hashable, Sendable {
  /// The name of the score.
  public var score: String
  /// Counted from 0.
  public var song: Int
  /// The bar of the song at which the section begins, counted from 0.
  public var bar: Int64
  /// How many sections after the one that contains this bar: what follows a part without an end has the bars of that part.
  public var sectionsAfter: Int
  /// The practice speed, in thousandths; nil: the song's own.
  public var speed: Int?

  public init(score: String, song: Int, bar: Int64 = 0, sectionsAfter: Int = 0, speed: Int? = nil) {
    (self.score, self.song, self.bar, self.sectionsAfter, self.speed) = (score, song, bar, sectionsAfter, speed)
  }

  /// In words, such as `Gig, song 2, bar 17, 85 %`. Song and bar are counted from 1; `17+` is in or after a part without an end.
  public var text: String {
    "\(shownName(score)), song \(song + 1), bar \(bar + 1)\(sectionsAfter > 0 ? "+" : "")"
      + (speed.map { ", \(percent($0))" } ?? "")
  }
}

/// Thousandths as text, such as `85 %` or `112.5 %`.
private func percent(_ thousandths: Int) -> String {
  "\(thousandths / 10)\(thousandths % 10 == 0 ? "" : ".\(thousandths % 10)") %"
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

extension ScorePlayer {
  /// What a display shows at an instant; while stopped, where the next start begins.
  func status(at now: Instant) -> ScoreStatus {
    let playing = sounding(at: now)
    let song = playing?.song ?? song
    let speed = song == self.song ? speed : playing?.speed ?? speed
    let occurrence = playing?.occurrence ?? place ?? setList.maps[song].first
    let section = playing?.section ?? setList.maps[song].firstSection(from: occurrence)?.section
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
    if speed != 1_000 { words.append(percent(speed)) }
    if isWaiting { words.append("waiting") }
    return words.joined(separator: ", ")
  }
}

/// A section of the song that is loaded, for a list.
public struct SongSection: Hashable, Sendable {
  public var label: String?
  /// The bar of the song at which it begins, counted from 0.
  public var bar: Int64
  /// nil: it has no end.
  public var bars: Int64?
  public var signature: Signature
  /// The tempo at its beginning.
  public var tempo: Tempo
  /// The tempo to which it changes; nil: its tempo is constant.
  public var target: Tempo?
  /// Whether it is the one that sounds, or the one with which playback would begin.
  public var isSounding: Bool
}

extension Metronome {
  /// The sections of the song that is loaded, in the order in which they are played; empty without a score.
  package func sections(atMost count: Int) -> [SongSection] { leader.player?.sections(atMost: count, at: asOf) ?? [] }

  /// The names of the songs that are loaded; none without a score.
  package var songNames: [String] { leader.ramp == nil ? leader.player?.setList.songs.map(\.name) ?? [] : [] }

  /// What follows the part that sounds, or with which playback would begin, in a few words; nil without a score.
  package var following: String? { leader.player?.following(at: asOf) }

  /// The next tempo of the steps that play at an instant, and in how many beats it begins; nil if none follows.
  package func nextStep(at instant: Instant) -> (tempo: Tempo, beats: Int64)? {
    timeline.isPlaying ? leader.player?.nextStep(at: instant) : nil
  }
}

extension ScorePlayer {
  /// A section with what changes, such as `chorus 96 3/4`, a pause, the next song, or the end.
  fileprivate func following(at now: Instant) -> String {
    let playing = sounding(at: now)
    let (song, speed) = (playing?.song ?? song, playing?.speed ?? speed)
    let occurrence = playing?.occurrence ?? place ?? setList.maps[song].first
    guard let occurrence, let next = setList.maps[song].next(after: occurrence, leaving: true) else {
      guard song + 1 < setList.songs.count else { return "end" }
      let name = setList.songs[song + 1].name
      return name.isEmpty ? "song \(song + 2)" : name
    }
    guard let section = next.section else { return next.part.label ?? "pause" }
    func tempo(_ tempo: ScoreTempo, _ section: Section) -> Tempo {
      TempoCurve(tempo, section.bar.metre, scale: speed).tempo(at: .zero, in: section.bar.metre)
    }
    var words = [next.part.label ?? "bar \(next.start.bars + 1)"]
    let old = occurrence.section ?? playing?.section
    let begin = tempo(section.tempo.first, section)
    if old.map({ tempo($0.tempo.last, $0) }) != begin { words.append("\((begin.milliBPM + 500) / 1_000)") }
    if old?.bar.metre.signature != section.bar.metre.signature { words.append("\(section.bar.metre.signature)") }
    return words.joined(separator: " ")
  }

  fileprivate func nextStep(at instant: Instant) -> (tempo: Tempo, beats: Int64)? {
    guard let playing = sounding(at: instant), case .steps = playing.section.tempo else { return nil }
    // The beat that sounds is the one before the first beat after the instant.
    let beat = max(playing.firstBeat(atOrAfter: instant + Nanoseconds(1)) - 1, 0)
    guard let change = playing.map.piece(atBeat: beat).end, playing.end.map({ change < $0 }) ?? true else { return nil }
    let next = playing.map.piece(atBeat: change).piece.curve.rescaled(from: playing.mapSpeed, to: playing.speed)
    return (next.tempo(at: .zero, in: playing.section.bar.metre), change - beat)
  }

  fileprivate func sections(atMost count: Int, at now: Instant) -> [SongSection] {
    let status = status(at: now)
    let map = setList.maps[status.song]
    var (sections, occurrence) = ([SongSection](), map.first)
    while let place = occurrence, sections.count < count {
      occurrence = map.next(after: place, leaving: true)
      guard case .section(let section) = place.part else { continue }
      let metre = section.bar.metre
      func scaled(_ tempo: ScoreTempo) -> Tempo {
        TempoCurve(tempo, metre, scale: status.speed).tempo(at: .zero, in: metre)
      }
      sections.append(
        SongSection(
          label: section.label, bar: place.start.bars, bars: section.bars, signature: metre.signature,
          tempo: scaled(section.tempo.first), target: section.tempo.target.map(scaled),
          isSounding: place.start.bars == status.firstBar))
    }
    return sections
  }
}
