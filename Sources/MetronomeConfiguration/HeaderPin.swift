import HardwareAbstraction

/// A pin of the 40-pin header of a Raspberry Pi.
///
/// Source: the header's description at pinout.xyz, alike on all models with 40 pins.
public struct HeaderPin: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    case supply3V3
    /// Never to a GPIO.
    case supply5V
    case ground
    /// With its BCM number.
    case gpio(Int)
  }

  /// 1 to 40. Odd numbers are in the inner row, even ones along the edge of the board.
  public let number: Int
  public let kind: Kind

  /// All of them, in order.
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

  private init(number: Int, kind: Kind) {
    self.number = number
    self.kind = kind
  }

  /// The pin of a GPIO; nil if the header has none of that number.
  ///
  /// - Parameter bcm: the number in `GPIO17`; on a Raspberry Pi the line's offset.
  public init?(bcm: Int) {
    guard let pin = HeaderPin.all.first(where: { $0.kind == .gpio(bcm) }) else { return nil }
    self = pin
  }

  /// The ground pin beside it; of two that are as near the one with the lower number.
  public var nearestGround: HeaderPin {
    let grounds = HeaderPin.all.filter { $0.kind == .ground }
    return grounds.min { distance(to: $0) < distance(to: $1) }!
  }

  /// The square of it, in steps from pin to pin.
  private func distance(to other: HeaderPin) -> Int {
    let along = (number - 1) / 2 - (other.number - 1) / 2
    let across = number % 2 - other.number % 2
    return along * along + across * across
  }
}

/// What a GPIO of the header is also for.
public enum HeaderUse: Hashable, Sendable, CaseIterable {
  /// The memory that tells which HAT is on the header.
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

  /// What the GPIO is for by default; nil if for nothing.
  public init?(bcm: Int) {
    guard let use = HeaderUse.allCases.first(where: { $0.lines.contains(bcm) }) else { return nil }
    self = use
  }

  /// The level at which the chip itself holds a GPIO from reset until something takes it: up to GPIO8 high, then low.
  /// The pull is of about 50 kΩ. Source: "BCM2711 ARM Peripherals", alternative functions of the GPIOs.
  public static func levelAfterReset(bcm: Int) -> Polarity { bcm <= 8 ? .high : .low }
}
