import HardwareAbstraction
import MetronomeCore

package struct Picture {
  package var levels = LineSet.inactive
  /// The lines with a lamp.
  package var outputs = LineSet(of: .standard)
  package var names = BoxNames.standard
  /// The text on the display; nil: there is none.
  package var display: DisplayText?
  /// The page on the screen; nil: there is none.
  package var page: ScreenPage?
  package var state: MetronomeState
  package var timeline = Timeline.stopped
  /// The bar that is shown before the first beat; nil: the plain bar of the state's signature.
  package var bar: Bar?
  /// The instant at which beat and pendulum are shown.
  package var now = Instant.zero
  /// The state of the sound, or why there is none.
  package var audio: String
  /// Whether the key `a` steps through the accents, which count dotted beats in 6/8 and the like.
  package var stepsAccents = true
  /// Count-in bars.
  package var countIn = 0
  package var preset: RecalledPreset?
  package var console = Console()
  /// The button that is held until the next key.
  package var heldButton: Button?
  /// The button that a long press holds.
  package var longPressedButton: Button?
  /// The lateness of the beats shown in this terminal; nil before the first beat.
  package var figures: String?

  package init(state: MetronomeState, audio: String) { (self.state, self.audio) = (state, audio) }

  /// How long a beat flashes, unless the next beat comes too soon.
  package static let flash = Nanoseconds.milliseconds(120)
  static let margin = "  "
  private static let blockRows = 3
  private static let widestBlock = 64
  /// How far the pendulum swings to a side, and the width of its weight, in columns.
  private static let widestSwing = 26
  private static let weight = 7
  /// Below this width there is no pendulum.
  private static let narrowest = 20

  /// A part of the picture. If there are too few lines, parts of high rank are omitted first.
  typealias Part = (rank: Int, lines: [String])

  /// The lines of the picture, from the top. No line is wider than `columns`.
  package func lines(rows: Int, columns: Int, style: Style) -> [String] {
    if console.isStage, console.helpPage == nil { return stageLines(rows: rows, columns: columns, style: style) }
    let width = max(1, columns - 2 * Picture.margin.count)
    var parts = console.helpPage.map { helpParts(page: $0, rows, width, style) } ?? self.parts(width, style)
    while parts.reduce(0, { $0 + $1.lines.count }) > rows, let highest = parts.map(\.rank).max(), highest > 0 {
      parts.removeAll { $0.rank == highest }
    }
    return parts.flatMap(\.lines).prefix(max(1, rows)).map { columns > 2 && !$0.isEmpty ? Picture.margin + $0 : $0 }
  }

  private func parts(_ width: Int, _ style: Style) -> [Part] {
    let block = blocks(width, style)
    return [
      (10, Piece.lines(words: "metronome, the simulated board", width: width) + [""]),
      (8, width < Picture.narrowest ? [] : pendulum(width).map { style.paint($0, .magenta) } + [""]),
      (2, [String](repeating: block, count: Picture.blockRows - 1)),
      (0, [block]),
      (6, [style.dim(numbers(width))]),
      (5, voiceRows(width, style)),
      (6, [""]),
      (
        1,
        Piece.lines((playTexts(at: now, hasNotes: style.hasNotes) + beatTexts).map { Piece($0) }, width: width).map(
          style.bold)
      ),
      (1, scoreLines(width)),
      (0, notice.isEmpty ? [""] : Piece.lines(notice.map { Piece($0) }, width: width).map(style.bold)),
      (7, presetLines(width)),
      (4, Piece.lines(lamps(levels, of: outputs, names, style) + displayPiece, width: width)),
      (3, Piece.lines(words: audio, width: width)),
      (9, legend(width).map(style.dim)),
      (9, [""]),
    ] + keyParts(width, style)
  }

  /// The keys; if there are few lines, only the first line of them.
  private func keyParts(_ width: Int, _ style: Style) -> [Part] {
    let lines = Piece.lines(keys.map { Piece($0) }, width: width).map(style.dim)
    return [(0, Array(lines.prefix(1))), (7, Array(lines.dropFirst()))]
  }

  private func presetLines(_ width: Int) -> [String] {
    guard let preset else { return [] }
    return Piece.lines(words: "preset \(preset.place) of \(preset.count): \(preset.name)", width: width)
  }

  private var displayPiece: [Piece] {
    [display?.description, page?.description].compactMap(\.self).map { Piece("[\($0)]") }
  }

  /// The notice below the beat; the most urgent one.
  var notice: [String] {
    if !console.typed.isEmpty { return ["tempo \(console.typed)_", "(Enter or Escape)"] }
    if let heldButton { return ["holding \(heldButton):", "any key releases"] }
    if let longPressedButton { return ["holding \(longPressedButton)"] }
    if console.holdsNext { return ["the next key is held"] }
    return (console.message ?? waitNotice ?? dottedNotice).map { [$0] } ?? []
  }

  /// Tempo, signature and mode, without the beat and the score.
  private func playTexts(at instant: Instant, hasNotes: Bool) -> [String] {
    var plain = state
    plain.score = nil
    return [tempoText(at: instant, hasNotes: hasNotes), "\(state.signature)", plain.mode]
  }

  /// The tempo and the place, for the stage view.
  var stageTexts: [String] {
    let bar = beat.map { $0.isCountedIn ? "count-in" : "bar \($0.bar + 1)" }
    let section = state.score.map { $0.label.map { [$0] } ?? [] } ?? []
    return [bar].compactMap(\.self) + section + [tempoText(at: now, hasNotes: false)]
  }

  private var beatTexts: [String] {
    guard let beat else { return [] }
    let place = "beat \(beat.position + 1)"
    if state.score != nil { return [beat.isCountedIn ? "count-in, \(barsLeft(-beat.bar)), \(place)" : place] }
    if beat.isCountedIn { return ["count-in, bar \(Int64(countIn) + beat.bar + 1) of \(countIn), \(place)"] }
    return ["bar \(beat.bar + 1), \(place)"]
  }

  /// The place in the score; while it plays, with the bar of the beat.
  private func scoreLines(_ width: Int) -> [String] {
    guard var score = state.score else { return [] }
    if let beat, !beat.isCountedIn { score.firstBar = beat.bar }
    return Piece.lines(words: score.text, width: width)
  }

  private func barsLeft(_ count: Int64) -> String { count == 1 ? "1 bar left" : "\(count) bars left" }

  private func tempoText(at instant: Instant, hasNotes: Bool) -> String {
    state.tempoText(in: timeline, at: instant, hasNotes: hasNotes)
  }

  private var waitNotice: String? { state.score?.isWaiting == true ? "space goes on" : nil }

  /// The offer to count dotted beats, before the first beat.
  private var dottedNotice: String? {
    let next = state.bar.nextAccents.metre.unit
    guard stepsAccents, beat == nil, state.score == nil, !state.unit.isDotted, next.isDotted else { return nil }
    return "\(state.signature): a counts dotted beats"
  }

  private var beatsInBar: Int { Metre(state.signature, unit: state.unit).beatsInBar }

  private var slots: BarSlots {
    BarSlots(timeline, at: now, orBefore: bar ?? Bar(Metre(state.signature, unit: state.unit)))
  }

  var beat: Beat? { timeline.lastBeat(atOrBefore: now) }

  /// The time from a beat to the next one.
  private func interval(after beat: Beat) -> Nanoseconds {
    max((timeline.beat(beat.index + 1)?.instant ?? now) - beat.instant, Nanoseconds(1))
  }
}

extension MetronomeState {
  /// The tempo at an instant. A score's tempo may change with each beat. It is rounded to tenths.
  func tempoText(in timeline: Timeline, at instant: Instant, hasNotes: Bool = false) -> String {
    var shown = self
    if score != nil {
      let tempo = Int((timeline.tempo(at: instant) ?? tempo).milliBPM)
      shown.tempo = Tempo(clampingMilliBPM: (tempo + 50) / 100 * 100)
    }
    return hasNotes ? shown.tempoTextWithNote : shown.tempoText
  }
}

extension Picture {
  /// The width of a beat's block and of the gap after it, so that a bar fits; a bar of 32 beats needs 32 columns.
  private func blockSize(_ width: Int) -> (block: Int, gap: Int) {
    let beats = beatsInBar
    let gap = beats * 5 <= width ? 2 : beats * 2 <= width ? 1 : 0
    return (min(max(1, width / beats - gap), Picture.widestBlock), gap)
  }

  /// One of the equal lines of the blocks. The current beat's block is full while it flashes, unless it is a ghost, a rest or
  /// silent. Strong and medium beats have other colors; without colors they are brighter, and a line stands before each of them.
  private func blocks(_ width: Int, _ style: Style) -> String {
    let (block, gap) = blockSize(width)
    let isFlashing = beat.map { now - $0.instant < min(Picture.flash, interval(after: $0) / 2) } ?? false
    let slots = slots
    let texts = (0..<min(beatsInBar, width)).map { place in
      let isSilent = slots.isSilent(beat: place)
      let level = isSilent ? .rest : slots.level(ofBeat: place)
      let color = level.color
      func fill(_ character: Character) -> String { String(repeating: character, count: block) }
      guard place == beat?.position else { return style.dim(style.paint(fill(level == .rest ? "·" : "░"), color)) }
      if !isFlashing || level.loudness < Level.weak.loudness { return style.paint(fill("▒"), color) }
      return style.paint(fill(style.hasColors ? "█" : level.fullBlock), color, isBold: true)
    }
    let (space, line) = (String(repeating: " ", count: gap), String(repeating: " ", count: max(gap - 1, 0)) + "│")
    return texts.enumerated().map { place, text in
      guard place > 0 else { return text }
      let isLined = !style.hasColors && gap > 0 && slots.level(ofBeat: place).loudness >= Level.medium.loudness
      return (isLined ? line : space) + text
    }.joined()
  }

  /// The numbers of the beats, below their blocks; only the first number if the blocks are narrow.
  private func numbers(_ width: Int) -> String {
    let (block, gap) = blockSize(width)
    let isWide = "\(beatsInBar)".count < block + gap
    return (0..<(isWide ? beatsInBar : 1)).map { place in
      let number = "\(place + 1)"
      return number + String(repeating: " ", count: max(0, block + gap - number.count))
    }.joined().prefix(width).description
  }

  /// A line for each voice below the blocks; none if the bar has only its beats.
  private func voiceRows(_ width: Int, _ style: Style) -> [String] {
    let slots = slots
    guard !slots.hasOnlyBeats else { return [] }
    let (block, gap) = blockSize(width)
    return (0..<slots.voiceCount).map {
      slots.row(of: $0, pitch: block + gap, width: width, style)
    }
  }

  /// What the marks of the voices mean.
  private func legend(_ width: Int) -> [String] {
    slots.hasOnlyBeats ? [] : Piece.lines(Level.legend.map { Piece($0) }, width: width, gap: 2)
  }

  /// A pendulum that reaches a side on each beat, and hangs down while the metronome is stopped.
  private func pendulum(_ width: Int) -> [String] {
    let room = max(0, (width - Picture.weight) / 2)
    let reach = Double(min(room, Picture.widestSwing)) * swing
    let center = room + Picture.weight / 2
    func place(_ row: Double) -> Int { center + Int((reach * row / 4).rounded()) }
    let pivot = String(repeating: " ", count: center) + "┬"
    // From the pivot to the middle of the weight.
    let rod = (0..<3).map { row in
      let (one, other) = (place(Double(row) * 4 / 3), place(Double(row + 1) * 4 / 3))
      return String(repeating: " ", count: min(one, other)) + String(repeating: "•", count: max(1, abs(other - one)))
    }
    let weight =
      String(repeating: " ", count: place(4) - Picture.weight / 2) + String(repeating: "█", count: Picture.weight)
    return [pivot] + rod + [weight, weight]
  }

  /// The position of the pendulum, from -1 at the left to 1 at the right. It moves slowly near the sides, as a real pendulum.
  private var swing: Double {
    guard let beat else { return 0 }
    let phase = Double((now - beat.instant).count) / Double(interval(after: beat).count)
    let way = 1 - 2 * phase * phase * (3 - 2 * phase)
    return beat.parity == .even ? -way : way
  }
}

/// The display on a terminal that cannot move its cursor: the number of each beat as it comes, or a dot for a silent one, and a
/// line for each change.
package struct TextDisplay {
  private var shown: [String] = []
  private var beat: Int64?
  private var isInBar = false
  private var messageCount = 0

  package init() {}

  /// The text to append since the last call. An open help is printed whole; the caller must close it.
  package mutating func text(for picture: Picture, columns: Int) -> String {
    let width = max(1, columns - 1)
    let notice = picture.noticeLines(width: width)
    // The same message again is printed again.
    if picture.console.messageCount != messageCount { shown.removeAll(where: notice.contains) }
    messageCount = picture.console.messageCount
    let lines = picture.textLines(width: width) + notice
    let help = picture.console.helpPage == nil ? [] : picture.helpLines(width: width)
    var text = ""
    for line in lines.filter({ !shown.contains($0) }) + help {
      text += (isInBar ? "\n" : "") + line + "\n"
      isInBar = false
    }
    shown = lines
    guard let beat = picture.beat else {
      self.beat = nil
      return text
    }
    if beat.index != self.beat {
      self.beat = beat.index
      text += (isInBar && beat.position == 0 ? "\n" : "") + "\(beat.isSilent ? "." : "\(beat.position + 1)") "
      isInBar = true
    }
    return text
  }
}

extension Picture {
  /// While a score plays, the tempo is that of the bar line, because each change is a new line.
  fileprivate func textLines(width: Int) -> [String] {
    let line = beat.flatMap { timeline.beat($0.index - Int64($0.position))?.instant }
    return presetLines(width) + Piece.lines(words: audio, width: width)
      + Piece.lines(words: state.score?.text ?? "", width: width)
      + Piece.lines(playTexts(at: line ?? now, hasNotes: false).map { Piece($0) }, width: width)
  }

  fileprivate func noticeLines(width: Int) -> [String] {
    notice.isEmpty ? [] : Piece.lines(notice.map { Piece($0) }, width: width)
  }
}

/// The times at which the picture is drawn: at most 30 times a second, and at the instant of a beat if possible.
package struct FrameClock {
  private static let shortest = Nanoseconds(33_333_334)
  private var last: Instant?

  package init() {}

  package mutating func drew(at instant: Instant) { last = instant }

  /// When the next picture may be drawn; nil: at once. If a beat follows soon after, the time of that beat.
  package func due(_ timeline: Timeline) -> Instant? {
    guard let soonest = last.map({ $0 + FrameClock.shortest }) else { return nil }
    guard let beat = timeline.firstBeat(atOrAfter: soonest), beat.instant - soonest < FrameClock.shortest else {
      return soonest
    }
    return beat.instant
  }
}

/// The preset that was recalled last, and its place in the list.
package struct RecalledPreset: Hashable {
  /// Counted from 1.
  package var place: Int
  /// The number of presets.
  package var count: Int
  package var name: PresetName

  package init(place: Int, count: Int, name: PresetName) {
    (self.place, self.count, self.name) = (place, count, name)
  }

  /// nil if no preset was recalled.
  package init?(_ savedState: SavedState) {
    guard let place = savedState.recalled, let preset = savedState.presets[place: place] else { return nil }
    self.init(place: place, count: savedState.presets.count, name: preset.name)
  }
}
