import HardwareAbstraction
import MetronomeCore

/// How text is drawn: with colors, or only in bold and plain.
package struct Style: Hashable, Sendable {
  package enum Color: Int {
    case green = 32
    case yellow, blue, magenta, cyan
  }

  package var hasColors: Bool
  /// Whether the terminal can show notes, such as ♩.
  package var hasNotes = true
  /// Whether the terminal can show blocks, such as █.
  package var hasBlocks = true

  package static let colors = Style(hasColors: true)
  package static let plain = Style(hasColors: false)

  /// Disables colors if `NO_COLOR` is set and not empty (https://no-color.org), and notes if the locale is not UTF-8 or on the
  /// Linux console, whose fonts have none.
  package init(environment: [String: String]) {
    hasColors = (environment["NO_COLOR"] ?? "").isEmpty
    // The first that is set and not empty applies (POSIX, Environment Variables).
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    let charset = locale.lowercased().filter { $0 != "-" }
    hasBlocks = charset.hasSuffix("utf8")
    hasNotes = hasBlocks && environment["TERM"] != "linux"
  }

  private init(hasColors: Bool) { self.hasColors = hasColors }

  /// Whether the terminal cannot move its cursor, according to `TERM`.
  package static func isDumb(environment: [String: String]) -> Bool {
    ["", "dumb"].contains(environment["TERM"] ?? "")
  }

  package func bold(_ text: String) -> String { "\u{1B}[1m\(text)\u{1B}[0m" }

  /// Less bright than other text. Unchanged without colors.
  package func dim(_ text: String) -> String { hasColors ? "\u{1B}[2m\(text)\u{1B}[0m" : text }

  /// In a gray of the 256 colors: 232 is nearly black, 255 nearly white.
  func gray(_ text: String, _ number: Int) -> String { "\u{1B}[38;5;\(number)m\(text)\u{1B}[0m" }

  package func paint(_ text: String, _ color: Color, isBold: Bool = false) -> String {
    let codes = (isBold ? ["1"] : []) + (hasColors ? ["\(color.rawValue)"] : [])
    return codes.isEmpty ? text : "\u{1B}[\(codes.joined(separator: ";"))m\(text)\u{1B}[0m"
  }
}

/// Breaks a text between words, into lines of at most `width` columns.
package func lines(of text: String, width: Int) -> [String] { Piece.lines(words: text, width: width) }

/// An unbreakable piece of a line, and its width in columns.
struct Piece {
  var text: String
  var width: Int

  init(_ text: String, paint: (String) -> String = { $0 }) {
    self.text = paint(text)
    width = columns(of: text)
  }

  /// Arranges pieces in lines of at most `width` columns, with `gap` blanks between two pieces. A piece that is wider than a
  /// line is cut off; it must not be painted.
  static func lines(_ pieces: [Piece], width: Int, gap: Int = 3) -> [String] {
    var lines: [(text: String, width: Int)] = []
    for piece in pieces {
      if let last = lines.last, last.width + gap + piece.width <= width {
        lines[lines.count - 1].text += String(repeating: " ", count: gap) + piece.text
        lines[lines.count - 1].width += gap + piece.width
      } else {
        lines.append((piece.width > width ? cut(piece.text, to: width) : piece.text, piece.width))
      }
    }
    return lines.map(\.text)
  }

  /// Breaks a sentence between words.
  static func lines(words text: String, width: Int) -> [String] {
    lines(text.split(separator: " ").map { Piece(String($0)) }, width: width, gap: 1)
  }

  private static func cut(_ text: String, to width: Int) -> String {
    var room = width
    return String(
      text.prefix { character in
        room -= columns(of: String(character))
        return room >= 0
      })
  }
}

/// The width of a text in columns: one for each character, two for East Asian characters and emoji.
private func columns(of text: String) -> Int {
  text.reduce(0) {
    $0 + ($1.unicodeScalars.contains { $0.value >= 0x1100 && !(0x2000...0x2BFF).contains($0.value) } ? 2 : 1)
  }
}

func lamps(_ levels: LineSet, of lines: LineSet, _ names: BoxNames, _ style: Style) -> [Piece] {
  let colors: [Style.Color] = [.yellow, .cyan, .magenta, .green, .blue]
  return lines.map { line in
    // Green and blue are the last of the standard lines.
    let place = line.output.index + (line.part == .main ? 0 : 2 + Int(line.part.rawValue))
    let color = colors[place % colors.count]
    let isOn = levels.contains(line)
    return Piece((isOn ? "●" : "○") + " " + names[line]) {
      isOn ? style.paint($0, color, isBold: true) : style.dim($0)
    }
  }
}

/// A lamp and a name for each line.
package func lampText(
  _ levels: LineSet, of lines: LineSet, _ names: BoxNames, _ style: Style
) -> String {
  lamps(levels, of: lines, names, style).map(\.text).joined(separator: "   ")
}
