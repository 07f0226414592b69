import Glibc
import HardwareAbstraction
import MetronomeCore

/// What is connected to the lines of a board.
protocol Header: AnyObject {
  /// Whether the chip can be removed.
  var isRemovable: Bool { get }

  /// Removes the chip.
  func pull()

  /// Restores the chip, if it is removed. It may then have another number; no contact is closed.
  func plug()

  /// Closes or opens a button's contact.
  func move(_ button: Button, _ direction: ButtonEdge.Direction)

  /// The outputs that are on.
  var levels: LineSet { get }
}

/// The kernel's simulated GPIO chip, controlled and observed through sysfs.
final class SimulatedHeader: Header {
  private static let configuration = "/sys/kernel/config/gpio-sim/header"

  let isRemovable = true
  /// The folder of the chip's bank, `/sys/devices/platform/gpio-sim.0/gpiochip0`.
  private var folder: String
  private let wiring: Wiring
  private var isThere = true

  init(folder: String, wiring: Wiring) {
    self.folder = folder
    self.wiring = wiring
  }

  func pull() {
    write("0", to: SimulatedHeader.configuration + "/live")
    isThere = false
  }

  func plug() {
    guard !isThere else { return }
    write("1", to: SimulatedHeader.configuration + "/live")
    isThere = true
    let device = line(read("\(SimulatedHeader.configuration)/dev_name"))
    folder = "/sys/devices/platform/\(device)/\(line(read("\(SimulatedHeader.configuration)/bank0/chip_name")))"
    for button in wiring.buttons.keys { move(button, .up) }
  }

  func move(_ button: Button, _ direction: ButtonEdge.Direction) {
    guard let line = wiring.buttons[button]?.line else { fatalError("\(button) has no line") }
    write(direction == .down ? "pull-down" : "pull-up", to: file(line, "pull"))
  }

  var levels: LineSet {
    var levels = LineSet.inactive
    for (output, wire) in wiring.outputs where read(file(wire.line, "value")).hasPrefix("1") {
      levels.insert(output)
    }
    return levels
  }

  private func file(_ line: LineID, _ name: String) -> String {
    guard case .name(let text) = line else { fatalError("the standard wiring names its lines") }
    return "\(folder)/sim_gpio\(text.dropFirst("GPIO".count))/\(name)"
  }

  /// The first line of a text, without its line feed.
  private func line(_ text: String) -> String { String(text.prefix { $0 != "\n" }) }

  private func read(_ path: String) -> String {
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    guard count > 0 else { fatalError("\(path): \(errno)") }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}
