import MetronomeCore

/// At which voltage a line is active.
public enum Polarity: String, Hashable, Sendable, CaseIterable {
  case high
  case low
}

/// What holds an open button's line at its level.
public enum Bias: String, Hashable, Sendable, CaseIterable {
  case pullUp = "pull-up"
  case pullDown = "pull-down"
  /// A resistor outside.
  case disabled
}

/// Which chip the lines are on.
public enum ChipID: Hashable, Sendable {
  /// The header of the Raspberry Pi this runs on: the chip labelled `pinctrl-*` that has all the named lines.
  case auto
  /// A label (`pinctrl-rp1`), a name (`gpiochip0`) or a path (`/dev/gpiochip0`).
  case named(String)
}

/// How an output is wired.
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

/// How the box is wired: what hangs on which line. An output or a button without an entry is not there.
public struct Wiring: Hashable, Sendable {
  public var chip: ChipID
  public var outputs: [Output: OutputWiring]
  public var buttons: [Button: ButtonWiring]
  /// The devices beside the box. The first is origin 1.
  public var inputs: [InputRequest]

  public init(
    chip: ChipID, outputs: [Output: OutputWiring], buttons: [Button: ButtonWiring], inputs: [InputRequest] = []
  ) {
    self.chip = chip
    self.outputs = outputs
    self.buttons = buttons
    self.inputs = inputs
  }

  /// The pins of a Raspberry Pi that clash with nothing: no bus, no sound card, no output that is pulled up after reset.
  /// They stand in wiring/pins.yaml, too, with what hangs on them.
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

/// Which line of a chip: by the name the kernel gives it, or by its offset.
public enum LineID: Hashable, Sendable {
  /// As `GPIO17`. A name is looked up on the chip, so a wrong chip is noticed.
  case name(String)
  /// Counted from 0; on a Raspberry Pi the BCM number.
  case offset(Int)
}

extension LineID: CustomStringConvertible {
  public var description: String {
    switch self {
    case .name(let name): name
    case .offset(let offset): "line \(offset)"
    }
  }
}

extension LineID {
  /// The number of the GPIO on a Raspberry Pi: 17 of `GPIO17` and of the offset 17, 0 of `ID_SDA`. nil for other names.
  public var bcm: Int? {
    switch self {
    case .offset(let offset): offset
    case .name("ID_SDA"): 0
    case .name("ID_SCL"): 1
    case .name(let name): LineID.number(in: name)
    }
  }

  private static func number(in name: String) -> Int? {
    guard name.hasPrefix("GPIO"), let number = UInt16(name.dropFirst(4)) else { return nil }
    // Neither signs nor zeros in front: no kernel writes them.
    return name == "GPIO\(number)" ? Int(number) : nil
  }
}
