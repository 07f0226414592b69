import CGpiod
import Glibc
import HardwareAbstraction
import MetronomeCore

/// Buttons on the lines of a GPIO chip, with edges stamped by the kernel. The lines may come and go; without them no button
/// is down. Control thread.
public final class GPIOButtons: ButtonEdges {
  /// To be polled for reading: readable when there are edges. Empty while there are no lines, and once released.
  public private(set) var fileDescriptors: [Int32] = []
  /// Whether the chip of the lines was found to be gone.
  private(set) var isLost = false
  private var request: ButtonRequest?
  /// In the order of the request.
  private var buttons: [Button] = []
  private let bell: EventDescriptor?

  /// - Parameter bell: is rung when the chip is found to be gone; nil: nobody waits for it.
  init(bell: EventDescriptor?) { self.bell = bell }

  /// Takes the lines. While there are none.
  func attach(_ wiring: Wiring, _ lines: ResolvedLines) throws(HardwareError) {
    buttons = Button.allCases.filter { wiring.buttons[$0] != nil }
    let wanted = buttons.compactMap { button in
      wiring.buttons[button].map {
        cgpiod_button(offset: lines.offset(of: button), active_low: $0.active == .low, bias: $0.bias.forKernel)
      }
    }
    request = wanted.isEmpty ? nil : try ButtonRequest(lines.chip.path, wanted)
    fileDescriptors = request?.descriptors ?? []
  }

  /// Gives the lines back, if there are any.
  func detach() {
    request = nil
    fileDescriptors = []
    isLost = false
  }

  /// - Throws: `HardwareError` with operation `readEdges`: of the kind `gone`, once, when the chip is gone, and no more until it
  ///   is back.
  public func next() throws(HardwareError) -> ButtonEdge? {
    var edge = cgpiod_edge()
    let result = request?.next(&edge) ?? 0
    if result < 0 { throw failure(-result) }
    guard result > 0 else { return nil }
    return ButtonEdge(
      buttons[Int(edge.index)], edge.active ? .down : .up, at: Instant(nanoseconds: edge.nanoseconds))
  }

  /// Whether a button is down at this moment, whatever edges there are still to be read; false if it is not wired.
  ///
  /// - Throws: `HardwareError` with operation `readEdges`.
  public func isDown(_ button: Button) throws(HardwareError) -> Bool {
    guard let index = buttons.firstIndex(of: button) else { return false }
    let result = request?.level(UInt32(index)) ?? 0
    if result < 0 { throw HardwareError(.readEdges, errno: -result) }
    return result > 0
  }

  private func failure(_ errno: Int32) -> HardwareError {
    let error = HardwareError(.readEdges, errno: errno)
    if error.kind == .gone {
      detach()
      isLost = true
      bell?.ring()
    }
    return error
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

/// The lines as the kernel lends them. They go back when this ends.
private struct ButtonRequest: ~Copyable {
  private let handle: OpaquePointer

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

  func next(_ edge: inout cgpiod_edge) -> Int32 { cgpiod_buttons_next(handle, &edge) }

  func level(_ index: UInt32) -> Int32 { cgpiod_buttons_level(handle, index) }
}
