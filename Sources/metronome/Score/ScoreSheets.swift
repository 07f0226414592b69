import MetronomeCore

/// A score on sheets of A4, as SVG pictures: for each song its picture and its map, like ``ScorePage``. Lengths are in points, 1/72 inch.
struct ScoreSheets {
  private static let (width, height, margin) = (595.3, 841.9, 42.5)
  private static let (fontSize, lineHeight) = (9.0, 13.0)
  /// The width of a character of text, on average and at most as wide.
  private static let characterWidth = 0.64 * fontSize
  /// The highest number of characters in a line of a column. The last column takes the rest of the line.
  private static let mostCharacters = 24

  /// One SVG for each sheet.
  private(set) var svgs: [String] = []
  private var body = ""
  private var y = 0.0

  init(_ score: Score, title: String) {
    for (index, song) in score.songs.enumerated() {
      add(song, name: ScorePage.name(of: song, at: index, in: score, title: title))
    }
  }

  private mutating func add(_ song: Song, name: String) {
    let table = ScoreTable.page(song)
    let (left, right) = (ScoreSheets.margin, ScoreSheets.width - ScoreSheets.margin)
    begin(name)
    body += SVG.text(ScoreSheets.cut(table.head, to: 90), x: left, y: y, "soft row")
    let drawing = ScoreDrawing(Score(songs: [song]), title: name, width: ScorePage.pictureWidth)
    body += drawing.placed(x: left, y: y + 8, width: right - left)
    y += 8 + drawing.height * (right - left) / ScorePage.pictureWidth + 2 * ScoreSheets.lineHeight
    let columns = Columns(table.rows, from: left, to: right)
    addHeads(columns)
    for row in table.rows {
      let cells = columns.lines(of: row)
      let lines = cells.map(\.count).max() ?? 1
      if y + Double(lines - 1) * ScoreSheets.lineHeight > ScoreSheets.height - ScoreSheets.margin {
        end()
        begin(ScoreSheets.cut(name, to: 40) + ", continued")
        addHeads(columns)
      }
      add(cells, columns, "ink row")
      y += Double(lines) * ScoreSheets.lineHeight
    }
    end()
  }

  private mutating func begin(_ name: String) {
    (body, y) = ("", ScoreSheets.margin + 12)
    body += SVG.text(ScoreSheets.cut(name, to: 52), x: ScoreSheets.margin, y: y, "ink name")
    y += 18
  }

  private mutating func addHeads(_ columns: Columns) {
    add(ScoreTable.heads.map { [$0] }, columns, "soft row")
    let (left, right) = (ScoreSheets.margin, ScoreSheets.width - ScoreSheets.margin)
    body += "<path class=\"grid\" d=\"M\(SVG.number(left)),\(SVG.number(y + 4)) H\(SVG.number(right))\"/>\n"
    y += ScoreSheets.lineHeight + 4
  }

  private mutating func add(_ cells: [[String]], _ columns: Columns, _ style: String) {
    for (index, lines) in cells.enumerated() {
      let isRight = index < ScoreTable.isRight.count && ScoreTable.isRight[index]
      for (number, line) in lines.enumerated() {
        // A viewer of SVG drops leading blanks.
        let blanks = Double(line.prefix { $0 == " " }.count) * ScoreSheets.characterWidth
        let x = isRight ? columns.edges[index].right : columns.edges[index].left + blanks
        body += SVG.text(
          line.drop { $0 == " " }, x: x, y: y + Double(number) * ScoreSheets.lineHeight, style + (isRight ? " end" : "")
        )
      }
    }
  }

  private mutating func end() {
    body += SVG.text(
      "\(svgs.count + 1)", x: ScoreSheets.width / 2, y: ScoreSheets.height - ScoreSheets.margin / 2, "soft row middle")
    let size = "\(SVG.number(ScoreSheets.width)) \(SVG.number(ScoreSheets.height))"
    svgs.append(
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size)" width="210mm" height="297mm" \
      font-family="DejaVu Sans, Verdana, sans-serif">
      <style>\(ScoreDrawing.rules(isDark: false)).row{font-size:\(SVG.number(ScoreSheets.fontSize))px}.name{font-size:15px;\
      font-weight:bold}.grid{fill:none;stroke-width:1}.end{text-anchor:end}.middle{text-anchor:middle}</style>
      \(body)</svg>

      """)
  }

  /// The columns of the table, as wide as their texts.
  private struct Columns {
    var edges: [(left: Double, right: Double)] = []
    private var characters: [Int] = []

    init(_ rows: [[String]], from left: Double, to right: Double) {
      var x = left
      for (column, head) in ScoreTable.heads.enumerated() {
        let longest = rows.map { $0[column].count }.max() ?? 0
        characters.append(max(head.count, min(longest, ScoreSheets.mostCharacters)))
        let width = Double(characters[column]) * ScoreSheets.characterWidth
        edges.append((x, x + width))
        x += width + 10
      }
      edges.append((x, right))
      characters.append(max(Int((right - x) / ScoreSheets.characterWidth), 1))
    }

    func lines(of row: [String]) -> [[String]] {
      zip(row, characters).map { cell, room in ScoreSheets.lines(of: cell, room) }
    }
  }

  private static func cut(_ text: String, to room: Int) -> String {
    text.count <= room ? text : text.prefix(room - 1) + "…"
  }

  /// Breaks a text at blanks, and within words that are longer than a line. All lines are indented like the first.
  private static func lines(of text: String, _ room: Int) -> [String] {
    let indent = String(text.prefix { $0 == " " }.prefix(room / 2))
    let room = room - indent.count
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.count + 1 + word.count <= room {
        lines[lines.count - 1] = last + " " + word
        continue
      }
      var rest = word
      while rest.count > room {
        lines.append(String(rest.prefix(room)))
        rest = rest.dropFirst(room)
      }
      if !rest.isEmpty { lines.append(String(rest)) }
    }
    return lines.map { indent + $0 }
  }
}
