import CGpiod
import Glibc
import HardwareAbstraction
import MetronomeCore

/// Buttons on the lines of a GPIO chip. While no lines are held, no button is down. Control thread only.
public final class GPIOButtons: ButtonEdges {
  /// Readable when edges are queued; empty while no lines are held.
  public private(set) var fileDescriptors: [Int32] = []
  /// Whether the chip of the lines was found to be missing.
  private(set) var isLost = false
  private var request: ButtonRequest?
  /// The buttons, in the order of the requested lines.
  private var buttons: [Button] = []
  private let bell: EventDescriptor?

  /// - Parameter bell: rung when the chip is found to be missing; nil: no thread waits for this.
  init(bell: EventDescriptor?) { self.bell = bell }

  /// Requests the lines; must be called while no lines are held.
  func attach(_ wiring: Wiring, _ lines: ResolvedLines) throws(HardwareError) {
    buttons = wiring.names.buttons.filter { wiring.buttons[$0] != nil }
    let wanted = buttons.compactMap { button in
      wiring.buttons[button].map {
        cgpiod_button(
          offset: lines.offset(ofRole: wiring.names[button]), active_low: $0.active == .low, bias: $0.bias.forKernel)
      }
    }
    request = wanted.isEmpty ? nil : try ButtonRequest(lines.chip.path, wanted)
    fileDescriptors = request?.descriptors ?? []
  }

  /// Releases the lines, if lines are held.
  func detach() {
    request = nil
    fileDescriptors = []
    isLost = false
  }

  /// - Throws: `HardwareError` with operation `readEdges`. When the chip is removed, the error is of kind `gone` and is thrown
  ///   once; until the chip returns there are no further errors.
  public func next() throws(HardwareError) -> ButtonEdge? {
    guard let handle = request?.handle else { return nil }
    var edge = cgpiod_edge()
    let result = cgpiod_buttons_next(handle, &edge)
    if result < 0 {
      let error = HardwareError(.readEdges, errno: -result)
      if error.kind == .gone {
        detach()
        isLost = true
        bell?.ring()
      }
      throw error
    }
    guard result > 0 else { return nil }
    let instant = Instant(nanoseconds: edge.nanoseconds)
    return ButtonEdge(buttons[Int(edge.index)], edge.active ? .down : .up, at: instant)
  }

  /// Whether a button is down now, even if some edges are still unread; false if it is not wired.
  ///
  /// - Throws: `HardwareError` with operation `readEdges`.
  public func isDown(_ button: Button) throws(HardwareError) -> Bool {
    guard let handle = request?.handle, let index = buttons.firstIndex(of: button) else { return false }
    let result = cgpiod_buttons_level(handle, UInt32(index))
    if result < 0 { throw HardwareError(.readEdges, errno: -result) }
    return result > 0
  }
}

extension Bias {
  fileprivate var forKernel: cgpiod_bias {
    switch self {
    case .pullUp: cgpiod_bias_pull_up
    case .pullDown: cgpiod_bias_pull_down
    case .disabled: cgpiod_bias_disabled
    }
  }
}

/// The kernel's request of the lines, released by `deinit`.
private struct ButtonRequest: ~Copyable {
  let handle: OpaquePointer

  init(_ path: String, _ buttons: [cgpiod_button]) throws(HardwareError) {
    var error: Int32 = 0
    guard let handle = cgpiod_buttons_request(path, buttons, UInt32(buttons.count), &error) else {
      throw HardwareError(.requestLines, errno: error)
    }
    self.handle = handle
  }

  deinit { cgpiod_buttons_release(handle) }

  var descriptors: [Int32] {
    [Int32](unsafeUninitializedCapacity: Int(CGPIOD_MAX_LINES)) { buffer, count in
      count = Int(cgpiod_buttons_descriptors(handle, buffer.baseAddress!))
    }
  }
}
