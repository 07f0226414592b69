import MetronomeCore

/// A score as an SVG picture: for each song the tempo over the time, the sections as bands with their labels, what is silent,
/// pauses and repetitions. Its size is bounded for every score.
struct ScoreDrawing {
  /// The number of songs that are drawn.
  static let mostSongs = 10
  /// The highest number of pieces of all songs.
  static let mostPieces = 300
  /// The highest number of points of all curves.
  static let mostPoints = 2_000

  private static let width = 1_200.0
  /// The edges of the time axes.
  private static let (left, right) = (64.0, 1_184.0)

  let svg: String

  init(_ score: Score, title: String) {
    let songs = score.songs.prefix(ScoreDrawing.mostSongs)
    var (body, y) = ("", 16.0)
    var points = ScoreDrawing.mostPoints
    for (index, song) in songs.enumerated() {
      let rest = songs.count - index
      guard let plan = ScorePlan(song, mostPieces: ScoreDrawing.mostPieces / songs.count) else { continue }
      var panel = SongPanel(
        plan, left: ScoreDrawing.left, right: ScoreDrawing.right, top: y, mostPoints: points / rest)
      panel.draw(ScoreDrawing.head(song, index: index, of: score.songs.count))
      body += panel.body
      y = panel.bottom + 28
      points -= panel.points
    }
    if songs.count < score.songs.count {
      body += text("and \(counted(score.songs.count - songs.count, "more song"))", x: ScoreDrawing.left, y: y, "soft")
      y += 24
    }
    svg = ScoreDrawing.page(body, height: y, title: "Score \(title): \(ScoreSummary(score).text)")
  }

  private static func head(_ song: Song, index: Int, of count: Int) -> String {
    let name = song.name.isEmpty ? (count > 1 ? "Song \(index + 1)" : "") : song.name
    return [name, ScoreSummary(Score(songs: [song])).duration].filter { !$0.isEmpty }.joined(separator: ", ")
  }

  private static func page(_ body: String, height: Double, title: String) -> String {
    let size = "\(number(width)) \(number(height))"
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size)" width="\(number(width))" height="\(number(height))" \
      role="img" aria-labelledby="title" font-family="DejaVu Sans, Verdana, sans-serif">
      <title id="title">\(escaped(title))</title>
      <style>\(rules(isDark: false))text{font-size:12px}.head{font-size:16px;font-weight:bold}.curve{fill:none;\
      stroke-width:2;stroke-linejoin:round}.grid,.bracket{fill:none;stroke-width:1}.end{text-anchor:end}.middle{\
      text-anchor:middle}@media (prefers-color-scheme:dark){\(rules(isDark: true))}</style>
      <defs><pattern id="dropped" width="6" height="6" patternUnits="userSpaceOnUse"><path class="stripe" d="M0,6 L6,0" \
      stroke-width="1.2"/></pattern></defs>
      <rect class="page" width="\(number(width))" height="\(number(height))"/>
      \(body)</svg>

      """
  }

  /// The colors. Those of the dark theme apply if the viewer asks for them.
  private static func rules(isDark: Bool) -> String {
    let colors: [(name: String, property: String, light: String, dark: String)] = [
      ("page", "fill", "#ffffff", "#14181f"), ("ink", "fill", "#1f2430", "#e8ebf0"),
      ("soft", "fill", "#5c6675", "#b4bdcb"), ("grid", "stroke", "#d5dae2", "#39424f"),
      ("bracket", "stroke", "#5c6675", "#b4bdcb"), ("curve", "stroke", "#b3261e", "#ff8a80"),
      ("band0", "fill", "#cfe4ff", "#1d4470"), ("band1", "fill", "#ffe3b8", "#6b4512"),
      ("band2", "fill", "#dff1dc", "#234a2a"), ("band3", "fill", "#eadcf7", "#4a3266"),
      ("plain", "fill", "#e9edf3", "#2a323e"), ("silent", "fill", "#b9c1ce", "#4b5563"),
      ("pause", "fill", "#f3f4f7", "#1c222b"), ("stripe", "stroke", "#7b8594", "#8a94a3"),
    ]
    return colors.map { ".\($0.name){\($0.property):\(isDark ? $0.dark : $0.light)}" }.joined()
  }
}

/// The picture of one song.
private struct SongPanel {
  /// The width of a wait, or of repetitions that are not drawn.
  private static let nominalWidth = 60.0
  private static let plotHeight = 140.0
  private static let bandHeight = 24.0
  private static let bracketHeight = 18.0
  /// The width of a gap and what sounds before it. Shorter gaps are not drawn one by one.
  private static let shortestGap = 4.0
  /// The width of a character is less.
  private static let characterWidth = 7.6

  let plan: ScorePlan
  let left: Double
  let right: Double
  let top: Double
  let mostPoints: Int
  private(set) var body = ""
  private(set) var points = 0
  /// The left edge of each piece, and the right edge of the last.
  private var edges: [Double] = []
  private var lines: [[(x: Double, bpm: Double)]] = []
  private var classes: [String: Int] = [:]

  init(_ plan: ScorePlan, left: Double, right: Double, top: Double, mostPoints: Int) {
    (self.plan, self.left, self.right, self.top, self.mostPoints) = (plan, left, right, top, mostPoints)
    let limited = plan.pieces.filter { !$0.isEndless }.compactMap(\.seconds).reduce(0, +)
    // A section without an end takes at most a fifth of the others.
    let widths = plan.pieces.map { piece in
      piece.isEndless && limited > 0 ? piece.seconds.map { min($0, limited / 5) } : piece.seconds
    }
    let total = widths.compactMap(\.self).reduce(0, +)
    let nominal = plan.pieces.count { $0.seconds == nil }
    let share = total > 0 ? 0.5 : 1
    let width = nominal > 0 ? min(SongPanel.nominalWidth, (right - left) * share / Double(nominal)) : 0
    let scale = total > 0 ? (right - left - width * Double(nominal)) / total : 0
    edges = widths.reduce(into: [left]) { edges, seconds in
      edges.append(edges[edges.count - 1] + (seconds.map { $0 * scale } ?? width))
    }
  }

  private var depth: Int { (plan.repeats.map(\.depth).max() ?? -1) + 1 }
  private var bandTop: Double { top + 20 + Double(depth) * SongPanel.bracketHeight }
  private var plotTop: Double { bandTop + SongPanel.bandHeight + 4 }
  private var plotBottom: Double { plotTop + SongPanel.plotHeight }
  var bottom: Double { plotBottom + 20 }

  mutating func draw(_ head: String) {
    body += text(head, x: left, y: top + 8, "ink head")
    for index in plan.pieces.indices { drawPiece(index) }
    drawCurves()
    drawRepeats()
    drawTimes()
  }

  private mutating func drawPiece(_ index: Int) {
    let piece = plan.pieces[index]
    let (x, end) = (edges[index], edges[index + 1])
    switch piece.content {
    case .section(let section, let map, let beats):
      let isEndless = map.beats == nil
      let name = [section.label, isEndless ? "∞" : nil].compactMap(\.self).joined(separator: " ")
      let notes = [section.label, isEndless ? "no end" : nil, section.bar.metre.signature.description]
      let note = (notes.compactMap(\.self) + section.filter.notes).joined(separator: ", ")
      drawBand(x, end, name, section.label, note)
      drawSilence(section, map, beats, x, end)
      collect(section, map, beats, x, end)
    case .overview(let label, let tempi):
      drawBand(x, end, label ?? "", label, label ?? "")
      let step = (end - x) / Double(tempi.count)
      let line = tempi.enumerated().map { (x: x + step * Double($0), bpm: $1) }
      append(line + [(x: end, bpm: tempi[tempi.count - 1])])
    case .pause(let name):
      body += box("pause", x, plotTop, end - x, SongPanel.plotHeight, note: name)
      drawLabel(name, x, end, y: plotTop + 14, "soft middle")
      lines.append([])
    case .omitted(let name):
      drawLabel("…", x, end, y: plotTop + SongPanel.plotHeight / 2, "ink middle")
      drawLabel(name, x, end, y: bandTop + 16, "soft middle")
      lines.append([])
    }
  }

  private mutating func drawBand(_ x: Double, _ end: Double, _ name: String, _ label: String?, _ note: String) {
    var color = "plain"
    if let label {
      let number = classes[label] ?? classes.count % 4
      classes[label] = number
      color = "band\(number)"
    }
    // A gap between bands, unless they are very short.
    let gap = end - x > 4 ? 1.0 : 0
    body += box(color, x, bandTop, end - x - gap, SongPanel.bandHeight, note: note)
    drawLabel(name, x, end, y: bandTop + 16, "ink middle")
  }

  /// Draws a text in the middle of a range, cut if it does not fit, unless the range is too short for any text.
  private mutating func drawLabel(_ name: String, _ x: Double, _ end: Double, y: Double, _ style: String) {
    let room = Int((end - x - 4) / SongPanel.characterWidth)
    guard !name.isEmpty, room >= min(3, name.count) else { return }
    body += text(name.count <= room ? name : name.prefix(room - 1) + "…", x: (x + end) / 2, y: y, style)
  }

  /// Draws bars and beats of a gap as grey areas, and what is dropped at random as stripes.
  private mutating func drawSilence(_ section: Section, _ map: SectionMap, _ beats: Int64, _ x: Double, _ end: Double) {
    let filter = section.filter
    guard !filter.isEmpty else { return }
    let unit = filter.countsBeats ? 1 : Int64(map.beatsInBar)
    let cycle = (Int64(filter.sounding) + Int64(filter.silent)) * unit
    let length = map.time(at: Position(beats)).seconds
    let isDrawn = filter.silent > 0 && Double(beats / cycle) * SongPanel.shortestGap <= end - x
    if isDrawn {
      var start = Int64(filter.sounding) * unit
      while start < beats {
        let stop = min(start + Int64(filter.silent) * unit, beats)
        let ends = [start, stop].map { x + (end - x) * map.time(at: Position($0)).seconds / length }
        body += box("silent", ends[0], plotTop, ends[1] - ends[0], SongPanel.plotHeight, note: "silent")
        start += cycle
      }
    }
    if filter.dropPercent > 0 || !isDrawn {
      let note = escaped(filter.notes.joined(separator: ", "))
      body += """
        <rect fill="url(#dropped)" x="\(number(x))" y="\(number(plotTop))" width="\(number(end - x))" \
        height="\(number(SongPanel.plotHeight))"><title>\(note)</title></rect>

        """
    }
  }

  /// Adds the points of a section to the curve: two for each tempo, or points at equal distances if there are too many or if the
  /// tempo changes evenly.
  private mutating func collect(_ section: Section, _ map: SectionMap, _ beats: Int64, _ x: Double, _ end: Double) {
    let share = Int(Double(mostPoints) * (end - x) / (right - left) / 2)
    let metre = section.bar.metre
    let length = map.time(at: Position(beats)).seconds
    func point(_ position: Position, from before: Position) -> (x: Double, bpm: Double) {
      (x + (end - x) * map.time(at: position).seconds / length, map.tempo(at: before, metre))
    }
    var line: [(x: Double, bpm: Double)] = []
    let turns = map.cycle.map { beats / $0.beats + 1 } ?? 1
    if case .change = section.tempo {
      let count = Int64(min(max(share, 2), 64))
      for index in 0...count {
        let position = Position(index * beats, over: count)
        line.append(point(position, from: position))
      }
    } else if turns <= Int64(max(share, 2) / (2 * map.pieces.count)) {
      var beat: Int64 = 0
      while beat < beats {
        let stop = min(map.piece(atBeat: beat).end ?? beats, beats)
        line += [point(Position(beat), from: Position(beat)), point(Position(stop), from: Position(beat))]
        beat = stop
      }
    } else {
      let count = Int64(max(share, 2))
      for index in 0...count {
        let beat = Position(min(index * beats / count, beats - 1))
        line.append(point(beat, from: beat))
      }
    }
    append(line)
  }

  private mutating func append(_ line: [(x: Double, bpm: Double)]) {
    if lines.isEmpty { lines.append([]) }
    lines[lines.count - 1] += line
    points += line.count
  }

  private mutating func drawCurves() {
    let tempi = lines.flatMap { $0.map(\.bpm) }
    guard let low = tempi.min(), let high = tempi.max() else { return }
    let step = SongPanel.step(for: max(high - low, 8))
    let bottom = max(((low - step / 8) / step).rounded(.down) * step, 0)
    let top = max(((high + step / 8) / step).rounded(.up) * step, bottom + step)
    let (plotTop, plotHeight) = (plotTop, SongPanel.plotHeight)
    func y(_ bpm: Double) -> Double { plotTop + plotHeight * (1 - (bpm - bottom) / (top - bottom)) }
    var bpm = bottom
    while bpm <= top {
      body += #"<path class="grid" d="M\#(number(left)),\#(number(y(bpm))) H\#(number(right))"/>"# + "\n"
      body += text(number(bpm), x: left - 8, y: y(bpm) + 4, "soft end")
      bpm += step
    }
    body += text("BPM", x: left - 8, y: plotTop - 10, "soft end")
    for line in lines where !line.isEmpty {
      let places = line.map { "\(number($0.x)),\(number(y($0.bpm)))" }
      body += "<path class=\"curve\" d=\"M\(places.joined(separator: " L"))\"/>\n"
    }
  }

  /// The distance of lines for a range: 1, 2 or 5 times a power of ten, with at most five lines or so.
  private static func step(for range: Double) -> Double {
    var step = 1.0
    let factors = [2, 2.5, 2]
    var index = 0
    while range / step > 4 {
      step *= factors[index % factors.count]
      index += 1
    }
    return step
  }

  private mutating func drawRepeats() {
    for each in plan.repeats {
      let (x, end) = (edges[each.pieces.lowerBound], edges[each.pieces.upperBound] - 1)
      let y = bandTop - 3 - Double(depth - each.depth - 1) * SongPanel.bracketHeight
      let path = "M\(number(x)),\(number(y)) v-5 H\(number(end)) v5"
      let note = each.count.map { "\($0) times" } ?? "until you leave"
      body += "<path class=\"bracket\" d=\"\(path)\"><title>\(note)</title></path>\n"
      drawLabel(each.count.map { "\($0)×" } ?? "∞", x, end, y: y - 9, "soft middle")
    }
  }

  /// Writes the times at which pieces begin, as far as there is room.
  private mutating func drawTimes() {
    var free = left
    for (index, piece) in plan.pieces.enumerated() {
      let label = clockTime(piece.start, places: 0) + (piece.startIsOpen ? "+" : "")
      let x = edges[index]
      let end = x + Double(label.count) * SongPanel.characterWidth
      guard x >= free, end < right else { continue }
      body += #"<path class="grid" d="M\#(number(x)),\#(number(plotBottom)) v5"/>"# + "\n"
      body += text(label, x: x, y: plotBottom + 17, "soft")
      free = end + 16
    }
  }
}

private func box(_ style: String, _ x: Double, _ y: Double, _ width: Double, _ height: Double, note: String) -> String {
  let size = "width=\"\(number(max(width, 0)))\" height=\"\(number(height))\""
  let title = note.isEmpty ? "" : "<title>\(escaped(note))</title>"
  return "<rect class=\"\(style)\" x=\"\(number(x))\" y=\"\(number(y))\" \(size)>\(title)</rect>\n"
}

private func text(_ text: some StringProtocol, x: Double, y: Double, _ style: String) -> String {
  "<text class=\"\(style)\" x=\"\(number(x))\" y=\"\(number(y))\">\(escaped(String(text)))</text>\n"
}

/// Text for XML: without control characters, and with the characters of markup replaced.
private func escaped(_ text: String) -> String {
  shownName(text).map { character in
    switch character {
    case "&": "&amp;"
    case "<": "&lt;"
    case ">": "&gt;"
    case "\"": "&quot;"
    default: String(character)
    }
  }.joined()
}

/// A coordinate with at most one decimal.
private func number(_ value: Double) -> String { decimal(Int64((value * 10).rounded()), places: 1) }
