import MetronomeCore

/// The level at which a line is active.
public enum Polarity: String, Hashable, Sendable, CaseIterable {
  case high, low
}

/// The pull that holds the line's level while the button is open.
public enum Bias: String, Hashable, Sendable, CaseIterable {
  case pullUp = "pull-up"
  case pullDown = "pull-down"
  /// An external resistor.
  case disabled
}

/// The chip of the lines.
public enum ChipID: Hashable, Sendable {
  /// The header of this Raspberry Pi: the chip labelled `pinctrl-*` that has all the named lines.
  case auto
  /// A label (`pinctrl-rp1`), a name (`gpiochip0`) or a path (`/dev/gpiochip0`).
  case named(String)
}

public struct OutputWiring: Hashable, Sendable {
  public var line: LineID
  public var active: Polarity

  public init(line: LineID, active: Polarity = .high) {
    self.line = line
    self.active = active
  }
}

/// How a button is wired. Pressed means active.
public struct ButtonWiring: Hashable, Sendable {
  public var line: LineID
  public var active: Polarity
  public var bias: Bias

  public init(line: LineID, active: Polarity = .low, bias: Bias = .pullUp) {
    self.line = line
    self.active = active
    self.bias = bias
  }
}

/// The names of a box's outputs on lines and of its buttons: the standard ones, and those that a configuration adds.
public struct BoxNames: Hashable, Sendable {
  /// The names of the outputs on lines, in the order of their places.
  public private(set) var outputNames: [String]
  /// The names of the buttons, in the order of their places.
  public private(set) var buttonNames: [String]

  /// Light, pendulum and buzzer, and the standard buttons.
  public static let standard = BoxNames(outputs: ["light", "pendulum", "buzzer"])

  /// - Precondition: at most ``Output/room`` outputs and `Button.room` buttons, each name once.
  public init(outputs: [String] = standard.outputNames, buttons: [String] = Button.standardNames) {
    precondition(outputs.count <= Output.room, "there is room for sixteen outputs")
    precondition(buttons.count <= Button.room, "there is room for sixteen buttons")
    (outputNames, buttonNames) = (outputs, buttons)
  }

  /// The outputs on lines that have a name.
  public var outputs: OutputSet { OutputSet(outputNames.indices.lazy.map { Output(index: $0) }) }

  /// The buttons that have a name, in the order of their places.
  public var buttons: [Button] { buttonNames.indices.map { Button(index: $0) } }

  /// nil for a name that no output on a line has.
  public func output(named name: String) -> Output? { outputNames.firstIndex(of: name).map { Output(index: $0) } }

  /// nil for a name that no button has.
  public func button(named name: String) -> Button? { buttonNames.firstIndex(of: name).map { Button(index: $0) } }

  /// Adds an output after the others, if there is room.
  package mutating func append(output name: String) { if outputNames.count < Output.room { outputNames.append(name) } }

  /// Adds a button after the others, if there is room.
  package mutating func append(button name: String) { if buttonNames.count < Button.room { buttonNames.append(name) } }

  public subscript(output: Output) -> String {
    if output == .audio { return "audio" }
    if output == .secondAudio { return "audio.second" }
    return output.index < outputNames.count ? outputNames[output.index] : "output_\(output.index)"
  }

  public subscript(button: Button) -> String {
    button.index < buttonNames.count ? buttonNames[button.index] : "button_\(button.index)"
  }

  /// The name of an output for its main line; the other lines of the light are `green` and `blue`.
  public subscript(line: OutputLine) -> String {
    switch line.part {
    case .main: self[line.output]
    case .green: line.output == .light ? "green" : self[line.output] + ".green"
    case .blue: line.output == .light ? "blue" : self[line.output] + ".blue"
    }
  }
}

/// The wiring of the box: the lines of each output and button. An output or button without an entry is absent.
public struct Wiring: Hashable, Sendable {
  public var chip: ChipID
  /// The lines of the outputs; an RGB light has several.
  public var outputs: [OutputLine: OutputWiring]
  public var names = BoxNames.standard
  public var buttons: [Button: ButtonWiring]
  /// The external input devices. The first is origin 1.
  public var inputs: [InputRequest]
  /// The port that receives the MIDI clock to follow; nil: none.
  public var midiClock: MIDIDevice?
  /// The MIDI output ports, at most eight.
  public var midi: [MIDIOutputRequest] = []
  /// The display, if there is one.
  public var display = DisplayWiring()

  public init(
    chip: ChipID, outputs: [OutputLine: OutputWiring], buttons: [Button: ButtonWiring], inputs: [InputRequest] = []
  ) {
    self.chip = chip
    self.outputs = outputs
    self.buttons = buttons
    self.inputs = inputs
  }

  /// The lines of the outputs that are wired.
  public var outputLines: LineSet { LineSet(outputs.keys) }

  /// Pins of a Raspberry Pi without conflicts: not used by a bus or a sound card, and no output is pulled up after reset.
  /// wiring/pins.yaml also lists them, with the parts connected to them.
  public static let standard = Wiring(
    chip: .auto,
    outputs: [
      .light: OutputWiring(line: .name("GPIO17")),
      .pendulum: OutputWiring(line: .name("GPIO27")),
      .buzzer: OutputWiring(line: .name("GPIO22")),
    ],
    buttons: [
      .play: ButtonWiring(line: .name("GPIO5")),
      .slower: ButtonWiring(line: .name("GPIO6")),
      .faster: ButtonWiring(line: .name("GPIO16")),
      .numerator: ButtonWiring(line: .name("GPIO26")),
      .denominator: ButtonWiring(line: .name("GPIO25")),
      .tap: ButtonWiring(line: .name("GPIO24")),
    ])
}

/// A line of a chip: by its kernel name or its offset.
public enum LineID: Hashable, Sendable, CustomStringConvertible {
  /// Example: `GPIO17`. The name is looked up on the chip, so that a wrong chip is detected.
  case name(String)
  /// Counted from 0; on a Raspberry Pi the BCM number.
  case offset(Int)

  public var description: String {
    switch self {
    case .name(let name): name
    case .offset(let offset): "line \(offset)"
    }
  }
}

/// How a display is wired: a TM1637 with four digits on two open-drain lines of the GPIO chip, or a screen with an SSD1306 or SH1106 on an
/// I²C bus.
public struct DisplayWiring: Hashable, Sendable {
  /// The range of ``brightness``: 8 is the highest. On a screen 0 is nearly nothing; four digits have no lower one than 1.
  public static let brightnesses = 0...8

  /// The address of a screen, which a solder bridge selects.
  public enum Address: String, Hashable, Sendable, CaseIterable {
    case first = "0x3C"
    case second = "0x3D"
  }

  /// The chip of a screen on an I²C bus. They cannot be told apart by reading them.
  public enum Chip: String, Hashable, Sendable, CaseIterable {
    /// Most screens of 0.96 inches.
    case ssd1306
    /// Most screens of 1.3 inches. Its memory has 132 columns, of which 2 to 129 are visible.
    case sh1106
  }

  /// The pixels of a screen, in columns and rows.
  public enum Size: String, Hashable, Sendable, CaseIterable {
    case high = "128x64"
    case low = "128x32"
  }

  /// What a screen shows.
  public enum View: String, Hashable, Sendable, CaseIterable {
    /// The song, the bar, the section, the tempo and what comes next.
    case song
    /// Only the bar, or the tempo without a score, as large as the screen.
    case stage
  }

  /// Both lines of a TM1637, or none.
  public var clock: LineID?
  public var data: LineID?
  /// The device of the I²C bus, such as `/dev/i2c-1`; nil: the display is no screen.
  public var bus: String?
  public var chip = Chip.ssd1306
  public var address = Address.first
  public var size = Size.high
  public var view = View.song
  /// Within ``brightnesses``.
  public var brightness: Int

  public init(clock: LineID? = nil, data: LineID? = nil, brightness: Int = 4) {
    (self.clock, self.data, self.brightness) = (clock, data, brightness)
  }

  /// Whether there is a display.
  public var isPresent: Bool { clock != nil && data != nil || bus != nil }
}
