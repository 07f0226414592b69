import HardwareAbstraction
import MetronomeCore

// The sections of an RGB light and of a display, and what must hold within each.

extension Key {
  /// The other lines of the light, and the colors. Read after the outputs, because the lines are active like the light's.
  static let rgb = Key(
    path: "rgb",
    meaning:
      "RGB lights show levels as colors. The light is one if it has a green and a blue line here: outputs.light is its red line. A color "
      + "needs its lines.",
    layout: .line, turn: .last, check: Configuration.checkColors)

  static func colorLine(_ line: OutputLine) -> Key {
    let name = BoxNames.standard[line]
    return Key(
      "rgb.\(name)", get: { $0.wiring.outputs[line]?.line },
      set: { configuration, id in
        let active = configuration.wiring.outputs[.light]?.active ?? .high
        configuration.wiring.outputs[line] = id.map { OutputWiring(line: $0, active: active) }
      }, .line, "the GPIO line of the \(name) light, active like outputs.light")
  }

  /// The line of an output, or three of an RGB light. Those of `light` have keys in ``rgb``, too, and are written there.
  static func lines(of output: Output) -> Key {
    let parts: [OutputLine.Part] = [.main, .green, .blue]
    let line = Form<LineID?>.line
    let list = "the red, green and blue line of an RGB light, such as [GPIO5, GPIO6, GPIO13]"
    var key = Key(
      path: "line", meaning: "the GPIO line that the output is connected to", form: "\(line.words); or \(list)",
      turn: .first)
    key.access = Key.Access(
      read: { (field, reader) throws(Problem) in
        var lines = [field]
        if case .list = field.value.content {
          lines = try field.list(list)
          guard lines.count == parts.count else {
            throw Problem(
              "\(field.path): only three lines are a list", remedy: "write \(list)", at: field.value.position)
          }
        }
        for (part, field) in zip(parts, lines) {
          let wire = try field.read(line).map { OutputWiring(line: $0) }
          reader.configuration.wiring.outputs[OutputLine(output, part)] = wire
          reader.positions[Key.position(of: OutputLine(output, part), at: field.path)] = field.value.position
        }
      },
      text: { configuration in
        let texts = parts.map { line.text(configuration.wiring.outputs[OutputLine(output, $0)]?.line) ?? "none" }
        let isList = output != .light && configuration.coloredOutputs.contains(output)
        return isList ? "[\(texts.joined(separator: ", "))]" : texts[0]
      },
      isSame: { a, b in
        parts.map { OutputLine(output, $0) }.allSatisfy { a.wiring.outputs[$0]?.line == b.wiring.outputs[$0]?.line }
      })
    return key
  }

  /// Where the reader keeps the position of a line, whose output's line is at `path`.
  static func position(of line: OutputLine, at path: String) -> String {
    switch (line.part, line.output) {
    case (.main, _): path
    case (_, .light): "rgb.\(line.part)"
    default: "\(path).\(line.part)"
    }
  }

  /// Its lines are read before the check.
  static let display = Key(
    path: "display",
    meaning:
      "A display of four digits with a TM1637 chip (clock and data), or a small screen with an SSD1306 or SH1106 chip (i2c, chip, "
      + "address, size and view). Four digits show the tempo, what was changed last, and faults; a screen also shows the song.",
    layout: .line, turn: .last, check: Configuration.checkDisplay)
}

extension Configuration {
  /// Throws for a color with a line that is missing.
  @Sendable static func checkColors(_ field: Field, _ configuration: Configuration) throws(Problem) {
    let outputs = configuration.wiring.outputs
    guard outputs[.green] != nil || outputs[.blue] != nil else { return }
    for level in Level.sounding {
      let color = configuration.colors[level]
      for line in color.parts.lines(of: .light) where outputs[line] == nil {
        let key = line == .light ? "outputs.light.line" : "rgb.\(line.part)"
        throw Problem(
          "rgb.\(level.rawValue) is \(color.rawValue), and \(key) is none",
          remedy: "set \(key) to a GPIO line, or rgb.\(level.rawValue) to another color", at: field.position)
      }
    }
  }

  /// Throws for a display with only one line, of both kinds, or with what only a screen has but no bus.
  @Sendable static func checkDisplay(_ field: Field, _ configuration: Configuration) throws(Problem) {
    let display = configuration.wiring.display
    if display.bus != nil, let line = display.clock == nil ? (display.data == nil ? nil : "data") : "clock" {
      throw Problem(
        "display.i2c and display.\(line) are both set", remedy: "remove one of them: there is one display",
        at: field.position)
    }
    if display.bus == nil, let (key, value) = display.screenSetting {
      throw Problem(
        "display.\(key) is \(value), but there is no screen: display.i2c is none",
        remedy: "set display.i2c to the bus of the screen, such as /dev/i2c-1, or remove display.\(key)",
        at: field.position)
    }
    guard (display.clock == nil) != (display.data == nil) else { return }
    let (present, missing) = display.data == nil ? ("clock", "data") : ("data", "clock")
    throw Problem(
      "display.\(present) is set, and display.\(missing) is none",
      remedy: "set display.\(missing) to a GPIO line, or remove display.\(present)", at: field.position)
  }
}

extension DisplayWiring {
  /// A setting that only a screen has, and that is not the default.
  fileprivate var screenSetting: (key: String, value: String)? {
    if chip != .ssd1306 { return ("chip", chip.rawValue) }
    if size != .high { return ("size", size.rawValue) }
    return view == .song ? nil : ("view", view.rawValue)
  }
}
