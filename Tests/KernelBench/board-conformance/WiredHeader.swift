import CGpiod
import HardwareAbstraction
import MetronomeCore

/// Wires on the header of a Raspberry Pi: from each line of the board to a free line of the same chip, with which this program drives the
/// buttons and reads the outputs.
final class WiredHeader: Header {
  let isRemovable = false
  /// The free lines. The standard wiring uses none of them.
  private static let outputs: [(OutputLine, UInt32)] = [
    (.light, 4), (.pendulum, 7), (.buzzer, 8), (.green, 9), (.blue, 10),
  ]
  private static let buttons: [(Button, UInt32)] = [
    (.play, 11), (.slower, 13), (.faster, 18), (.numerator, 19), (.denominator, 20), (.tap, 21),
  ]

  /// Outputs first, then buttons. Open drain: a released line is high only if the other end is.
  private let wires: OpaquePointer

  init() {
    let lines = WiredHeader.outputs.map(\.1) + WiredHeader.buttons.map(\.1)
    var error: Int32 = 0
    guard let wires = cgpiod_wires_request("/dev/gpiochip0", lines, UInt32(lines.count), &error) else {
      fatalError("the free lines of /dev/gpiochip0: \(error)")
    }
    self.wires = wires
  }

  func pull() { preconditionFailure("the chip of a Raspberry Pi cannot be removed") }

  func plug() { preconditionFailure("the chip of a Raspberry Pi cannot be removed") }

  func move(_ button: Button, _ direction: ButtonEdge.Direction) {
    guard let index = WiredHeader.buttons.firstIndex(where: { $0.0 == button }) else {
      fatalError("\(button) has no wire")
    }
    let result = cgpiod_wires_pull(wires, UInt32(WiredHeader.outputs.count + index), direction == .down)
    guard result == 0 else { fatalError("the wire of \(button): \(-result)") }
  }

  var levels: LineSet {
    var levels = LineSet.inactive
    for (index, (output, _)) in WiredHeader.outputs.enumerated() {
      let level = cgpiod_wires_level(wires, UInt32(index))
      guard level >= 0 else { fatalError("the wire of \(output): \(-level)") }
      if level > 0 { levels.insert(output) }
    }
    return levels
  }
}
