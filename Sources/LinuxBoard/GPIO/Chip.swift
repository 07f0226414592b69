import CGpiod
import HardwareAbstraction

/// A GPIO chip, open to be looked at.
struct Chip: ~Copyable {
  let summary: ChipSummary
  private let handle: OpaquePointer

  /// - Throws: `HardwareError` with operation `openChip` and the kernel's error number.
  init(path: String) throws(HardwareError) {
    var error: Int32 = 0
    guard let handle = cgpiod_chip_open(path, &error) else { throw HardwareError(.openChip, errno: error) }
    self.handle = handle
    summary = ChipSummary(
      path: path, name: String(cString: cgpiod_chip_name(handle)), label: String(cString: cgpiod_chip_label(handle)),
      lineCount: Int(cgpiod_chip_line_count(handle)))
  }

  deinit { cgpiod_chip_close(handle) }

  /// The offset of a line, or nil if the chip has none of that name or as many lines.
  func offset(of line: LineID) -> UInt32? {
    switch line {
    case .name(let name): UInt32(exactly: cgpiod_chip_find_line(handle, name))
    case .offset(let offset): offset < summary.lineCount ? UInt32(exactly: offset) : nil
    }
  }

  /// The name of a line, or nil if it has none.
  func name(ofLineAt offset: UInt32) -> String? {
    var name = ""
    let result = withText(&name) { cgpiod_chip_line_name(handle, offset, $0, $1) }
    return result < 0 || name.isEmpty ? nil : name
  }

  /// Who holds a line, or nil if nobody does. Empty if the kernel does not say.
  func holder(ofLineAt offset: UInt32) -> String? {
    var holder = ""
    let result = withText(&holder) { cgpiod_chip_line_holder(handle, offset, $0, $1) }
    return result > 0 ? holder : nil
  }

  /// 1 if a line is an output, 0 if it is an input, negative if the kernel does not say.
  func lineDirection(_ offset: UInt32) -> Int32 { cgpiod_chip_line_is_output(handle, offset) }

  /// Lets a C function store a text.
  private func withText(_ text: inout String, _ store: (UnsafeMutablePointer<CChar>, Int) -> Int32) -> Int32 {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(CGPIOD_NAME_SIZE)) { buffer in
      let result = store(buffer.baseAddress!, buffer.count)
      if result >= 0 { text = String(cString: buffer.baseAddress!) }
      return result
    }
  }
}

/// What a chip says of itself.
struct ChipSummary: Hashable {
  var path: String
  /// As `gpiochip0`. It may be another after the next boot.
  var name: String
  /// As `pinctrl-bcm2711`.
  var label: String
  var lineCount: Int
}

extension ChipSummary: CustomStringConvertible {
  var description: String { "\(name) [\(label)]" }
}
