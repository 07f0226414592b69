import LinuxBoard
import MetronomeCore
import Testing

/// The serial protocol of the display, decoded as its data sheet describes it.
@Suite struct TM1637Tests {
  /// Both lines, with a chip that decodes them and acknowledges bytes.
  private final class Chip: TM1637Lines {
    /// The bytes of each transfer.
    private(set) var transfers: [[UInt8]] = []
    /// Changes that the data sheet forbids.
    private(set) var violations: [String] = []
    private(set) var changes = 0
    private(set) var unsettled = 0
    private let answers: Bool
    private var low = Set<TM1637Line>()
    private var current: [UInt8]?
    private var bits: [Bool] = []
    private var isAcknowledging = false

    init(answers: Bool = true) { self.answers = answers }

    var isIdle: Bool { low.isEmpty && current == nil }

    func isHigh(_ line: TM1637Line) -> Bool { !low.contains(line) && !(line == .data && isAcknowledging) }

    func settle() { unsettled = 0 }

    func pull(_ line: TM1637Line, low isLow: Bool) {
      if unsettled > 0 { violations.append("\(line) changes too early") }
      guard low.contains(line) != isLow else { return }
      unsettled += 1
      changes += 1
      if isLow { low.insert(line) } else { low.remove(line) }
      if line == .clock { clock(rises: !isLow) } else if !low.contains(.clock) { condition(start: isLow) }
    }

    private func condition(start: Bool) {
      if start {
        if current != nil { violations.append("start within a transfer") }
        (current, bits) = ([], [])
      } else {
        if !bits.isEmpty, bits.count != 1 { violations.append("stop after \(bits.count) bits") }
        transfers.append(current ?? [])
        current = nil
      }
    }

    private func clock(rises: Bool) {
      guard current != nil else { return violations.append("a clock outside a transfer") }
      if rises {
        if bits.count < 8 { bits.append(!low.contains(.data)) } else { bits.append(true) }
        return
      }
      if bits.count == 8 {
        current?.append(bits.enumerated().reduce(0) { $0 | ($1.element ? 1 << UInt8($1.offset) : 0) })
        isAcknowledging = answers
      } else if bits.count == 9 {
        (bits, isAcknowledging) = ([], false)
      }
    }
  }

  @Test func aTextIsThreeTransfers() {
    let chip = Chip()
    #expect(TM1637Protocol(chip).send(DisplayText(" 120"), brightness: 4))
    #expect(chip.transfers == [[0x40], [0xC0, 0x00, 0x06, 0x5B, 0x3F], [0x8B]])
    #expect(chip.violations == [])
    #expect(chip.isIdle)
  }

  @Test func theColonBelongsToTheSecondDigit() {
    let chip = Chip()
    _ = TM1637Protocol(chip).send(DisplayText("1216", hasColon: true), brightness: 8)
    #expect(chip.transfers == [[0x40], [0xC0, 0x06, 0xDB, 0x06, 0x7D], [0x8F]])
  }

  @Test func brightnessIsOneToEight() {
    for brightness in 1...8 {
      let chip = Chip()
      _ = TM1637Protocol(chip).send(.blank, brightness: brightness)
      #expect(chip.transfers.last == [0x87 + UInt8(brightness)])
    }
  }

  @Test func eachCharacterHasSegmentsOfItsOwn() {
    let characters = "0123456789-" + DisplayText.letters.filter { $0 != "S" }
    var seen = Set<UInt8>()
    for character in characters {
      let chip = Chip()
      _ = TM1637Protocol(chip).send(DisplayText("   \(character)"), brightness: 1)
      seen.insert(chip.transfers[1][4])
    }
    #expect(seen.count == characters.count)
    #expect(!seen.contains(0))
  }

  @Test func aChipThatDoesNotAnswerIsNoticed() {
    let chip = Chip(answers: false)
    #expect(!TM1637Protocol(chip).send(DisplayText(" 120"), brightness: 4))
    #expect(chip.transfers.count == 3)
    #expect(chip.isIdle)
  }

  @Test func switchingOffIsOneByte() {
    let chip = Chip()
    TM1637Protocol(chip).switchOff()
    #expect(chip.transfers == [[0x80]])
    #expect(chip.isIdle)
  }

  @Test func aTextIsAFewHundredChanges() {
    let chip = Chip()
    _ = TM1637Protocol(chip).send(DisplayText(" 888"), brightness: 4)
    #expect(chip.changes < 250)
  }
}
