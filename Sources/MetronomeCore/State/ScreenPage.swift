/// What a display is to show: a text on four digits, or a page on a screen.
package enum DisplayFrame: Equatable, Sendable {
  case text(DisplayText)
  case page(ScreenPage)
}

/// What a screen shows: a title with a place in a list, a large number, two lines beside the number, and a line below it. Each part is cut
/// to what a screen of 128 × 64 pixels has room for.
package struct ScreenPage: Hashable, Sendable, CustomStringConvertible {
  /// The characters of the title and the place together, and of the last line.
  package static let titleLength = 16
  package static let footerLength = 21
  /// The columns of pixels for the number. A bar has only 32, so that another bar changes no more than four blocks of the picture.
  package enum Width: Int, Sendable {
    case bar = 32
    case tempo = 48

    /// The characters of the lines beside the number.
    package var upperLength: Int { self == .bar ? 14 : 12 }
    package var lowerLength: Int { self == .bar ? 11 : 9 }
  }

  package var title: String
  package var place: String
  package var number: String
  package var width: Width
  package var upper: String
  package var lower: String
  package var footer: String
  /// Whether the last line is a notice, which a view without that line must show, too.
  package var hasNotice: Bool
  /// Whether a song waits to be started: then its title says more than its section, where there is room for one of them.
  package var isBeforeSong: Bool

  package init(
    title: String, place: String = "", number: String, width: Width, upper: String, lower: String, footer: String,
    notice: String? = nil, isBeforeSong: Bool = false
  ) {
    self.place = String(place.prefix(ScreenPage.titleLength / 2))
    self.title = cut(title, to: ScreenPage.titleLength - (place.isEmpty ? 0 : self.place.count + 1))
    // Of a bar with more than four digits the last four.
    self.number = width == .bar ? String(number.suffix(4)) : number
    self.width = width
    self.upper = cut(upper, to: width.upperLength)
    self.lower = cut(lower, to: width.lowerLength)
    self.footer = cut(notice ?? footer, to: ScreenPage.footerLength)
    hasNotice = notice != nil
    self.isBeforeSong = isBeforeSong
  }

  /// This page with one more part of another page: no part changes more than eight blocks of the picture, which take 29 ms at 100 kHz.
  package func step(toward new: ScreenPage) -> ScreenPage {
    var page = self
    if width != new.width { return new }
    if number != new.number {
      page.number = new.number
    } else if upper != new.upper {
      page.upper = new.upper
    } else if lower != new.lower {
      page.lower = new.lower
    } else if footer != new.footer || hasNotice != new.hasNotice || isBeforeSong != new.isBeforeSong {
      (page.footer, page.hasNotice, page.isBeforeSong) = (new.footer, new.hasNotice, new.isBeforeSong)
    } else {
      (page.title, page.place) = (new.title, new.place)
    }
    return page
  }

  /// The parts between bars: `Für Elise 3/12|17|verse|120 BPM|→ chorus`.
  package var description: String {
    [place.isEmpty ? title : "\(title) \(place)", number, upper, lower, footer].joined(separator: "|")
  }
}

/// The beginning of a text that is too long, with `…` at its end. A character is never cut in two.
private func cut(_ text: String, to length: Int) -> String {
  text.count <= length ? text : text.prefix(length - 1) + "…"
}

/// What the pages of a screen are made from.
package struct PageContent: Equatable, Sendable {
  /// So long after a beat, and no later than so long before the next one, a page may be sent. In between there is time for a new bar, which
  /// takes 14 ms at 100 kHz.
  package static let afterBeat = Nanoseconds.milliseconds(20)
  package static let beforeBeat = Nanoseconds.milliseconds(40)
  /// A bar has fewer beats.
  private static let mostBeats: Int64 = 100

  package var state: MetronomeState
  package var timeline: Timeline
  /// What follows in the score.
  package var following: String?
  /// The preset that was recalled last, its place counted from 1, and how many there are.
  package var preset: (name: String, place: Int, count: Int)?

  package init(_ state: MetronomeState, _ timeline: Timeline = .stopped, following: String? = nil) {
    (self.state, self.timeline, self.following) = (state, timeline, following)
  }

  package static func == (a: PageContent, b: PageContent) -> Bool {
    a.state == b.state && a.timeline == b.timeline && a.following == b.following && a.preset?.name == b.preset?.name
      && a.preset?.place == b.preset?.place && a.preset?.count == b.preset?.count
  }

  package func page(at now: Instant, notice: String? = nil) -> ScreenPage {
    if let score = state.score { return songPage(score, at: now, notice) }
    let unit = state.unit == .quarter ? "BPM" : "\(state.unit) per min"
    let rest = [state.rhythm.text, state.isSilent ? "silent" : "", state.trainer].filter { !$0.isEmpty }
    return ScreenPage(
      title: preset?.name ?? (state.isPlaying ? "playing" : "stopped"),
      place: preset.map { "\($0.place)/\($0.count)" } ?? "", number: rounded(state.tempo), width: .tempo,
      upper: unit, lower: "\(state.signature)", footer: rest.joined(separator: ", "), notice: notice)
  }

  private func songPage(_ score: ScoreStatus, at now: Instant, _ notice: String?) -> ScreenPage {
    let beat = state.isPlaying ? timeline.lastBeat(atOrBefore: now) : nil
    let line = beat.flatMap { timeline.beat($0.index - Int64($0.position))?.instant } ?? now
    let tempo = Int((state.isPlaying ? timeline.tempo(at: line) : nil)?.milliBPM ?? state.tempo.milliBPM)
    let shown = rounded(Tempo(clampingMilliBPM: tempo))
    let song = "song \(score.song + 1)"
    let footer =
      score.isWaiting ? "waits for play" : state.isPlaying ? following.map { "→ \($0)" } ?? "" : "stopped"
    return ScreenPage(
      title: score.name.isEmpty ? (score.songs > 1 || score.score.isEmpty ? song : score.score) : score.name,
      place: score.songs > 1 ? "\(score.song + 1)/\(score.songs)" : "",
      // Bars that are counted in are those left.
      number: "\(beat.map { $0.isCountedIn ? $0.bar : $0.bar + 1 } ?? score.firstBar + 1)", width: .bar,
      upper: score.label ?? "\(state.signature)",
      lower: state.unit == .quarter ? "\(shown) BPM" : "\(state.unit) = \(shown)", footer: footer, notice: notice,
      isBeforeSong: !state.isPlaying && !score.isWaiting)
  }

  /// The first instant from `now` on that is not close to a beat.
  package func quiet(from now: Instant) -> Instant {
    guard state.isPlaying else { return now }
    let beat = timeline.lastBeat(atOrBefore: now)
    if let beat, now < beat.instant + PageContent.afterBeat { return beat.instant + PageContent.afterBeat }
    let next = beat.map { timeline.beat($0.index + 1) } ?? timeline.firstBeat(atOrAfter: now)
    guard let next, next.instant < now + PageContent.beforeBeat else { return now }
    // Between faster beats there is no quieter instant.
    if let beat, next.instant - beat.instant < PageContent.afterBeat + PageContent.beforeBeat { return now }
    return next.instant + PageContent.afterBeat
  }

  /// When the page shows the next bar of a score; nil: not as far as is known.
  package func nextBar(after now: Instant) -> Instant? {
    guard state.isPlaying, state.score != nil else { return nil }
    let first = timeline.lastBeat(atOrBefore: now)?.index ?? timeline.firstBeat(atOrAfter: now)?.index ?? 0
    for index in first...first + PageContent.mostBeats {
      guard let beat = timeline.beat(index) else { return nil }
      let shown = beat.instant + PageContent.afterBeat
      if beat.position == 0, shown > now { return shown }
    }
    return nil
  }
}

/// The number of a tempo, rounded to tenths.
private func rounded(_ tempo: Tempo) -> String {
  let tenths = Int(tempo.milliBPM + 50) / 100
  return "\(tenths / 10)" + (tenths % 10 == 0 ? "" : ".\(tenths % 10)")
}

extension Reply {
  /// The reply on a screen.
  var words: String {
    switch self {
    case .tempo(let tempo): "\(tempo)"
    case .signature(let signature): "\(signature)"
    case .number(let number): "phone number \(number)"
    case .stored: "stored"
    case .pairing: "phones may ask now"
    case .refused(let refusal): refusal.text
    }
  }
}

extension DisplayFault {
  /// The fault on a screen, with its number.
  var words: String {
    switch self {
    case .sound: "E1: no sound card"
    case .state: "E2: not saved"
    case .configuration: "E3: configuration"
    }
  }
}
