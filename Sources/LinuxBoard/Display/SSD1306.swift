import CLibrary
import CLinux
import HardwareAbstraction
import MetronomeCore

/// The bus of an SSD1306.
package protocol SSD1306Bus {
  /// Writes a control byte and up to ``SSD1306Picture/blockSize`` bytes in one transfer. Throws a `HardwareError` with operation
  /// `writeDisplay`.
  func write(_ control: SSD1306Control, _ bytes: ArraySlice<UInt8>) throws(HardwareError)
}

/// The control byte, which follows the address. It says what the next bytes are. Source: Solomon Systech, SSD1306, revision 1.5, 8.1.5.2.
package enum SSD1306Control: UInt8 {
  case commands = 0x00
  case data = 0x40
}

/// A picture of 128 × 64 pixels. A byte is a column of eight pixels, the lowest bit on top; 128 bytes are a page, and the first page is
/// the top one.
package struct SSD1306Picture: Equatable {
  package static let width = 128
  package static let pages = 8
  /// The most bytes in a transfer: the limit of the kernel's SMBus interface, which the I²C controllers of all Raspberry Pis support.
  package static let blockSize = 32

  package private(set) var bytes = [UInt8](repeating: 0, count: width * pages)

  /// The text in digits that fill the picture, drawn from the same segments as on a display with seven of them.
  package init(_ text: DisplayText) {
    let left = [2, 34, 68, 100]
    for place in 0..<4 {
      for (segment, area) in SSD1306Picture.areas.enumerated() where text.segments(at: place) >> UInt8(segment) & 1 == 1
      {
        fill(left[place] + area.x, area.y, area.width, area.height)
      }
    }
    guard text.hasColon else { return }
    fill(62, 19, 4, 4)
    fill(62, 40, 4, 4)
  }

  /// The segments a to g of a digit of 26 × 60 pixels.
  private static let areas: [(x: Int, y: Int, width: Int, height: Int)] = [
    (3, 2, 20, 5), (21, 4, 5, 27), (21, 32, 5, 28), (3, 57, 20, 5), (0, 32, 5, 28), (0, 4, 5, 27), (3, 29, 20, 5),
  ]

  private mutating func fill(_ x: Int, _ y: Int, _ width: Int, _ height: Int) {
    for row in y..<y + height {
      for column in x..<x + width { bytes[row / 8 * SSD1306Picture.width + column] |= 1 << UInt8(row % 8) }
    }
  }
}

/// Sends pictures to an SSD1306 or SH1106. Only the blocks that changed are sent: a whole picture takes 0.12 s at 100 kHz.
package struct SSD1306Protocol<Bus: SSD1306Bus> {
  private let bus: Bus
  private let chip: DisplayWiring.Chip
  /// What the display shows; nil: unknown.
  private var shown: SSD1306Picture?

  package init(_ bus: Bus, _ chip: DisplayWiring.Chip = .ssd1306) { (self.bus, self.chip) = (bus, chip) }

  /// The first visible column.
  private var margin: Int { chip == .sh1106 ? 2 : 0 }

  /// Sets the chip up, as in the data sheet's application note, with page addressing, and with the connector at the top edge of the
  /// picture. An SH1106 has only page addressing, and switches its charge pump on by another command (Sino Wealth, SH1106, revision 2.2,
  /// command 13). A chip that is on stays on; after its power-up it is off until the first picture. Throws the bus's errors, like the other
  /// calls.
  package func setUp() throws(HardwareError) {
    let own: [UInt8] = chip == .sh1106 ? [0xAD, 0x8B] : [0x8D, 0x14, 0x20, 0x02]
    let commands: [UInt8] =
      [0xD5, 0x80, 0xA8, 0x3F, 0xD3, 0x00, 0x40] + own + [0xA1, 0xC8, 0xDA, 0x12, 0xD9, 0xF1, 0xDB, 0x40, 0xA4, 0xA6]
    try bus.write(.commands, commands[...])
  }

  /// - Parameter brightness: 1 to 8.
  package mutating func show(_ text: DisplayText, brightness: Int) throws(HardwareError) {
    let picture = SSD1306Picture(text)
    let old = shown
    // If a transfer fails, it is unknown what the display shows.
    shown = nil
    for start in stride(from: 0, to: picture.bytes.count, by: SSD1306Picture.blockSize) {
      let block = picture.bytes[start..<start + SSD1306Picture.blockSize]
      if let old, old.bytes[start..<start + SSD1306Picture.blockSize] == block { continue }
      let (page, place) = start.quotientAndRemainder(dividingBy: SSD1306Picture.width)
      let column = place + margin
      try bus.write(.commands, [0xB0 | UInt8(page), UInt8(column & 0xF), 0x10 | UInt8(column >> 4)])
      try bus.write(.data, block)
    }
    try bus.write(.commands, [0x81, UInt8(brightness * 32 - 1), 0xAF])
    shown = picture
  }

  package func switchOff() throws(HardwareError) { try bus.write(.commands, [0xAE]) }
}

/// An SSD1306 on an I²C bus, such as `/dev/i2c-1`.
final class SSD1306: DisplayDriver {
  private let bus: I2CBus
  private var chip: SSD1306Protocol<I2CBus>

  init(_ path: String, _ chip: DisplayWiring.Chip, address: DisplayWiring.Address) throws(HardwareError) {
    bus = try I2CBus(path, address: address)
    self.chip = SSD1306Protocol(bus, chip)
    do throws(HardwareError) { try self.chip.setUp() } catch {
      bus.close()
      throw error
    }
  }

  func show(_ text: DisplayText, brightness: Int) throws(HardwareError) {
    try chip.show(text, brightness: brightness)
  }

  func switchOff() { try? chip.switchOff() }
  func close() { bus.close() }
}

private struct I2CBus: SSD1306Bus {
  private let descriptor: Int32
  private let name: String

  init(_ path: String, address: DisplayWiring.Address) throws(HardwareError) {
    name = "\(path), address \(address.rawValue)"
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else {
      let errno = errno
      let cure =
        switch errno {
        case ENOENT, ENXIO, ENODEV: "; switch I²C on: sudo raspi-config nonint do_i2c 0"
        case EACCES: "; add the user to the group i2c"
        case EPERM:
          "; the service was started before the kernel had I²C: sudo modprobe i2c-dev && sudo systemctl restart metronome"
        default: ""
        }
      throw HardwareError(
        .writeDisplay, errno: errno, detail: "\(path) cannot be opened (\(reason(errno)))\(cure)")
    }
    let result = clinux_i2c_select(descriptor, address.number)
    guard result >= 0 else {
      Glibc.close(descriptor)
      throw HardwareError(
        .writeDisplay, errno: -result, detail: "\(name) cannot be used (\(reason(-result)))")
    }
    self.descriptor = descriptor
  }

  func write(_ control: SSD1306Control, _ bytes: ArraySlice<UInt8>) throws(HardwareError) {
    let result = bytes.withUnsafeBufferPointer {
      clinux_i2c_write(descriptor, control.rawValue, $0.baseAddress, UInt8($0.count))
    }
    guard result < 0 else { return }
    let text = reason(-result)
    throw HardwareError(
      .writeDisplay, errno: -result,
      detail: [ENXIO, EREMOTEIO, ENODEV, EIO, ETIMEDOUT].contains(-result)
        ? "\(name) does not answer (\(text)): check its plug, and its address with i2cdetect"
        : "\(name) cannot be written (\(text))")
  }

  func close() { Glibc.close(descriptor) }
}

extension DisplayWiring.Address {
  fileprivate var number: UInt16 {
    switch self {
    case .first: 0x3C
    case .second: 0x3D
    }
  }
}
