import MetronomeCore

/// The stage view: the number of the beat over the whole terminal, and two lines below it.
extension Picture {
  /// Digits of 5 × 7 cells; a row is five bits, the left cell in the highest one.
  private static let digits: [[UInt8]] = [
    [14, 27, 27, 27, 27, 27, 14], [6, 14, 6, 6, 6, 6, 15], [14, 27, 3, 6, 12, 24, 31], [30, 3, 3, 14, 3, 3, 30],
    [3, 7, 15, 27, 31, 3, 3], [31, 24, 30, 3, 3, 27, 14], [14, 24, 30, 27, 27, 27, 14], [31, 3, 6, 6, 12, 12, 12],
    [14, 27, 27, 14, 27, 27, 14], [14, 27, 27, 15, 3, 3, 14],
  ]
  private static let digitColumns = 5
  private static let digitRows = 7
  /// The lines below the number.
  private static let footerRows = 2

  /// The lines of the stage view, as many as the terminal has rows. No line is wider than `columns`.
  func stageLines(rows: Int, columns: Int, style: Style) -> [String] {
    let width = max(1, columns - 2 * Picture.margin.count)
    let level = stageLevel
    let place = beat.map {
      "\(level.mark) beat \($0.position + 1) of \(Metre(state.signature, unit: state.unit).beatsInBar)"
    }
    let texts = [place ?? "stopped"] + stageTexts
    let footer =
      Piece.lines(texts.map { Piece($0) }, width: width).prefix(1)
      + Piece.lines(
        notice.isEmpty ? [Piece("l ends this view"), Piece("o dims it")] : notice.map { Piece($0) }, width: width
      )
      .prefix(1)
    let face = max(0, rows - footer.count)
    let number = beat.map { digits("\($0.position + 1)", rows: face, columns: width) } ?? []
    let fill = stageFill(level, style)
    let lines = number.map { row in
      let text = String(row.map { $0 ? fill : " " })
      let blanks = text.reversed().prefix { $0 == " " }.count
      return blanks == text.count ? "" : paint(String(text.dropLast(blanks)), level, style)
    }
    let blank = [String](repeating: "", count: face - lines.count)
    return (lines + blank + footer.map { console.dimming > 0 ? paint($0, level, style) : $0 }).prefix(max(1, rows))
      .map { columns > 2 && !$0.isEmpty ? Picture.margin + $0 : $0 }
  }

  /// The level of the beat; a silent beat is a rest.
  private var stageLevel: Level {
    guard let beat else { return .rest }
    let slots = BarSlots(timeline, at: now, orBefore: bar ?? Bar(Metre(state.signature, unit: state.unit)))
    return slots.isSilent(beat: beat.position) ? .rest : slots.level(ofBeat: beat.position)
  }

  /// Whether each cell of a number is filled, as large as the room allows. A cell of a terminal is about twice as high as wide.
  private func digits(_ number: String, rows: Int, columns: Int) -> [[Bool]] {
    let cells = number.count * (Picture.digitColumns + 1) - 1
    let width = min(columns, 2 * rows * cells / Picture.digitRows)
    let height = min(rows, columns * Picture.digitRows / cells)
    guard width >= cells, height >= 1 else { return [] }
    let left = [Bool](repeating: false, count: (columns - width) / 2)
    return (0..<height).map { y in
      left
        + (0..<width).map { x in
          let (place, column) = (x * cells / width).quotientAndRemainder(dividingBy: Picture.digitColumns + 1)
          guard column < Picture.digitColumns, let digit = Array(number)[place].wholeNumberValue else { return false }
          return Picture.digits[digit][y * Picture.digitRows / height] >> UInt8(Picture.digitColumns - 1 - column) & 1
            == 1
        }
    }
  }

  /// The character of the number: a block, or the level's mark where blocks are missing. Without colors, a dimmed number has fewer dots.
  private func stageFill(_ level: Level, _ style: Style) -> Character {
    if level == .rest { return style.hasBlocks ? "·" : "." }
    if style.hasColors || console.dimming == 0 {
      if !style.hasBlocks { return Character(level.mark) }
      return style.hasColors ? "█" : level.fullBlock
    }
    return Array(style.hasBlocks ? "▒░·" : "+-.")[console.dimming - 1]
  }

  /// Bright while the beat flashes; dimmed in three steps, the last of which is nearly black.
  private func paint(_ text: String, _ level: Level, _ style: Style) -> String {
    let isFlashing = beat.map { now - $0.instant < Picture.flash } ?? false
    guard style.hasColors else { return console.dimming == 0 && isFlashing ? style.bold(text) : text }
    switch console.dimming {
    case 0: return style.paint(text, level.color, isBold: isFlashing)
    case 1: return style.dim(style.paint(text, level.color))
    case 2: return style.gray(text, isFlashing ? 242 : 239)
    default: return style.gray(text, isFlashing ? 235 : 234)
    }
  }
}
