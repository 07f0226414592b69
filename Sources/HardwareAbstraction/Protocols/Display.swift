import MetronomeCore

/// A display of four characters. Not for a real-time thread.
public protocol CharacterDisplay: AnyObject {
  /// Whether a display is configured. Any thread.
  var isConfigured: Bool { get }

  /// Sends a text to the display, which shows it until the next one. Takes milliseconds, on an I²C bus 0.1 s, and seconds if the bus
  /// hangs. One thread at a time.
  ///
  /// Throws a `HardwareError` with operation `writeDisplay` if the display does not answer, or its lines cannot be requested or
  /// are stuck. The text may have been sent despite the error; the next call tries again.
  func show(_ text: DisplayText) throws(HardwareError)

  /// Switches the display off and releases its lines. Errors are ignored, and later texts, too. Control thread, at the end.
  func release()
}

/// How a display is wired: a TM1637 with four digits on two open-drain lines of the GPIO chip, or an SSD1306 with 128 × 64 pixels on an
/// I²C bus.
public struct DisplayWiring: Hashable, Sendable {
  /// The range of ``brightness``: 1 is the lowest, 8 the highest.
  public static let brightnesses = 1...8

  /// The address of an SSD1306, which a solder bridge selects.
  public enum Address: String, Hashable, Sendable, CaseIterable {
    case first = "0x3C"
    case second = "0x3D"
  }

  /// Both lines of a TM1637, or none.
  public var clock: LineID?
  public var data: LineID?
  /// The device of the I²C bus, such as `/dev/i2c-1`; nil: the display is not an SSD1306.
  public var bus: String?
  public var address = Address.first
  /// Within ``brightnesses``.
  public var brightness: Int

  public init(clock: LineID? = nil, data: LineID? = nil, brightness: Int = 4) {
    (self.clock, self.data, self.brightness) = (clock, data, brightness)
  }

  /// Whether there is a display.
  public var isPresent: Bool { clock != nil && data != nil || bus != nil }
}
