import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore

/// The parts on the pins of the header and the other devices, with warnings.
struct WiringReport {
  struct Row {
    enum Kind: String { case output, button, display, midi }

    var kind: Kind
    var role: String
    var line: LineID
    /// nil for a display and a serial port.
    var active: Polarity?
    /// nil except for a button.
    var bias: Bias?
    var part: String

    /// nil if the line is not on the header.
    var pin: HeaderPin? { line.bcm.flatMap(HeaderPin.init(bcm:)) }
  }

  /// A device outside the header: a USB pedal, a MIDI port.
  struct Device: Encodable {
    var name: String
    /// `clock out`, `clock in`, or what its keys and dials do.
    var uses: [String]
  }

  private(set) var rows: [Row]
  private(set) var devices: [Device]
  private(set) var warnings: [String]

  /// Outputs first, then buttons, each in declaration order, then the display and the serial port.
  /// `heard`: the outputs that are buzzers, not lights.
  init(_ wiring: Wiring, heard: OutputSet) {
    let outputs = wiring.outputLines.compactMap { output in
      wiring.outputs[output].map {
        // What an output of one's own is, the configuration does not say.
        let part =
          output.output.index < BoxNames.standard.outputNames.count
          ? WiringReport.part(isHeard: heard.contains(output.output), active: $0.active)
          : "an output of your own, \($0.active == .high ? "on while the line is high" : "on while the line is low")"
        return Row(kind: .output, role: wiring.names[output], line: $0.line, active: $0.active, bias: nil, part: part)
      }
    }
    let buttons = wiring.names.buttons.compactMap { button in
      wiring.buttons[button].map {
        let part = WiringReport.part(bias: $0.bias, active: $0.active)
        return Row(
          kind: .button, role: wiring.names[button], line: $0.line, active: $0.active, bias: $0.bias, part: part)
      }
    }
    let serial = WiringReport.serialRows(wiring)
    rows = outputs + buttons + WiringReport.displayRows(wiring.display) + serial
    devices = WiringReport.devices(wiring)
    if let bus = wiring.display.bus {
      devices.append(
        Device(
          name: bus,
          uses: [
            "display at \(wiring.display.address.rawValue): \(wiring.display.chip.rawValue.uppercased()), on 3.3 V"
          ]))
    }
    warnings = rows.flatMap { $0.warnings(serial) }
    // Only a `pinctrl-*` chip is known to be the header.
    if case .named(let name) = wiring.chip, !name.hasPrefix("pinctrl-") {
      warnings.insert("chip \(name): the pins are correct only if this is the chip of a Raspberry Pi's header", at: 0)
    }
  }
}

extension WiringReport.Row {
  /// `serial`: the rows of the serial port.
  func warnings(_ serial: [WiringReport.Row]) -> [String] {
    guard kind != .midi else { return [] }
    guard let bcm = line.bcm else { return ["\(role) on \(line): its name contains no GPIO number; look up its pin"] }
    guard let pin else { return ["\(role) on \(line): the header has no such GPIO"] }
    let place = "\(role) on GPIO\(bcm) (pin \(pin.number)): "
    let other = serial.first { $0.line.bcm == bcm }.map { "used by \($0.role); connect the \(kind.rawValue) elsewhere" }
    return [other ?? HeaderUse(bcm: bcm)?.warning(bcm: bcm), levelWarning(bcm: bcm)].compactMap(\.self).map {
      place + $0
    }
  }

  /// An output is on during boot if the chip's default pull is its active level. A button always reads pressed if a resistor on
  /// the board is stronger than its own pull.
  private func levelWarning(bcm: Int) -> String? {
    if kind == .button, active == .high, bias != .pullUp, HeaderUse(bcm: bcm) == .i2c {
      return "the board's 1.8 kΩ resistor to 3.3 V is stronger than the pull-down, so the button always reads pressed"
    }
    guard kind == .output, let active, active == HeaderUse.levelAfterReset(bcm: bcm) else { return nil }
    switch active {
    case .high: return "the line is pulled up until requested, so the output may be on during boot"
    case .low:
      return
        "the line is pulled down until requested, so the output may be on during boot, unless a 3.3 kΩ resistor to"
        + " 3.3 V keeps it off"
    }
  }
}

extension WiringReport {
  fileprivate static func displayRows(_ display: DisplayWiring) -> [Row] {
    guard let clock = display.clock, let data = display.data else { return [] }
    return [("display.clock", clock, "CLK"), ("display.data", data, "DIO")].map { role, line, contact in
      Row(
        kind: .display, role: role, line: line, active: nil, bias: nil, part: "\(contact) of a TM1637 module, on 3.3 V")
    }
  }

  fileprivate static func part(isHeard: Bool, active: Polarity) -> String {
    switch (isHeard, active) {
    case (false, .high): "LED with 470 Ω, to ground"
    case (false, .low): "LED with 470 Ω, to 3.3 V"
    case (true, .high): "active buzzer, driven by an NPN transistor"
    case (true, .low): "active-low buzzer module, on 3.3 V"
    }
  }

  fileprivate static func part(bias: Bias, active: Polarity) -> String {
    switch (bias, active) {
    case (.pullUp, .low): "button to ground"
    case (.pullUp, .high): "normally closed switch to ground"
    case (.pullDown, .high): "button to 3.3 V"
    case (.pullDown, .low): "normally closed switch to 3.3 V"
    case (.disabled, .low): "button to ground, 10 kΩ to 3.3 V"
    case (.disabled, .high): "button to 3.3 V, 10 kΩ to ground"
    }
  }
}

extension WiringReport {
  /// The pins of the serial port, if MIDI uses it. Assumes that `ttyAMA0` is on the header, which on
  /// models with Bluetooth needs dtoverlay=disable-bt.
  fileprivate static func serialRows(_ wiring: Wiring) -> [Row] {
    let port = MIDIDevice.serial("/dev/ttyAMA0")
    let controllers = wiring.inputs.map(\.device)
    var rows: [Row] = []
    if wiring.midi.contains(where: { $0.device == port }) {
      let part = "MIDI OUT: PNP transistor, 33 Ω and 10 Ω, jack"
      rows.append(Row(kind: .midi, role: "midi out", line: .name("GPIO14"), active: nil, bias: nil, part: part))
    }
    if wiring.midiClock == port || controllers.contains(.midi(port)) {
      let part = "MIDI IN: jack, optocoupler"
      rows.append(Row(kind: .midi, role: "midi in", line: .name("GPIO15"), active: nil, bias: nil, part: part))
    }
    return rows
  }

  fileprivate static func devices(_ wiring: Wiring) -> [Device] {
    var devices = wiring.midi.map {
      Device(name: $0.device.name, uses: ($0.sendsClock ? ["clock out"] : []) + ($0.notes == nil ? [] : ["notes out"]))
    }
    if let clock = wiring.midiClock { devices.append(Device(name: clock.name, uses: ["clock in"])) }
    for input in wiring.inputs {
      let name =
        switch input.device {
        case .named(let name), .path(let name): name
        case .midi(let device): device.name
        }
      let keys = input.keys.sorted { $0.key.number < $1.key.number }
        .map { "\($0.key.label): \(wiring.names[$0.value])" }
      let dials = input.relative.sorted { $0.key.number < $1.key.number }
        .map { "\($0.key.label): \($0.value.rawValue)" }
      let programs = input.recallsPrograms ? ["program changes: presets"] : []
      devices.append(Device(name: name, uses: keys + dials + programs))
    }
    return devices
  }
}

extension KeyCode {
  fileprivate var label: String {
    let (note, controller) = (KeyCode.note(0).number, KeyCode.controller(0).number)
    return switch number {
    case note..<controller: "note \(number - note)"
    case controller...: "controller \(number - controller)"
    default: name
    }
  }
}

extension AxisCode {
  fileprivate var label: String {
    let controller = AxisCode.controller(0).number
    return number >= controller ? "controller \(number - controller)" : name
  }
}

extension HeaderUse {
  fileprivate func warning(bcm: Int) -> String {
    switch self {
    case .eeprom: "used to read the memory of a HAT; leave it free"
    case .i2c:
      "I²C, with 1.8 kΩ to 3.3 V on the board; free only if I²C is off and no sound card is controlled by it"
    case .spi: "SPI; free only if SPI is off"
    case .serial: "serial port; free only if the port and its console are off"
    case .pwm: "PWM; free unless an overlay uses it, such as pwm, or audremap for the audio jack"
    case .i2s where bcm < 20:
      "I²S; free only if no sound card is on the header and no overlay uses it for PWM"
    case .i2s: "I²S; free only if no sound card is on the header"
    }
  }
}

extension WiringReport {
  private static let header = ["", "line", "BCM", "pin", "ground", "active", "bias", "part"]

  var table: String {
    let cells = [WiringReport.header] + rows.map(cells)
    let widths = WiringReport.header.indices.map { column in cells.map { $0[column].count }.max()! }
    let lines = cells.map { row in
      let padded = row.enumerated().map { column, cell in
        let space = String(repeating: " ", count: widths[column] - cell.count)
        return (2...4).contains(column) ? space + cell : cell + space
      }
      return trimmed(padded.joined(separator: "  ")) + "\n"
    }
    let others = devices.map { "\($0.name): \($0.uses.joined(separator: ", "))\n" }.joined()
    return lines.joined() + WiringReport.supplies + (others.isEmpty ? "" : "\nother devices:\n" + others)
      + (warnings.isEmpty ? "" : "\n")
      + warnings.map { "warning: \($0)\n" }.joined()
  }

  private func cells(_ row: Row) -> [String] {
    let bcm = row.pin == nil ? "?" : row.line.bcm.map(String.init) ?? "?"
    let pins = [row.pin, row.pin?.nearestGround].map { $0.map { String($0.number) } ?? "?" }
    return [row.role, row.line.description, bcm] + pins + [
      row.active?.rawValue ?? "", row.bias?.rawValue ?? "", row.part,
    ]
  }

  private func trimmed(_ line: String) -> String {
    String(line[..<(line.lastIndex { $0 != " " }.map { line.index(after: $0) } ?? line.startIndex)])
  }

  private static var supplies: String {
    let pins = { (kind: HeaderPin.Kind) in
      HeaderPin.all.filter { $0.kind == kind }.map { String($0.number) }.joined(separator: ", ")
    }
    return "\nground: pins \(pins(.ground)); 3.3 V: \(pins(.supply3V3)); "
      + "5 V (never connect to a GPIO): \(pins(.supply5V))\n"
  }
}

/// The JSON output. A line that is not on the header is null, and so is a missing bias.
extension WiringReport: Encodable {
  private enum CodingKeys: String, CodingKey {
    case rows = "lines"
    case devices, warnings
  }
}

extension WiringReport.Row: Encodable {
  private enum Key: CodingKey { case role, kind, line, bcm, pin, ground, active, bias, part }

  func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Key.self)
    try object.encode(role, forKey: .role)
    try object.encode(kind.rawValue, forKey: .kind)
    switch line {
    case .name(let name): try object.encode(name, forKey: .line)
    case .offset(let offset): try object.encode(offset, forKey: .line)
    }
    try object.encode(pin == nil ? nil : line.bcm, forKey: .bcm)
    try object.encode(pin?.number, forKey: .pin)
    try object.encode(pin?.nearestGround.number, forKey: .ground)
    try object.encode(active?.rawValue, forKey: .active)
    try object.encode(bias?.rawValue, forKey: .bias)
    try object.encode(part, forKey: .part)
  }
}
