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
    private(set) var multiplex: UInt8?
    private(set) var hasChargePump = false
    private(set) var isPageMode = false
    private(set) var unknown: [UInt8] = []
    private(set) var transfers = 0
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
      if transfers > failsFrom { throw HardwareError(.writeDisplay, .gone, errno: 6) }
      #expect((1...32).contains(bytes.count))
      switch control {
      case .commands: run(Array(bytes))
      case .data:
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
        case 0xA8: multiplex = rest.popFirst()
        case 0xD3, 0xD5, 0xD9, 0xDA, 0xDB: _ = rest.popFirst()
        default: unknown.append(command)
        }
      }
    }

    func isLit(_ x: Int, _ y: Int) -> Bool { memory[y / 8][x] >> UInt8(y % 8) & 1 == 1 }
  }

  private func shown(
    _ text: DisplayText, brightness: Int = 4, on kind: DisplayWiring.Chip = .ssd1306
  ) throws -> Chip {
    let chip = Chip(kind)
    var sender = SSD1306Protocol(chip, kind)
    try sender.setUp()
    try sender.show(text, brightness: brightness)
    return chip
  }

  @Test(arguments: DisplayWiring.Chip.allCases) func theSetUpIsKnownToTheChip(_ kind: DisplayWiring.Chip) throws {
    let chip = try shown(.blank, on: kind)
    #expect(chip.unknown == [])
    #expect(chip.isOn && chip.hasChargePump && chip.isPageMode)
    #expect(chip.multiplex == 63)
    #expect(chip.memory.allSatisfy { $0.allSatisfy { $0 == 0 } })
  }

  @Test func bothChipsShowTheSamePicture() throws {
    for text in [" 120", "8888", "----"] {
      let text = DisplayText(text)
      #expect(try shown(text, on: .sh1106).memory == shown(text).memory)
    }
  }

  /// The segments of each digit, read where a person looks for them.
  @Test(arguments: [
    (" 120", ["", "bc", "abdeg", "abcdef"]), ("8888", ["abcdefg", "abcdefg", "abcdefg", "abcdefg"]),
    ("b 17", ["cdefg", "", "bc", "abc"]), ("E  1", ["adefg", "", "", "bc"]), ("----", ["g", "g", "g", "g"]),
  ])
  func digitsAreSegments(text: String, segments: [String]) throws {
    let chip = try shown(DisplayText(text))
    let places: [(Character, Int, Int)] = [
      ("a", 13, 4), ("b", 23, 17), ("c", 23, 46), ("d", 13, 59), ("e", 2, 46), ("f", 2, 17), ("g", 13, 31),
    ]
    let read = [2, 34, 68, 100].map { left in
      String(places.filter { chip.isLit(left + $0.1, $0.2) }.map { $0.0 })
    }
    #expect(read == segments)
    #expect(!chip.isLit(63, 20) && !chip.isLit(63, 41))
  }

  @Test func theColonIsInTheMiddle() throws {
    let chip = try shown(DisplayText(try #require(Signature(text: "6/8"))))
    #expect(chip.isLit(63, 20) && chip.isLit(64, 41))
    #expect(!chip.isLit(63, 31))
  }

  @Test func digitsDoNotTouch() throws {
    let chip = try shown(DisplayText("8888", hasColon: true))
    for column in [0, 29, 61, 67, 96, 127] { #expect((0..<64).allSatisfy { !chip.isLit(column, $0) }) }
  }

  @Test func brightnessIsTheContrast() throws {
    #expect(try shown(.blank, brightness: 1).contrast == 31)
    #expect(try shown(.blank, brightness: 8).contrast == 255)
  }

  @Test func onlyChangedBlocksAreSent() throws {
    let chip = Chip()
    var sender = SSD1306Protocol(chip)
    try sender.setUp()
    try sender.show(DisplayText(" 120"), brightness: 4)
    #expect(chip.transfers == 1 + 64 + 1)
    let before = chip.transfers
    try sender.show(DisplayText(" 121"), brightness: 4)
    #expect(chip.transfers - before < 24)
    let whole = try shown(DisplayText(" 121"))
    #expect(chip.memory == whole.memory)
    let last = chip.transfers
    try sender.show(DisplayText(" 121"), brightness: 4)
    #expect(chip.transfers == last + 1)
  }

  @Test func afterAFailureEverythingIsSentAgain() throws {
    let chip = Chip()
    var sender = SSD1306Protocol(chip)
    try sender.setUp()
    try sender.show(DisplayText(" 120"), brightness: 4)
    chip.failsFrom = chip.transfers + 3
    #expect(throws: HardwareError.self) { try sender.show(DisplayText(" 999"), brightness: 4) }
    chip.failsFrom = .max
    try sender.show(DisplayText("  77"), brightness: 4)
    let whole = try shown(DisplayText("  77"))
    #expect(chip.memory == whole.memory)
  }

  @Test func switchedOffIsDark() throws {
    let chip = Chip()
    var sender = SSD1306Protocol(chip)
    try sender.setUp()
    try sender.show(DisplayText(" 120"), brightness: 4)
    try sender.switchOff()
    #expect(!chip.isOn)
  }
}
