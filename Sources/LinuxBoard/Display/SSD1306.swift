import CLibrary
import CLinux
import HardwareAbstraction
import MetronomeCore

/// The bus of an SSD1306.
package protocol SSD1306Bus {
  /// Writes a control byte and up to ``ScreenPicture/blockSize`` bytes in one transfer. Throws a `HardwareError` with operation
  /// `writeDisplay`.
  func write(_ control: SSD1306Control, _ bytes: ArraySlice<UInt8>) throws(HardwareError)
}

/// The control byte, which follows the address. It says what the next bytes are. Source: Solomon Systech, SSD1306, revision 1.5, 8.1.5.2.
package enum SSD1306Control: UInt8 {
  case commands = 0x00
  case data = 0x40
}

/// Sends pictures to an SSD1306 or SH1106. Only the blocks that changed are sent: a whole picture takes 0.12 s at 100 kHz.
package struct SSD1306Protocol<Bus: SSD1306Bus> {
  private let bus: Bus
  private let wiring: DisplayWiring
  /// What the display shows; nil: unknown.
  private var shown: ScreenPicture?
  /// The block that is sent next although it has not changed.
  private var refreshed = 0

  package init(_ bus: Bus, _ wiring: DisplayWiring = DisplayWiring()) { (self.bus, self.wiring) = (bus, wiring) }

  /// The first visible column.
  private var margin: Int { wiring.chip == .sh1106 ? 2 : 0 }

  /// Sets the chip up, as in the data sheet's application note, with page addressing, and with the connector at the top edge of the
  /// picture. An SH1106 has only page addressing, and switches its charge pump on by another command (Sino Wealth, SH1106, revision 2.2,
  /// command 13). A chip that is on stays on; after its power-up it is off until the first picture. Throws the bus's errors, like the other
  /// calls.
  package func setUp() throws(HardwareError) {
    let pump: [UInt8] = wiring.chip == .sh1106 ? [0xAD, 0x8B] : [0x8D, 0x14, 0x20, 0x02]
    let (rows, pins): (UInt8, UInt8) = wiring.size == .high ? (0x3F, 0x12) : (0x1F, 0x02)
    let commands: [UInt8] =
      [0xD5, 0x80, 0xA8, rows, 0xD3, 0x00, 0x40] + pump + [0xA1, 0xC8, 0xDA, pins, 0xA4, 0xA6]
    try bus.write(.commands, commands[...])
  }

  /// Sends what has changed. If nothing has, it sends the setup again and one block, so that a chip that lost its picture without an error
  /// has it back within a minute, and an error is noticed.
  package mutating func show(_ page: ScreenPage) throws(HardwareError) {
    let picture = ScreenPicture(page, wiring)
    var blocks = picture.blocks(since: shown)
    // If a transfer fails, it is unknown what the display shows.
    shown = nil
    if blocks.isEmpty {
      try setUp()
      refreshed = (refreshed + ScreenPicture.blockSize) % picture.bytes.count
      blocks = [refreshed..<refreshed + ScreenPicture.blockSize]
    }
    for block in blocks {
      let (page, place) = block.lowerBound.quotientAndRemainder(dividingBy: ScreenPicture.width)
      let column = place + margin
      try bus.write(.commands, [0xB0 | UInt8(page), UInt8(column & 0xF), 0x10 | UInt8(column >> 4)])
      try bus.write(.data, picture.bytes[block])
    }
    try bus.write(.commands, brightness + [0xAF])
    shown = picture
  }

  /// The contrast; and the shortest precharge and the lowest deselect level for nearly nothing.
  private var brightness: ArraySlice<UInt8> {
    let level = wiring.brightness
    let (contrast, precharge, deselect): (Int, UInt8, UInt8) =
      level > 0 ? (level * 32 - 1, 0xF1, 0x40) : (0, 0x11, 0x00)
    return [0x81, UInt8(contrast), 0xD9, precharge, 0xDB, deselect]
  }

  package func switchOff() throws(HardwareError) { try bus.write(.commands, [0xAE]) }
}

/// An SSD1306 on an I²C bus, such as `/dev/i2c-1`.
final class SSD1306: DisplayDriver {
  private let bus: I2CBus
  private var chip: SSD1306Protocol<I2CBus>

  init(_ path: String, _ wiring: DisplayWiring) throws(HardwareError) {
    bus = try I2CBus(path, address: wiring.address)
    chip = SSD1306Protocol(bus, wiring)
    do throws(HardwareError) { try chip.setUp() } catch {
      bus.close()
      throw error
    }
  }

  func show(_ frame: DisplayFrame, _ wiring: DisplayWiring) throws(HardwareError) {
    if case .page(let page) = frame { try chip.show(page) }
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
