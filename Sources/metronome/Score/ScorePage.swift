import MetronomeCore

/// A score as a page for a browser, which scales it to the paper: for each song its picture and its map, with bars and metres.
/// Tables go on over several sheets under their headings.
struct ScorePage {
  /// The width of a picture on paper. Its texts are smaller than those of the page, but large enough to be read.
  static let pictureWidth = 760.0

  let html: String

  init(_ score: Score, title: String) {
    let songs = score.songs.enumerated().map { index, song in
      ScorePage.section(song, name: ScorePage.name(of: song, at: index, in: score, title: title))
    }
    html = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width">
      <title>\(SVG.escaped(title))</title>
      <style>
      @page{size:A4;margin:15mm}
      :root{color-scheme:light}
      body{font:11pt "DejaVu Sans",Verdana,sans-serif;color:#1f2430;background:#fff;max-width:60em;margin:1em auto;padding:0 1em}
      h1{font-size:16pt;margin:0 0 .3em;break-after:avoid}
      p{margin:0 0 .6em;color:#5c6675;break-after:avoid}
      svg{display:block;width:100%;height:auto;break-inside:avoid;margin-bottom:.8em}
      table{border-collapse:collapse;width:100%}
      th{text-align:left;color:#5c6675;font-weight:normal;border-bottom:1px solid #5c6675}
      th,td{padding:.15em .8em .15em 0;vertical-align:top;white-space:nowrap}
      td:last-child{white-space:pre-wrap;width:60%}
      .number{text-align:right;font-variant-numeric:tabular-nums}
      tr{break-inside:avoid}
      tbody tr{border-bottom:1px solid #e9edf3}
      section+section{break-before:page}
      @media print{body{max-width:none;margin:0;padding:0}}
      </style>
      </head>
      <body>
      \(songs.joined(separator: "\n"))
      </body>
      </html>

      """
  }

  /// The heading of a song.
  static func name(of song: Song, at index: Int, in score: Score, title: String) -> String {
    song.name.isEmpty ? (score.songs.count == 1 ? title : "Song \(index + 1)") : shownName(song.name)
  }

  private static func section(_ song: Song, name: String) -> String {
    let table = ScoreTable.page(song)
    func row(_ cells: [String], _ tag: String) -> String {
      let columns = cells.enumerated().map { column, cell in
        let style = column < ScoreTable.isRight.count && ScoreTable.isRight[column] ? " class=\"number\"" : ""
        return "<\(tag)\(style)>\(SVG.escaped(cell))</\(tag)>"
      }
      return "<tr>\(columns.joined())</tr>"
    }
    return """
      <section>
      <h1>\(SVG.escaped(name))</h1>
      <p>\(SVG.escaped(table.head))</p>
      \(ScoreDrawing(Score(songs: [song]), title: name, width: pictureWidth).svg)<table>
      <thead>\(row(ScoreTable.heads + [""], "th"))</thead>
      <tbody>
      \(table.rows.map { row($0, "td") }.joined(separator: "\n"))
      </tbody>
      </table>
      </section>
      """
  }
}
