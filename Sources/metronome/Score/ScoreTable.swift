import MetronomeCore

/// How much there is in a score, in one line: `3 songs, 12 sections, 5:32`.
struct ScoreSummary {
  private var songs: Int
  private var sections = 0
  private var time = FineTime.zero
  private var isOpen: Bool

  init(_ score: Score) {
    songs = score.songs.count
    isOpen = score.songs.contains { $0.parts.isOpen }
    for song in score.songs {
      if let total = SongMap(song)?.total.time { time = time + total }
      count(song.parts)
    }
  }

  private mutating func count(_ parts: [Song.Part]) {
    for part in parts {
      switch part {
      case .section: sections += 1
      case .pause: break
      case .block(let block): count(block.parts)
      }
    }
  }

  var text: String { "\(counted(songs, "song")), \(counted(sections, "section")), \(duration)" }

  var numberOfSongs: String { counted(songs, "song") }

  /// In minutes and seconds. It does not contain what the musician decides.
  var duration: String {
    let length = clockTime(time, places: 0)
    return !isOpen ? length : time.count == 0 ? "no fixed length" : "at least \(length)"
  }
}

/// The map of a score as text: one line for each section, pause, and begin and end of a block.
struct ScoreTable {
  private struct Row {
    var cells: [String]
    /// What follows the columns, indented by the depth of the blocks.
    var rest: String
  }

  static let heads = ["bar", "time", "bars", "metre", "tempo"]
  /// Whether the column is aligned at its right side.
  static let isRight = [true, true, true, false, false]

  private var song: Song
  private var map: SongMap
  private var rows: [Row] = []
  /// Whether the musician decides when the bar or the time is reached.
  private var (barIsOpen, timeIsOpen) = (false, false)

  /// Whether the note that a tempo counts is written as in sheet music.
  private let hasNotes: Bool

  /// The heading and the rows for a page, with what is played in the last column.
  static func page(_ song: Song) -> (head: String, rows: [[String]]) {
    guard let map = SongMap(song) else { return ("", []) }
    let table = ScoreTable(song, map, hasNotes: true)
    return (table.head, table.rows.map { $0.cells + [$0.rest] })
  }

  /// The text for a score.
  static func text(_ score: Score) -> String {
    score.songs.compactMap { song in SongMap(song).map { ScoreTable(song, $0, hasNotes: false).text } }.joined(
      separator: "\n")
  }

  private init(_ song: Song, _ map: SongMap, hasNotes: Bool) {
    (self.song, self.map, self.hasNotes) = (song, map, hasNotes)
    add(song.parts, from: .zero, in: [])
  }

  private var text: String {
    var widths = ScoreTable.heads.map(\.count)
    for row in rows {
      for (column, cell) in row.cells.enumerated() { widths[column] = max(widths[column], cell.count) }
    }
    var lines = [head, ScoreTable.line(ScoreTable.heads, "", widths)]
    lines += rows.map { ScoreTable.line($0.cells, $0.rest, widths) }
    if barIsOpen || timeIsOpen {
      lines.append("+ and what passes before it until you go on or leave")
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private var head: String {
    var words = ["song" + (song.name.isEmpty ? "" : " \"\(shownName(song.name))\"")]
    if song.countIn > 0 { words.append("\(counted(song.countIn, "bar")) counted in") }
    if song.scale != 1_000 {
      words.append("at \(decimal(Int64(song.scale) * 100_000, places: 6))% of the written tempi")
    }
    return (words + [ScoreSummary(Score(songs: [song])).duration]).joined(separator: ", ")
  }

  private static func line(_ cells: [String], _ rest: String, _ widths: [Int]) -> String {
    var line = ""
    for (column, cell) in cells.enumerated() {
      let blanks = String(repeating: " ", count: widths[column] - cell.count)
      line += (isRight[column] ? blanks + cell : cell + blanks) + "  "
    }
    line += rest
    while line.last == " " { line.removeLast() }
    return line
  }

  /// Adds the parts of a block, or of the song. `start`: where they begin in the first repetition of the blocks around them.
  private mutating func add(_ parts: [Song.Part], from start: SongMap.Extent, in blocks: [Int]) {
    var start = start
    for (index, part) in parts.enumerated() {
      switch part {
      case .section(let section): add(section, at: start, depth: blocks.count)
      case .pause(let pause): add(pause, at: start, depth: blocks.count)
      case .block(let block): add(block, at: start, in: blocks + [index])
      }
      if index + 1 < parts.count, let next = map.start(afterPart: index, in: blocks) { start = next }
    }
  }

  private mutating func add(_ block: Song.Block, at start: SongMap.Extent, in path: [Int]) {
    var words = [block.count.map { counted($0, "time") } ?? "again and again until you leave"]
    var bars = ""
    if block.count != 1, !block.parts.isOpen, let next = map.start(afterPart: block.parts.count - 1, in: path) {
      let time = FineTime(count: next.time.count - start.time.count)
      bars = String(next.bars - start.bars)
      words.append("\(clockTime(time, places: 3)) each")
    }
    add(Row(cells: place(start) + [bars, "", ""], rest: "{ " + words.joined(separator: ", ")), depth: path.count - 1)
    add(block.parts, from: start, in: path)
    add(Row(cells: ["", "", "", "", ""], rest: "}"), depth: path.count - 1)
    if block.count == nil { (barIsOpen, timeIsOpen) = (true, true) }
  }

  private mutating func add(_ pause: Song.Pause, at start: SongMap.Extent, depth: Int) {
    let length =
      switch pause.length {
      case .time(let time): "pause of \(decimal(time.count, places: 9)) s"
      case .beats(let beats): "pause of \(counted(beats, "beat"))"
      case .wait: "pause until you go on"
      }
    add(Row(cells: place(start) + ["", "", ""], rest: labelled(pause.label, [length])), depth: depth)
    if pause.length == .wait { timeIsOpen = true }
  }

  private mutating func add(_ section: Section, at start: SongMap.Extent, depth: Int) {
    let bars = SectionMap(section, scale: song.scale).bars
    let metre = section.bar.metre.signature.description
    let unit = section.bar.metre.unit
    var notes = section.tempo.notes(scale: song.scale, in: unit)
    let rhythm = section.bar.rhythm.text
    if !rhythm.isEmpty { notes.append(rhythm) }
    if section.limit != nil, let all = section.bars, all != bars { notes.append("of \(counted(all, "bar"))") }
    if section.countIn > 0 { notes.append("\(counted(section.countIn, "bar")) counted in") }
    notes += section.filter.notes
    if section.volume != 1_000_000 { notes.append("volume \(decimal(section.volume, places: 6))") }
    if section.speaks { notes.append("numbers are spoken") }
    if bars == nil { notes.append("until you go on") }
    let cells =
      place(start) + [
        bars.map(String.init) ?? "no end", metre, section.tempo.text(scale: song.scale, in: unit, hasNotes),
      ]
    add(Row(cells: cells, rest: labelled(section.label, notes)), depth: depth)
    if bars == nil { (barIsOpen, timeIsOpen) = (true, true) }
  }

  private mutating func add(_ row: Row, depth: Int) {
    rows.append(Row(cells: row.cells, rest: String(repeating: "  ", count: depth) + row.rest))
  }

  /// The bar, counted from 1, and the time.
  private func place(_ start: SongMap.Extent) -> [String] {
    ["\(start.bars + 1)\(barIsOpen ? "+" : "")", clockTime(start.time, places: 3) + (timeIsOpen ? "+" : "")]
  }

  private func labelled(_ label: String?, _ notes: [String]) -> String {
    let text = notes.joined(separator: ", ")
    guard let label else { return text }
    return text.isEmpty ? label : "\(label): \(text)"
  }
}

extension [Song.Part] {
  /// Whether a part goes on until the musician ends it, or a pause waits.
  var isOpen: Bool {
    contains { part in
      switch part {
      case .section(let section): section.isEndless
      case .pause(let pause): pause.length == .wait
      case .block(let block): block.count == nil || block.parts.isOpen
      }
    }
  }
}

extension SongMap {
  /// Where the part after a part begins, in the first repetition of the blocks around it. After the last part of a block with
  /// several repetitions: where the second one begins. nil at the end of the song. `blocks`: the places of the blocks around the
  /// part, from the outermost.
  fileprivate func start(afterPart part: Int, in blocks: [Int]) -> Extent? {
    guard var place = first, var step = place.path.first else { return nil }
    step.turn = 0
    place.path = (blocks + [part]).map { index in
      step.part = index
      return step
    }
    return next(after: place)?.start
  }
}

extension SectionTempo {
  /// The tempo in BPM as it is played: `120`, `80 to 120`, or `3/8 = 63`. `scale` multiplies it, in thousandths.
  fileprivate func text(scale: Int, in unit: BeatUnit, _ hasNotes: Bool) -> String {
    let note = (hasNotes ? unit.note : nil) ?? "\(unit)"
    return (unit == .quarter ? "" : "\(note) = ") + range(scale, unit)
  }

  private func range(_ scale: Int, _ unit: BeatUnit) -> String {
    let ends: (first: ScoreTempo, last: ScoreTempo)
    switch self {
    case .constant(let tempo): ends = (tempo, tempo)
    case .change(_, let first, let last): ends = (first, last)
    case .eachBeat(let tempi): ends = (tempi[0], tempi[tempi.count - 1])
    case .steps(let steps):
      return "\(SectionTempo.bpm(steps.first, scale, unit)) to \(SectionTempo.bpm(steps.last, scale, unit))"
    }
    let (first, last) = (ends.first.bpm(scale: scale, in: unit), ends.last.bpm(scale: scale, in: unit))
    return first == last ? first : "\(first) to \(last)"
  }

  /// How the tempo changes.
  fileprivate func notes(scale: Int, in counted: BeatUnit) -> [String] {
    switch self {
    case .constant, .change(.constant, _, _): return []
    case .change(.linearInBeats, _, _): return ["evenly from beat to beat"]
    case .change(.linearInTime, _, _): return ["evenly in time"]
    case .change(.linearInPeriod, _, _): return ["length of the beats evenly"]
    case .eachBeat: return ["a tempo for each beat"]
    case .steps(let steps):
      let unit = steps.unit == .second ? "second" : steps.unit.rawValue
      let every = steps.length == 1 ? "every \(unit)" : "every \(steps.length) \(unit)s"
      let end =
        switch steps.end {
        case .stay: "then stays"
        case .stop: "then ends"
        case .again: "then from the beginning"
        case .reverse: "then back, up and down"
        }
      let size = SectionTempo.bpm(abs(steps.step), scale, counted)
      return ["\(size) \(steps.step > 0 ? "faster" : "slower") \(every), \(end)"]
    }
  }

  /// `micro`: millionths of a quarter per minute.
  private static func bpm(_ micro: Int64, _ scale: Int, _ unit: BeatUnit) -> String {
    let parts = Int64(unit.isDotted ? 12_000 : 4_000)
    return decimal((micro * Int64(scale) * Int64(unit.denominator) / parts + 500) / 1_000, places: 3)
  }
}

extension ScoreTempo {
  /// The number of notes of this value per minute, rounded to thousandths. `scale` multiplies it, in thousandths.
  fileprivate func bpm(scale: Int, in unit: BeatUnit) -> String {
    let quarter = TempoCurve(self, Metre(.initial), scale: scale).time(at: Position(1)).count
    let note = quarter * (unit.isDotted ? 12 : 4)
    let minute = FineTime(.seconds(60)).count * 1_000 * Int128(unit.denominator)
    return decimal(Int64((minute + note / 2) / note), places: 3)
  }
}

extension SilenceFilter {
  /// Which bars and beats are silent.
  var notes: [String] {
    var notes: [String] = []
    if silent > 0 {
      let unit = countsBeats ? "beat" : "bar"
      notes.append(sounding == 0 ? "silent" : "\(counted(sounding, unit)) on, \(counted(silent, unit)) off")
    }
    if dropPercent > 0 {
      let growth = dropGrowth > 0 ? ", growing for \(counted(dropGrowth, "bar"))" : ""
      notes.append("\(dropPercent)% of the beats silent\(growth)")
    }
    return notes
  }
}

/// A number of parts of ten to the power of `places`, as a decimal without zeros at its end.
func decimal(_ number: Int64, places: Int) -> String {
  let unit = (0..<places).reduce(Int64(1)) { unit, _ in unit * 10 }
  let (whole, rest) = number.quotientAndRemainder(dividingBy: unit)
  guard rest != 0 else { return String(whole) }
  var decimals = String(rest + unit).dropFirst()
  while decimals.last == "0" { decimals.removeLast() }
  return "\(whole).\(decimals)"
}

/// A time as `5:32`, with decimals as `5:32.000`, from an hour on as `1:05:32`. Rounded to the nearest second or its part.
func clockTime(_ time: FineTime, places: Int) -> String {
  let unit = (0..<places).reduce(Int128(1)) { unit, _ in unit * 10 }
  let second = FineTime(.seconds(1)).count
  let (whole, part) = time.count.quotientAndRemainder(dividingBy: second)
  let rounded = whole * unit + (part * unit + second / 2) / second
  let (seconds, rest) = rounded.quotientAndRemainder(dividingBy: unit)
  let (minutes, hours) = (seconds / 60 % 60, seconds / 3_600)
  let ends = [minutes, seconds % 60].map { String($0 + 100).dropFirst() }
  let text = hours > 0 ? "\(hours):\(ends[0]):\(ends[1])" : "\(minutes):\(ends[1])"
  return places > 0 ? "\(text).\(String(rest + unit).dropFirst())" : text
}
