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

  /// The left edge of the time axes. Their right edge is 16 from the edge of the picture.
  private static let left = 64.0

  private let body: String
  private let width: Double
  private let title: String
  let height: Double

  /// `width`: the width of the picture. Texts do not become smaller with it.
  init(_ score: Score, title: String, width: Double = 1_200) {
    let songs = score.songs.prefix(ScoreDrawing.mostSongs)
    var (body, y) = ("", 16.0)
    var points = ScoreDrawing.mostPoints
    for (index, song) in songs.enumerated() {
      let rest = songs.count - index
      guard let plan = ScorePlan(song, mostPieces: ScoreDrawing.mostPieces / songs.count) else { continue }
      var panel = SongPanel(
        plan, left: ScoreDrawing.left, right: width - 16, top: y, mostPoints: points / rest)
      panel.draw(ScoreDrawing.head(song, index: index, of: score.songs.count))
      body += panel.body
      y = panel.bottom + 28
      points -= panel.points
    }
    if songs.count < score.songs.count {
      body += SVG.text(
        "and \(counted(score.songs.count - songs.count, "more song"))", x: ScoreDrawing.left, y: y, "soft")
      y += 24
    }
    (self.body, self.width, height) = (body, width, y)
    self.title = "Score \(title): \(ScoreSummary(score).text)"
  }

  private static func head(_ song: Song, index: Int, of count: Int) -> String {
    let name = song.name.isEmpty ? (count > 1 ? "Song \(index + 1)" : "") : song.name
    return [name, ScoreSummary(Score(songs: [song])).duration].filter { !$0.isEmpty }.joined(separator: ", ")
  }

  var svg: String { element("width=\"\(SVG.number(width))\" height=\"\(SVG.number(height))\"") }

  /// The picture as part of another one.
  func placed(x: Double, y: Double, width: Double) -> String {
    let height = width * height / self.width
    return element(
      "x=\"\(SVG.number(x))\" y=\"\(SVG.number(y))\" width=\"\(SVG.number(width))\" height=\"\(SVG.number(height))\"")
  }

  private func element(_ place: String) -> String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(SVG.number(width)) \(SVG.number(height))" \(place) \
    role="img" aria-labelledby="title" font-family="DejaVu Sans, Verdana, sans-serif">
    <title id="title">\(SVG.escaped(title))</title>
    <style>\(ScoreDrawing.rules(isDark: false))text{font-size:12px}.head{font-size:16px;font-weight:bold}.curve{fill:none;\
    stroke-width:2;stroke-linejoin:round}.grid,.bracket{fill:none;stroke-width:1}.end{text-anchor:end}.middle{\
    text-anchor:middle}@media screen and (prefers-color-scheme:dark){\(ScoreDrawing.rules(isDark: true))}\
    @media print{svg{width:100%;height:auto}}</style>
    <defs><pattern id="dropped" width="6" height="6" patternUnits="userSpaceOnUse"><path class="stripe" d="M0,6 L6,0" \
    stroke-width="1.2"/></pattern></defs>
    <rect class="page" width="\(SVG.number(width))" height="\(SVG.number(height))"/>
    \(body)</svg>

    """
  }

  /// The colors. Those of the dark theme apply if the viewer asks for them.
  static func rules(isDark: Bool) -> String {
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

/// The elements of an SVG picture.
enum SVG {
  static func box(_ style: String, _ x: Double, _ y: Double, _ width: Double, _ height: Double, note: String) -> String
  {
    let size = "width=\"\(number(max(width, 0)))\" height=\"\(number(height))\""
    let title = note.isEmpty ? "" : "<title>\(escaped(note))</title>"
    return "<rect class=\"\(style)\" x=\"\(number(x))\" y=\"\(number(y))\" \(size)>\(title)</rect>\n"
  }

  static func text(_ text: some StringProtocol, x: Double, y: Double, _ style: String) -> String {
    "<text class=\"\(style)\" x=\"\(number(x))\" y=\"\(number(y))\">\(escaped(String(text)))</text>\n"
  }

  /// Text for XML: without control characters, and with the characters of markup replaced.
  static func escaped(_ text: String) -> String {
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
  static func number(_ value: Double) -> String { decimal(Int64((value * 10).rounded()), places: 1) }
}
