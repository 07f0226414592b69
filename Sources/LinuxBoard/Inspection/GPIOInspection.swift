import CGpiod
import Glibc
import HardwareAbstraction
import MetronomeCore

/// Looks at the chips and lines that a box is wired to.
///
/// Outputs are only looked at. Buttons that nobody holds are asked for as inputs, with the bias that they have when playing,
/// for a moment.
public enum GPIOInspection {
  /// Ample for a pull-up to charge metres of cable: 50 kΩ and 1 nF make 50 µs.
  private static let settling = Nanoseconds.milliseconds(2)

  public static func look(_ wiring: Wiring) -> GPIOFacts {
    let list = ChipList()
    var facts = GPIOFacts(
      version: LinuxBoard.gpiodVersion, chips: list.chips.map(\.facts),
      refusals: list.refused.map { GPIOFacts.Refusal(path: $0.path, errno: $0.errno) })
    guard !wiring.lines.isEmpty else { return facts }
    var chosen: ChipSummary?
    do throws(HardwareError) {
      chosen = try ChipSearch(wiring).find(wiring.chip)
    } catch {
      chosen = nearest(wiring, list)
      facts.failure = failure(error.errno, chosen)
    }
    guard let chosen else { return facts }
    facts.chosen = chosen.facts
    do throws(HardwareError) {
      facts.lines = try lines(wiring, on: chosen)
    } catch {
      facts.failure = .refused(errno: error.errno)
    }
    return facts
  }

  /// A chip to tell the lines of though it is not complete: labelled as that of a Raspberry Pi is, with most of the lines.
  private static func nearest(_ wiring: Wiring, _ list: ChipList) -> ChipSummary? {
    guard wiring.chip == .auto else { return nil }
    let headers = list.chips.filter { $0.label.hasPrefix("pinctrl-") }
    return headers.max { lineCount(wiring, on: $0) < lineCount(wiring, on: $1) }
  }

  /// How many of the lines a chip has.
  private static func lineCount(_ wiring: Wiring, on summary: ChipSummary) -> Int {
    do throws(HardwareError) {
      let chip = try Chip(path: summary.path)
      return wiring.lines.filter { chip.offset(of: $0.id) != nil }.count
    } catch {
      return 0
    }
  }

  private static func failure(_ errno: Int32, _ chosen: ChipSummary?) -> GPIOFacts.Failure {
    switch errno {
    case ENODEV, ENOENT: chosen == nil ? .missing : .incomplete
    case ENOTUNIQ: .ambiguous
    default: .refused(errno: errno)
    }
  }

  private static func lines(_ wiring: Wiring, on summary: ChipSummary) throws(HardwareError) -> [LineFacts] {
    let chip = try Chip(path: summary.path)
    var lines: [LineFacts] = []
    for output in Output.allCases {
      guard let wire = wiring.outputs[output] else { continue }
      let line = LineFacts(role: output.rawValue, isButton: false, id: wire.line, active: wire.active)
      lines.append(seen(line, on: chip))
    }
    for button in Button.allCases {
      guard let wire = wiring.buttons[button] else { continue }
      var line = LineFacts(role: button.rawValue, isButton: true, id: wire.line, active: wire.active)
      line = seen(line, on: chip)
      if line.offset != nil, line.holder == nil { line.contact = contact(button, wire, on: summary) }
      lines.append(line)
    }
    return lines
  }

  private static func seen(_ line: LineFacts, on chip: borrowing Chip) -> LineFacts {
    var line = line
    guard let offset = chip.offset(of: line.id) else { return line }
    line.offset = Int(offset)
    line.name = chip.name(ofLineAt: offset)
    line.holder = chip.holder(ofLineAt: offset)
    line.direction = chip.direction(ofLineAt: offset)
    return line
  }

  /// Where a button is. The line is its own again afterwards.
  private static func contact(_ button: Button, _ wire: ButtonWiring, on chip: ChipSummary) -> LineFacts.Contact {
    let alone = Wiring(chip: .auto, outputs: [:], buttons: [button: wire])
    do throws(HardwareError) {
      let buttons = GPIOButtons(bell: nil)
      try buttons.attach(alone, try ResolvedLines(alone, on: chip))
      defer { buttons.detach() }
      _ = Doorbell().wait(until: LinuxClock().now + settling)
      return try buttons.isDown(button) ? .pressed : .open
    } catch {
      return .unknown(errno: error.errno)
    }
  }
}

extension ChipSummary {
  var facts: GPIOFacts.Chip { GPIOFacts.Chip(path: path, name: name, label: label, lineCount: lineCount) }
}

extension Chip {
  /// Which way a line goes; nil if the kernel does not say.
  func direction(ofLineAt offset: UInt32) -> LineFacts.Direction? {
    switch lineDirection(offset) {
    case 0: .input
    case 1: .output
    default: nil
    }
  }
}
