import MetronomeCore

/// The keys, and the page of help.
extension Picture {
  private static let help = [
    ("space", "start, stop"), ("97.5", "type a tempo; Enter sets it, Escape cancels"),
    ("- +", "1 BPM slower, faster; arrows too"), ("t", "tap the tempo"), ("n d", "beats in a bar, note value"),
    ("f g j k", "presets 1 to 4; F1 to F4 too"), ("[ ]", "previous, next preset"),
    ("< > / *", "tempo dial, volume dial"), ("c w", "reset the tempo; next clicks"),
    ("v b a", "subdivision + -, accents"),
    ("r s", "blinks tempo, signature"),
    ("h", "hold the next key: h, space mutes; h, f stores preset 1; h, + repeats until you press any key"),
    ("l o", "the beat in large; dims it"),
    ("q", "quit; Ctrl-Z suspends"),
  ]
  /// The keys that mean something else while a score is loaded.
  private static let scoreHelp: [String: String?] = [
    "97.5": nil, "- +": "1 % slower, faster; arrows too", "t": "three taps or more: move the beat",
    "n d": "next, previous section, at the bar line", "< > / *": "speed dial, volume dial",
    "c w": "reset the speed; next clicks", "v b a": "section again, previous song, next song",
    "space": "start, stop; goes on after a pause that waits",
  ]
  private static let widestKey = 8

  /// The first line below the picture, and more if there is room.
  var keys: [String] {
    let own =
      state.score == nil
      ? ["97 types a tempo", "- + tempo", "t tap", "n beats", "d note", "/ * volume", "f g j k presets"]
      : ["n next section", "d previous", "v again", "- + speed", "a b songs", "/ * volume"]
    return ["? help", "q quit", "space play/stop"] + own
  }

  private var help: [(String, String)] {
    let added = names.buttons.dropFirst(Button.standard.count).map { names[$0] }
    var general = Picture.help
    if !added.isEmpty {
      let keys = added.count == 1 ? "F5" : "F5–F\(4 + added.count)"
      general.insert((keys, added.joined(separator: ", ")), at: general.count - 1)
    }
    guard state.score != nil else { return general }
    return general.compactMap { key, meaning in
      (Picture.scoreHelp[key] ?? meaning).map { (key, $0) }
    }
  }

  package func helpLines(width: Int) -> [String] {
    let keys = help.flatMap { key, meaning in
      Piece.lines(words: meaning, width: max(1, width - Picture.widestKey)).enumerated().map { number, line in
        let left = number == 0 ? key : ""
        return left + String(repeating: " ", count: Picture.widestKey - left.count) + line
      }
    }
    guard let figures else { return keys }
    return keys + Piece.lines(words: "In this terminal: \(figures). A real box is more exact.", width: width)
  }

  /// The number of pages that the help needs.
  package func helpPageCount(rows: Int, columns: Int) -> Int {
    helpPages(rows, max(1, columns - 2 * Picture.margin.count)).count
  }

  /// The lines of each page, below two lines with the heading.
  private func helpPages(_ rows: Int, _ width: Int) -> [ArraySlice<String>] {
    let (lines, room) = (helpLines(width: width), max(1, rows - 2))
    return stride(from: 0, to: lines.count, by: room).map { lines[$0..<min($0 + room, lines.count)] }
  }

  func helpParts(page: Int, _ rows: Int, _ width: Int, _ style: Style) -> [Part] {
    let pages = helpPages(rows, width)
    let page = min(page, pages.count - 1)
    let heading = page + 1 < pages.count ? "Any key: next page" : "Any key closes this help."
    return [
      (0, Piece.lines(words: heading, width: width).prefix(1).map(style.bold)), (1, [""]), (0, Array(pages[page])),
    ]
  }
}
