import MetronomeCore

/// The picture of one song.
struct SongPanel {
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
  var bottom: Double { plotBottom + 36 }

  mutating func draw(_ head: String) {
    body += SVG.text(head, x: left, y: top + 8, "ink head")
    for index in plan.pieces.indices { drawPiece(index) }
    drawCurves()
    drawRepeats()
    drawStarts(y: plotBottom + 17) { clockTime($0.start, places: 0) + ($0.startIsOpen ? "+" : "") }
    drawStarts(y: plotBottom + 33) { piece in piece.bar.map { "\($0 + 1)" + (piece.startIsOpen ? "+" : "") } }
    body += SVG.text("bar", x: left - 8, y: plotBottom + 33, "soft end")
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
      body += SVG.box("pause", x, plotTop, end - x, SongPanel.plotHeight, note: name)
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
    body += SVG.box(color, x, bandTop, end - x - gap, SongPanel.bandHeight, note: note)
    drawLabel(name, x, end, y: bandTop + 16, "ink middle")
  }

  /// Draws a text in the middle of a range, cut if it does not fit, unless the range is too short for any text.
  private mutating func drawLabel(_ name: String, _ x: Double, _ end: Double, y: Double, _ style: String) {
    let room = Int((end - x - 4) / SongPanel.characterWidth)
    guard !name.isEmpty, room >= min(3, name.count) else { return }
    body += SVG.text(name.count <= room ? name : name.prefix(room - 1) + "…", x: (x + end) / 2, y: y, style)
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
        body += SVG.box("silent", ends[0], plotTop, ends[1] - ends[0], SongPanel.plotHeight, note: "silent")
        start += cycle
      }
    }
    if filter.dropPercent > 0 || !isDrawn {
      let note = SVG.escaped(filter.notes.joined(separator: ", "))
      body += """
        <rect fill="url(#dropped)" x="\(SVG.number(x))" y="\(SVG.number(plotTop))" width="\(SVG.number(end - x))" \
        height="\(SVG.number(SongPanel.plotHeight))"><title>\(note)</title></rect>

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
      body += #"<path class="grid" d="M\#(SVG.number(left)),\#(SVG.number(y(bpm))) H\#(SVG.number(right))"/>"# + "\n"
      body += SVG.text(SVG.number(bpm), x: left - 8, y: y(bpm) + 4, "soft end")
      bpm += step
    }
    body += SVG.text("♩/min", x: left - 8, y: plotTop - 10, "soft end")
    for line in lines where !line.isEmpty {
      let places = line.map { "\(SVG.number($0.x)),\(SVG.number(y($0.bpm)))" }
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
      let path = "M\(SVG.number(x)),\(SVG.number(y)) v-5 H\(SVG.number(end)) v5"
      let note = each.count.map { "\($0) times" } ?? "until you leave"
      body += "<path class=\"bracket\" d=\"\(path)\"><title>\(note)</title></path>\n"
      drawLabel(each.count.map { "\($0)×" } ?? "∞", x, end, y: y - 9, "soft middle")
    }
  }

  /// Writes where pieces begin, as far as there is room.
  private mutating func drawStarts(y: Double, _ text: (ScorePlan.Piece) -> String?) {
    var free = left
    for (index, piece) in plan.pieces.enumerated() {
      guard let label = text(piece) else { continue }
      let x = edges[index]
      let end = x + Double(label.count) * SongPanel.characterWidth
      guard x >= free, end < right else { continue }
      body += #"<path class="grid" d="M\#(SVG.number(x)),\#(SVG.number(plotBottom)) v5"/>"# + "\n"
      body += SVG.text(label, x: x, y: y, "soft")
      free = end + 16
    }
  }
}
