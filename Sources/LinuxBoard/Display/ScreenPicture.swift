import HardwareAbstraction
import MetronomeCore

/// A picture of 128 × 64 or 128 × 32 pixels. A byte is a column of eight pixels, the lowest bit on top; 128 bytes are a page, and the first
/// page is the top one.
package struct ScreenPicture: Equatable {
  package static let width = 128
  /// The most bytes in a transfer: the limit of the kernel's SMBus interface, which the I²C controllers of all Raspberry Pis support.
  package static let blockSize = 32

  package private(set) var bytes: [UInt8]
  package var height: Int { bytes.count / ScreenPicture.width * 8 }

  /// Where blocks differ from those of another picture, or all blocks. A block is in one page, and no longer than a transfer.
  func blocks(since old: ScreenPicture?) -> [Range<Int>] {
    var blocks: [Range<Int>] = []
    for place in bytes.indices where old.map({ $0.bytes[place] != bytes[place] }) ?? true {
      let isInLast = blocks.last.map {
        place < $0.lowerBound + ScreenPicture.blockSize
          && place / ScreenPicture.width == $0.lowerBound / ScreenPicture.width
      }
      let begin = isInLast == true ? blocks.removeLast().lowerBound : place
      blocks.append(begin..<place + 1)
    }
    return blocks
  }

  package init(_ page: ScreenPage, _ wiring: DisplayWiring) {
    let isHigh = wiring.size == .high
    bytes = [UInt8](repeating: 0, count: ScreenPicture.width * (isHigh ? 8 : 4))
    let left = page.width.rawValue + 8
    if wiring.view == .stage, !page.hasNotice {
      draw(number: page.number, x: 0, y: 2, width: ScreenPicture.width, scale: 2, height: height - 4)
    } else if isHigh {
      draw(page.title, .medium, 0, 0)
      draw(page.place, .medium, ScreenPicture.width - 8 * page.place.count, 0)
      draw(number: page.number, x: 0, y: 17, width: page.width.rawValue, scale: 1, height: 30)
      draw(page.upper, .small, left, 19)
      draw(page.lower, .medium, left, 32)
      draw(page.footer, .small, 0, 51)
    } else {
      draw(number: page.number, x: 0, y: 1, width: page.width.rawValue, scale: 1, height: 30)
      draw(page.hasNotice ? page.footer : page.isBeforeSong ? page.title : page.upper, .small, left, 2)
      draw(page.lower, .medium, left, 16)
    }
  }

  /// A text from a column and a row on. What does not fit is left out.
  private mutating func draw(_ text: String, _ font: ScreenFont, _ left: Int, _ top: Int) {
    for (place, character) in text.prefix(max(0, (ScreenPicture.width - left) / font.width)).enumerated() {
      let glyph = font.glyph(of: character)
      for y in 0..<font.height {
        for x in 0..<font.width where font.isLit(glyph, x, y) { light(left + place * font.width + x, top + y) }
      }
    }
  }

  /// A number in the largest font that fits the width, at its right end. Its glyphs are stretched to the height, and made `scale` times as
  /// wide.
  private mutating func draw(number: String, x: Int, y: Int, width: Int, scale: Int, height: Int) {
    let count = number.count
    func needed(_ font: ScreenFont) -> Int { count * scale * font.ink.x.count + (count - 1) * scale }
    let font = [ScreenFont.huge, .large].first { needed($0) <= width } ?? .medium
    let (columns, rows) = font.ink
    let gap = count > 1 ? min(4 * scale, (width - count * scale * columns.count) / (count - 1)) : 0
    let pitch = scale * columns.count + gap
    let left = x + (scale > 1 ? (width + gap - count * pitch) / 2 : width + gap - count * pitch)
    for (place, character) in number.enumerated() {
      let glyph = font.glyph(of: character)
      for row in 0..<height {
        for column in 0..<scale * columns.count
        where font.isLit(glyph, columns.lowerBound + column / scale, rows.lowerBound + row * rows.count / height) {
          light(left + place * pitch + column, y + row)
        }
      }
    }
  }

  private mutating func light(_ x: Int, _ y: Int) {
    guard (0..<ScreenPicture.width).contains(x), (0..<height).contains(y) else { return }
    bytes[y / 8 * ScreenPicture.width + x] |= 1 << UInt8(y % 8)
  }

  /// Whether a pixel is lit.
  package func isLit(_ x: Int, _ y: Int) -> Bool { bytes[y / 8 * ScreenPicture.width + x] >> UInt8(y % 8) & 1 == 1 }
}

/// A font of the screen, whose glyphs have all the same size.
package struct ScreenFont: Sendable {
  package static let small = ScreenFont(6, 12, ScreenGlyphs.smallLetters, ScreenGlyphs.small, 0..<5, 2..<10)
  package static let medium = ScreenFont(8, 16, ScreenGlyphs.mediumLetters, ScreenGlyphs.medium, 0..<7, 2..<12)
  /// Only digits, and what belongs to numbers.
  package static let large = ScreenFont(12, 24, ScreenGlyphs.largeLetters, ScreenGlyphs.large, 1..<11, 4..<19)
  package static let huge = ScreenFont(16, 32, ScreenGlyphs.hugeLetters, ScreenGlyphs.huge, 1..<14, 6..<26)

  package let width: Int
  package let height: Int
  /// The columns and rows that digits use.
  let ink: (x: Range<Int>, y: Range<Int>)
  private let bytes: [UInt8]
  /// Where the glyph of each character begins. Characters of several scalars that look the same are equal.
  private let places: [Character: Int]

  private init(
    _ width: Int, _ height: Int, _ letters: [ClosedRange<UInt32>], _ bitmaps: StaticString, _ x: Range<Int>,
    _ y: Range<Int>
  ) {
    (self.width, self.height, ink) = (width, height, (x, y))
    bytes = base64Bytes(bitmaps)
    let glyph = width * ((height + 7) / 8)
    let characters = letters.joined().compactMap { Unicode.Scalar($0) }.map { Character($0) }
    // The Greek semicolon is a middle dot.
    places = Dictionary(characters.enumerated().map { ($1, $0 * glyph) }) { first, _ in first }
  }

  /// Whether the font has a glyph of its own for a character.
  package func has(_ character: Character) -> Bool { places[character] != nil }

  /// Where the glyph of a character begins: its own, that of a similar sign or of its letter without accents, or a box.
  func glyph(of character: Character) -> Int {
    places[character] ?? ScreenFont.similar[character].flatMap { places[$0] }
      ?? ScreenFont.letter(of: character).flatMap { places[$0] } ?? places["\u{FFFD}"] ?? places["-"] ?? 0
  }

  func isLit(_ glyph: Int, _ x: Int, _ y: Int) -> Bool { bytes[glyph + y / 8 * width + x] >> UInt8(y % 8) & 1 == 1 }

  private static let similar: [Character: Character] = [
    "\u{2010}": "-", "\u{2011}": "-", "\u{2012}": "–", "\u{2015}": "—", "\u{2212}": "-", "\u{201B}": "‘",
    "\u{2032}": "'",
    "\u{2033}": "\"", "\u{201F}": "“", "\u{2039}": "<", "\u{203A}": ">", "\u{2044}": "/", "\u{2009}": " ",
    "\u{202F}": " ",
    "ẞ": "ß", "♩": "♪", "♭": "b", "♯": "#",
  ]

  /// The letter that a letter with accents is made from, by its Unicode name, such as LATIN SMALL LETTER E WITH CIRCUMFLEX AND ACUTE.
  private static func letter(of character: Character) -> Character? {
    guard let scalar = character.unicodeScalars.first else { return nil }
    if scalar.isASCII { return Character(scalar) }
    let words = scalar.properties.name?.split(separator: " ") ?? []
    guard words.count > 4, words[0] == "LATIN", words[2] == "LETTER", words[3].count == 1, words[4] == "WITH" else {
      return nil
    }
    return Character(words[1] == "SMALL" ? words[3].lowercased() : String(words[3]))
  }
}
