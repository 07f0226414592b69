import Glibc
import HardwareAbstraction
import MetronomeCore

/// The other end of the wires: the kernel's simulated GPIO chip, as a hand and an eye have it in sysfs.
struct SimulatedHeader {
  /// The folder of the chip's bank, `/sys/devices/platform/gpio-sim.0/gpiochip0`.
  let folder: String
  let wiring: Wiring

  /// Pulls a button's line to where a contact to ground would have it.
  func move(_ button: Button, _ direction: ButtonEdge.Direction) {
    guard let line = wiring.buttons[button]?.line else { fatalError("\(button) has no line") }
    write(direction == .down ? "pull-down" : "pull-up", to: file(line, "pull"))
  }

  /// Which outputs the chip drives high.
  var levels: OutputSet {
    var levels = OutputSet.inactive
    for (output, wire) in wiring.outputs where read(file(wire.line, "value")).hasPrefix("1") {
      levels.insert(output)
    }
    return levels
  }

  private func file(_ line: LineID, _ name: String) -> String {
    guard case .name(let text) = line else { fatalError("the standard wiring names its lines") }
    return "\(folder)/sim_gpio\(text.dropFirst("GPIO".count))/\(name)"
  }

  private func write(_ text: String, to path: String) {
    let descriptor = open(path, O_WRONLY)
    defer { close(descriptor) }
    guard Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count else { fatalError("\(path): \(errno)") }
  }

  private func read(_ path: String) -> String {
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    guard count > 0 else { fatalError("\(path): \(errno)") }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}
