import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore

/// What hangs on which pin of the header, and what is to be said about it.
struct WiringReport {
  struct Row {
    /// As the configuration calls it.
    var role: String
    var isOutput: Bool
    var line: LineID
    /// nil where the line is no pin of the header.
    var pin: HeaderPin?
    var active: Polarity
    /// nil for an output.
    var bias: Bias?
    /// What is to hang there.
    var part: String
  }

  private(set) var rows: [Row]
  private(set) var warnings: [String]

  /// Outputs first, then buttons, each in the order in which they are declared.
  init(_ wiring: Wiring) {
    let outputs = Output.lines.compactMap { output in wiring.outputs[output].map { Row(output, $0) } }
    let buttons = Button.allCases.compactMap { button in wiring.buttons[button].map { Row(button, $0) } }
    rows = outputs + buttons
    warnings = WiringReport.aboutChip(wiring.chip) + rows.flatMap { $0.warnings }
  }

  /// Only a `pinctrl-*` chip is known to be the header.
  private static func aboutChip(_ chip: ChipID) -> [String] {
    switch chip {
    case .auto: []
    case .named(let name) where name.hasPrefix("pinctrl-"): []
    case .named(let name): ["chip \(name): the pins are right if this is the chip of a Raspberry Pi's header"]
    }
  }
}

extension WiringReport.Row {
  init(_ output: Output, _ wiring: OutputWiring) {
    self.init(
      role: output.rawValue, isOutput: true, line: wiring.line, pin: wiring.line.bcm.flatMap(HeaderPin.init(bcm:)),
      active: wiring.active, bias: nil, part: WiringReport.part(of: output, active: wiring.active))
  }

  init(_ button: Button, _ wiring: ButtonWiring) {
    self.init(
      role: button.rawValue, isOutput: false, line: wiring.line, pin: wiring.line.bcm.flatMap(HeaderPin.init(bcm:)),
      active: wiring.active, bias: wiring.bias, part: WiringReport.part(bias: wiring.bias, active: wiring.active))
  }

  /// What is to be said about its pin.
  var warnings: [String] {
    guard let bcm = line.bcm else { return ["\(role) on \(line): no GPIO by its name, so look up where it is"] }
    guard let pin else { return ["\(role) on \(line): the header has no such GPIO"] }
    let place = "\(role) on GPIO\(bcm) (pin \(pin.number)): "
    return [HeaderUse(bcm: bcm).map { $0.warning(bcm: bcm) }, levelWarning(bcm: bcm)].compactMap {
      $0.map { place + $0 }
    }
  }

  /// An output is on while the box starts if the chip's own pull is its active level; a button is down for ever if the
  /// board's own resistor is stronger than what is to hold it up.
  private func levelWarning(bcm: Int) -> String? {
    if !isOutput, active == .high, bias != .pullUp, HeaderUse(bcm: bcm) == .i2c {
      return "the 1.8 kΩ to 3.3 V on the board are stronger than what is to pull it down, so it reads pressed for ever"
    }
    guard isOutput, active == HeaderUse.levelAfterReset(bcm: bcm) else { return nil }
    switch active {
    case .high: return "pulled up until the program takes it, so it may be on while the box starts"
    case .low:
      return
        "pulled down until the program takes it, so it may be on while the box starts, unless 3.3 kΩ to 3.3 V hold it"
    }
  }
}

extension WiringReport {
  fileprivate static func part(of output: Output, active: Polarity) -> String {
    switch (Output.sounding.contains(output), active) {
    case (false, .high): "LED with 470 Ω, to ground"
    case (false, .low): "LED with 470 Ω, to 3.3 V"
    case (true, .high): "active buzzer, behind an NPN transistor"
    case (true, .low): "buzzer module that sounds at a low level, on 3.3 V"
    }
  }

  fileprivate static func part(bias: Bias, active: Polarity) -> String {
    switch (bias, active) {
    case (.pullUp, .low): "button to ground"
    case (.pullUp, .high): "switch to ground that opens when pressed"
    case (.pullDown, .high): "button to 3.3 V"
    case (.pullDown, .low): "switch to 3.3 V that opens when pressed"
    case (.disabled, .low): "button to ground, 10 kΩ to 3.3 V"
    case (.disabled, .high): "button to 3.3 V, 10 kΩ to ground"
    }
  }
}

extension HeaderUse {
  /// What there is to know before it is used for something else.
  fileprivate func warning(bcm: Int) -> String {
    switch self {
    case .eeprom: "a HAT's memory is read through it; leave it free"
    case .i2c:
      "I²C, with 1.8 kΩ to 3.3 V on the board; free only while I²C is off, and without a sound card that is set by it"
    case .spi: "SPI; free only while SPI is off"
    case .serial: "the serial port; free only while that and its console are off"
    case .pwm: "PWM; free unless an overlay takes it, such as pwm, or audremap for the sound of the audio jack"
    case .i2s where bcm < 20:
      "I²S; free only without a sound card on the header, and unless an overlay takes it for PWM"
    case .i2s: "I²S; free only without a sound card on the header"
    }
  }
}

/// A report of the wiring as it is printed.
struct WiringTable {
  private let report: WiringReport

  init(_ report: WiringReport) { self.report = report }

  func write(asJSON: Bool) throws {
    try OutputFile.print(asJSON ? json : table)
  }

  // MARK: For people

  private static let header = ["", "line", "BCM", "pin", "ground", "active", "bias", "what hangs on it"]

  private var table: String {
    let cells = [WiringTable.header] + report.rows.map(cells)
    let widths = WiringTable.header.indices.map { column in cells.map { $0[column].count }.max()! }
    let lines = cells.map { row in
      let padded = row.enumerated().map { column, cell in
        let space = String(repeating: " ", count: widths[column] - cell.count)
        return (2...4).contains(column) ? space + cell : cell + space
      }
      return trimmed(padded.joined(separator: "  ")) + "\n"
    }
    return lines.joined() + WiringTable.supplies + warnings
  }

  private func cells(_ row: WiringReport.Row) -> [String] {
    let bcm = row.pin == nil ? "?" : row.line.bcm.map(String.init) ?? "?"
    let pins = [row.pin, row.pin?.nearestGround].map { $0.map { String($0.number) } ?? "?" }
    return [row.role, row.line.description, bcm] + pins + [row.active.rawValue, row.bias?.rawValue ?? "", row.part]
  }

  private func trimmed(_ line: String) -> String {
    String(line[..<(line.lastIndex { $0 != " " }.map { line.index(after: $0) } ?? line.startIndex)])
  }

  private static var supplies: String {
    let pins = { (kind: HeaderPin.Kind) in
      HeaderPin.all.filter { $0.kind == kind }.map { String($0.number) }.joined(separator: ", ")
    }
    return "\nground: pins \(pins(.ground)); 3.3 V: \(pins(.supply3V3)); 5 V, never to a GPIO: \(pins(.supply5V))\n"
  }

  private var warnings: String {
    report.warnings.isEmpty ? "" : "\n" + report.warnings.map { "warning: \($0)\n" }.joined()
  }

  // MARK: For programs

  private var json: String {
    let rows = report.rows.map(object).joined(separator: ",")
    let warnings = report.warnings.map(quoted).joined(separator: ",")
    return "{\"lines\":[\(rows)],\"warnings\":[\(warnings)]}\n"
  }

  private func object(_ row: WiringReport.Row) -> String {
    let number = { (value: Int?) in value.map(String.init) ?? "null" }
    let fields = [
      "\"role\":" + quoted(row.role), "\"kind\":" + quoted(row.isOutput ? "output" : "button"),
      "\"line\":" + WiringTable.line(row.line), "\"bcm\":" + number(row.pin == nil ? nil : row.line.bcm),
      "\"pin\":" + number(row.pin?.number), "\"ground\":" + number(row.pin?.nearestGround.number),
      "\"active\":" + quoted(row.active.rawValue), "\"bias\":" + (row.bias.map { quoted($0.rawValue) } ?? "null"),
      "\"part\":" + quoted(row.part),
    ]
    return "{\(fields.joined(separator: ","))}"
  }

  /// A name in quotes, an offset as a number.
  private static func line(_ line: LineID) -> String {
    switch line {
    case .name(let name): quoted(name)
    case .offset(let offset): String(offset)
    }
  }

  private func quoted(_ text: String) -> String { WiringTable.quoted(text) }

  private static func quoted(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      if scalar == "\"" || scalar == "\\" { return "\\\(scalar)" }
      guard scalar.value < 0x20 else { return String(scalar) }
      let digits = String(scalar.value, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
    return "\"\(escaped.joined())\""
  }
}
