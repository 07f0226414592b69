import HardwareAbstraction
import LinuxBoard
import MetronomeCore
import Testing

/// The screen, by a model of the chip that follows its data sheet.
@Suite struct SSD1306Tests {
  private final class Chip: SSD1306Bus {
    let kind: DisplayWiring.Chip
    /// The columns of each page: an SH1106 has 132, and shows 128 from the third on.
    private var columns: [[UInt8]]
    var memory: [[UInt8]] { columns.map { Array($0.dropFirst(margin).prefix(128)) } }
    private var margin: Int { kind == .sh1106 ? 2 : 0 }
    private(set) var isOn = false
    private(set) var contrast: UInt8 = 0x7F
    /// The values of commands with one, by command.
    private(set) var settings: [UInt8: UInt8] = [:]
    private(set) var hasChargePump = false
    private(set) var isPageMode = false
    private(set) var unknown: [UInt8] = []
    private(set) var transfers = 0
    /// The blocks of the picture that were sent.
    private(set) var blocks = 0
    /// The bits of all transfers: nine for the address, the control byte and each other one, start and stop.
    private(set) var bits = 0
    /// The transfers from this one on fail.
    var failsFrom = Int.max
    private var page = 0
    private var column = 0

    init(_ kind: DisplayWiring.Chip = .ssd1306) {
      self.kind = kind
      columns = [[UInt8]](repeating: [UInt8](repeating: 0xAA, count: kind == .sh1106 ? 132 : 128), count: 8)
      // An SH1106 knows no other mode.
      isPageMode = kind == .sh1106
    }

    func write(_ control: SSD1306Control, _ bytes: ArraySlice<UInt8>) throws(HardwareError) {
      transfers += 1
      bits += 9 * (bytes.count + 2) + 2
      if transfers > failsFrom { throw HardwareError(.writeDisplay, .gone, errno: 6) }
      #expect((1...32).contains(bytes.count))
      switch control {
      case .commands: run(Array(bytes))
      case .data:
        blocks += 1
        for byte in bytes {
          columns[page][column] = byte
          // An SH1106 stays at its last column.
          column = kind == .sh1106 ? min(column + 1, 131) : (column + 1) % 128
        }
      }
    }

    private func run(_ bytes: [UInt8]) {
      var rest = bytes[...]
      while let command = rest.popFirst() {
        switch command {
        case 0x00...0x0F: column = column & 0xF0 | Int(command)
        case 0x10...0x1F where kind == .sh1106: column = column & 0x0F | Int(command & 0xF) << 4
        case 0x10...0x17: column = column & 0x0F | Int(command & 7) << 4
        case 0xB0...0xB7: page = Int(command & 7)
        case 0xAE: isOn = false
        case 0xAF: isOn = true
        case 0x40, 0xA1, 0xC8, 0xA4, 0xA6: break
        case 0xAD where kind == .sh1106: hasChargePump = rest.popFirst() == 0x8B
        case 0x20 where kind == .sh1106, 0x8D where kind == .sh1106: unknown.append(command)
        case 0x20: isPageMode = rest.popFirst() == 2
        case 0x81: contrast = rest.popFirst() ?? 0
        case 0x8D: hasChargePump = rest.popFirst() == 0x14
        case 0xA8, 0xD3, 0xD5, 0xD9, 0xDA, 0xDB: settings[command] = rest.popFirst()
        default: unknown.append(command)
        }
      }
    }

    func isLit(_ x: Int, _ y: Int) -> Bool { memory[y / 8][x] >> UInt8(y % 8) & 1 == 1 }

    /// The power fails for a moment: the chip is off, and its memory is random.
    func losePower() {
      (isOn, hasChargePump, isPageMode) = (false, false, kind == .sh1106)
      for page in columns.indices { columns[page] = columns[page].map { _ in 0x55 } }
    }
  }

  private func wiring(_ change: (inout DisplayWiring) -> Void = { _ in }) -> DisplayWiring {
    var wiring = DisplayWiring()
    wiring.bus = "/dev/i2c-1"
    change(&wiring)
    return wiring
  }

  private func page(
    title: String = "Für Elise", place: String = "3/12", bar: Int = 17, upper: String = "verse",
    lower: String = "120 BPM", footer: String = "→ chorus", notice: String? = nil
  ) -> ScreenPage {
    ScreenPage(
      title: title, place: place, number: "\(bar)", width: .bar, upper: upper, lower: lower, footer: footer,
      notice: notice)
  }

  private func shown(_ page: ScreenPage, _ wiring: DisplayWiring) throws -> Chip {
    let chip = Chip(wiring.chip)
    var sender = SSD1306Protocol(chip, wiring)
    try sender.setUp()
    try sender.show(page)
    return chip
  }

  /// The glyphs of the font at a place of the picture, as text; `?` where there is none.
  private func text(_ chip: Chip, _ font: ScreenFont, x: Int, y: Int, length: Int, of candidates: String) -> String {
    String(
      (0..<length).map { place in
        candidates.first { character in
          var wanted = ScreenPage(title: "", number: "", width: .bar, upper: "", lower: "", footer: "")
          if font.height == 16 { wanted.title = "\(character)" } else { wanted.footer = "\(character)" }
          let picture = ScreenPicture(wanted, wiring())
          let top = font.height == 16 ? 0 : 51
          return (0..<font.width).allSatisfy { column in
            (0..<font.height).allSatisfy {
              picture.isLit(column, top + $0) == chip.isLit(x + place * font.width + column, y + $0)
            }
          }
        } ?? "?"
      })
  }

  @Test(arguments: DisplayWiring.Chip.allCases, DisplayWiring.Size.allCases)
  func theSetUpIsKnownToTheChip(_ kind: DisplayWiring.Chip, _ size: DisplayWiring.Size) throws {
    let blank = ScreenPage(title: "", number: "", width: .bar, upper: "", lower: "", footer: "")
    let chip = try shown(blank, wiring { ($0.chip, $0.size) = (kind, size) })
    #expect(chip.unknown == [])
    #expect(chip.isOn && chip.hasChargePump && chip.isPageMode)
    #expect(chip.settings[0xA8] == (size == .high ? 63 : 31))
    #expect(chip.settings[0xDA] == (size == .high ? 0x12 : 0x02))
    let pages = size == .high ? 8 : 4
    #expect(chip.memory[..<pages].allSatisfy { $0.allSatisfy { $0 == 0 } })
    // The rows that the screen does not have are left alone.
    #expect(chip.memory[pages...].allSatisfy { $0.allSatisfy { $0 == 0xAA } })
  }

  /// A title with umlauts and accents, at the columns of both chips.
  @Test(arguments: DisplayWiring.Chip.allCases) func partsAreWhereTheyAreRead(_ kind: DisplayWiring.Chip) throws {
    let title = "Dvořák: Šárka"
    let chip = try shown(page(title: title, place: "", footer: "→ Größe çà"), wiring { $0.chip = kind })
    #expect(text(chip, .medium, x: 0, y: 0, length: 14, of: title + "?acdkosSrz ") == title + " ")
    #expect(text(chip, .small, x: 0, y: 51, length: 10, of: "→ Größe çàGrosca") == "→ Größe çà")
    #expect(text(chip, .small, x: 40, y: 19, length: 6, of: "verse a") == "verse ")
    #expect(text(chip, .medium, x: 40, y: 32, length: 7, of: "0123456789 BPM") == "120 BPM")
  }

  @Test func thePlaceIsAtTheRightEnd() throws {
    let chip = try shown(page(title: "A very long title of a song"), wiring())
    #expect(text(chip, .medium, x: 0, y: 0, length: 16, of: "A verylongti…of3/12") == "A very lon… 3/12")
  }

  @Test func bothChipsShowTheSamePicture() throws {
    #expect(try shown(page(), wiring { $0.chip = .sh1106 }).memory == shown(page(), wiring()).memory)
  }

  /// Whatever the digits, also from 9 to 10, from 99 to 100, and from 999 to 1000.
  @Test(arguments: DisplayWiring.Size.allCases) func anotherBarChangesFourBlocks(_ size: DisplayWiring.Size) throws {
    let chip = Chip()
    var sender = SSD1306Protocol(chip, wiring { $0.size = size })
    try sender.setUp()
    try sender.show(page(bar: -2))
    for bar in [-1] + Array(1...1_010) {
      let before = (blocks: chip.blocks, memory: chip.memory)
      try sender.show(page(bar: bar))
      #expect(chip.blocks - before.blocks <= 4)
      #expect(chip.memory != before.memory)
    }
    let whole = try shown(page(bar: 1_010), wiring { $0.size = size })
    #expect(chip.memory == whole.memory)
  }

  /// Each part of a page is sent within 30 ms at 100 kHz, whatever changes.
  @Test func aPartIsSentBetweenTwoBeats() throws {
    let chip = Chip()
    var sender = SSD1306Protocol(chip, wiring())
    try sender.setUp()
    var shown = page(
      title: "WWWWWWWWWWWWWWWW", place: "", bar: 88, upper: "WWWWWWWWWWWWWW", lower: "MMMMMMMMMMM",
      footer: "WWWWWWWWWWWWWWWWWWWWW")
    try sender.show(shown)
    let new = page(
      title: "................", place: "", bar: 11, upper: "..............", lower: "...........",
      footer: ".....................")
    for part in 1...5 {
      let before = chip.bits
      shown = shown.step(toward: new)
      try sender.show(shown)
      #expect(chip.bits > before && chip.bits - before < 3_000)
      #expect((shown == new) == (part == 5))
    }
  }

  /// A digit is as high as the screen, and two bars differ.
  @Test(arguments: DisplayWiring.Size.allCases) func theStageViewFillsTheScreen(_ size: DisplayWiring.Size) throws {
    let stage = wiring { ($0.view, $0.size) = (.stage, size) }
    let height = size == .high ? 64 : 32
    let chip = try shown(page(bar: 18), stage)
    let rows = (0..<height).filter { y in (0..<128).contains { chip.isLit($0, y) } }
    #expect(rows.first == 2 && rows.last == height - 3)
    let other = try shown(page(bar: 13), stage)
    #expect(chip.memory != other.memory)
    // A notice is shown in words.
    #expect(
      try shown(page(notice: "stored"), stage).memory == shown(page(notice: "stored"), wiring { $0.size = size }).memory
    )
  }

  /// A bar has the bus for 30 ms at 100 kHz: a transfer of n bytes has 9 (n + 2) bits, start and stop.
  @Test func aBarOfTheStageViewTakesLessThan30Milliseconds() throws {
    let chip = Chip()
    var sender = SSD1306Protocol(chip, wiring { $0.view = .stage })
    try sender.setUp()
    try sender.show(page(bar: 11))
    for bar in 12...19 {
      let before = chip.bits
      try sender.show(page(bar: bar))
      #expect(chip.bits - before < 3_000)
    }
  }

  @Test func lettersWithoutAGlyphLoseTheirAccent() throws {
    func picture(_ title: String) throws -> [[UInt8]] { try shown(page(title: title), wiring()).memory }
    #expect(try picture("Việt ṡ") == picture("Viet s"))
    #expect(try picture("u\u{308}") == picture("ü"))
    #expect(try picture("a\u{2011}b") == picture("a-b"))
    #expect(try picture("漢") == picture("\u{FFFD}"))
    for character in "ÄÖÜäöüßàâçéèêëîïôùûÿœæñáíóúąćęłńśźżčďěňřšťůžőűăâîșțğıİøåð¿¡‘’“”„–—…€→" {
      #expect(ScreenFont.small.has(character) && ScreenFont.medium.has(character), "\(character)")
    }
  }

  @Test func brightnessIsTheContrast() throws {
    #expect(try shown(page(), wiring { $0.brightness = 1 }).contrast == 31)
    #expect(try shown(page(), wiring { $0.brightness = 8 }).contrast == 255)
    let dark = try shown(page(), wiring { $0.brightness = 0 })
    #expect(dark.contrast == 0 && dark.settings[0xD9] == 0x11 && dark.settings[0xDB] == 0)
    #expect(dark.isOn)
  }

  @Test func aChipThatLostItsPictureHasItBackAfterAMinute() throws {
    let chip = Chip()
    var sender = SSD1306Protocol(chip, wiring())
    try sender.setUp()
    try sender.show(page())
    #expect(chip.blocks == 32)
    chip.losePower()
    for _ in 0..<32 {
      let before = chip.blocks
      try sender.show(page())
      #expect(chip.blocks == before + 1 && chip.isOn && chip.hasChargePump)
    }
    #expect(try chip.memory == shown(page(), wiring()).memory)
  }

  @Test func afterAFailureEverythingIsSentAgain() throws {
    let chip = Chip()
    var sender = SSD1306Protocol(chip, wiring())
    try sender.setUp()
    try sender.show(page())
    chip.failsFrom = chip.transfers + 3
    #expect(throws: HardwareError.self) { try sender.show(page(title: "Šárka", bar: 99)) }
    chip.failsFrom = .max
    try sender.show(page(bar: 77))
    #expect(try chip.memory == shown(page(bar: 77), wiring()).memory)
  }

  @Test func switchedOffIsDark() throws {
    let chip = Chip()
    var sender = SSD1306Protocol(chip, wiring())
    try sender.setUp()
    try sender.show(page())
    try sender.switchOff()
    #expect(!chip.isOn)
  }
}
