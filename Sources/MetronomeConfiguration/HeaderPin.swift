import HardwareAbstraction

/// A pin of the 40-pin header of a Raspberry Pi. Source: pinout.xyz. The header is the same on all models with 40 pins.
public struct HeaderPin: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    case supply3V3
    /// Must never be connected to a GPIO.
    case supply5V
    case ground
    /// A GPIO line with its BCM number.
    case gpio(Int)
  }

  /// 1 to 40. Odd numbers are in the inner row, even ones along the edge of the board.
  public let number: Int
  public let kind: Kind

  public static let all: [HeaderPin] = {
    let gpios = [
      3: 2, 5: 3, 7: 4, 8: 14, 10: 15, 11: 17, 12: 18, 13: 27, 15: 22, 16: 23, 18: 24, 19: 10, 21: 9, 22: 25, 23: 11,
      24: 8, 26: 7, 27: 0, 28: 1, 29: 5, 31: 6, 32: 12, 33: 13, 35: 19, 36: 16, 37: 26, 38: 20, 40: 21,
    ]
    let supplies: [Int: Kind] = [1: .supply3V3, 17: .supply3V3, 2: .supply5V, 4: .supply5V]
    return (1...40).map { number in
      HeaderPin(number: number, kind: gpios[number].map { .gpio($0) } ?? supplies[number] ?? .ground)
    }
  }()
}

extension HeaderPin {
  /// The pin of the GPIO with this number (17 in `GPIO17`); nil if the header has none.
  public init?(bcm: Int) {
    guard let pin = HeaderPin.all.first(where: { $0.kind == .gpio(bcm) }) else { return nil }
    self = pin
  }

  /// What to write instead of a line such as `GPIO 17`, `GPI05` or `pin 29`; nil if the text may be the name of a line. The name of
  /// a line that has a space must be in quotes.
  static func remedy(forLine text: String) -> String? {
    let word = text.lowercased()
    let isPin = word.hasPrefix("pin ")
    guard isPin || word.hasPrefix("gpi0") || (word.hasPrefix("gpio") && word.contains(" ")) else { return nil }
    let digits = word.dropFirst(4).drop { $0 == " " }.prefix { ("0"..."9").contains($0) }
    guard let number = Int(digits) else { return nil }
    guard isPin else { return HeaderPin(bcm: number) == nil ? nil : "write GPIO\(number)" }
    guard let pin = all.first(where: { $0.number == number }) else { return "the header has the pins 1 to 40" }
    guard case .gpio(let bcm) = pin.kind else { return "pin \(number) is not a GPIO: it is a supply or ground" }
    return "write GPIO\(bcm), which is pin \(number)"
  }

  /// The nearest ground pin; of two at the same distance, the one with the lower number.
  public var nearestGround: HeaderPin {
    let grounds = HeaderPin.all.filter { $0.kind == .ground }
    return grounds.min { distance(to: $0) < distance(to: $1) }!
  }

  /// The squared distance, in pin pitches.
  private func distance(to other: HeaderPin) -> Int {
    let along = (number - 1) / 2 - (other.number - 1) / 2
    let across = number % 2 - other.number % 2
    return along * along + across * across
  }
}

/// Another function of a GPIO of the header.
public enum HeaderUse: Hashable, Sendable, CaseIterable {
  /// The EEPROM that identifies the HAT on the header.
  case eeprom
  case i2c
  case spi
  case serial
  case pwm
  /// Sound cards on the header.
  case i2s

  /// By BCM numbers.
  public var lines: ClosedRange<Int> {
    switch self {
    case .eeprom: 0...1
    case .i2c: 2...3
    case .spi: 7...11
    case .serial: 14...15
    case .pwm: 12...13
    case .i2s: 18...21
    }
  }

  /// The other function of a GPIO; nil if it has no other function.
  public init?(bcm: Int) {
    guard let use = HeaderUse.allCases.first(where: { $0.lines.contains(bcm) }) else { return nil }
    self = use
  }

  /// The level at which the chip's own pull resistor (about 50 kΩ) holds a GPIO from reset until a driver uses it: high up to
  /// GPIO8, low above. Source: "BCM2711 ARM Peripherals", alternative functions of the GPIOs.
  public static func levelAfterReset(bcm: Int) -> Polarity { bcm <= 8 ? .high : .low }
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
    // A sign or leading zeros are not accepted, because no kernel writes them.
    return name == "GPIO\(number)" ? Int(number) : nil
  }
}
