import CGpiod
import Glibc
import HardwareAbstraction

/// Outputs on the lines of a GPIO chip, requested together and set together.
public final class GPIOOutputs: OutputLines {
  private var request: OutputRequest?
  private var isReleased = false
  /// The bit of each output in the request; 0 if it has no line.
  private let light: UInt64
  private let pendulum: UInt64
  private let buzzer: UInt64

  /// Takes the lines, all inactive.
  init(_ wiring: Wiring, _ lines: ResolvedLines) throws(HardwareError) {
    let wired = Output.allCases.filter { wiring.outputs[$0] != nil }
    func bit(_ output: Output) -> UInt64 { wired.firstIndex(of: output).map { 1 << UInt64($0) } ?? 0 }
    light = bit(.light)
    pendulum = bit(.pendulum)
    buzzer = bit(.buzzer)
    let activeLow = wired.filter { wiring.outputs[$0]?.active == .low }.reduce(0) { $0 | bit($1) }
    request = wired.isEmpty ? nil : try OutputRequest(lines.chip.path, wired.map(lines.offset(of:)), activeLow)
  }

  public func set(_ levels: OutputLevels) throws(HardwareError) {
    precondition(!isReleased, "an output is set after the lines were given back")
    var active: UInt64 = 0
    if levels.contains(.light) { active |= light }
    if levels.contains(.pendulum) { active |= pendulum }
    if levels.contains(.buzzer) { active |= buzzer }
    let result = request?.set(active) ?? 0
    if result < 0 { throw HardwareError(.setLines, errno: -result) }
  }

  public func release() {
    request = nil
    isReleased = true
  }
}

/// The lines as the kernel lends them. They go inactive and back when this ends.
private struct OutputRequest: ~Copyable {
  private let handle: OpaquePointer

  init(_ path: String, _ offsets: [UInt32], _ activeLow: UInt64) throws(HardwareError) {
    var error: Int32 = 0
    guard let handle = cgpiod_outputs_request(path, offsets, UInt32(offsets.count), activeLow, &error) else {
      throw HardwareError(.requestLines, errno: error)
    }
    self.handle = handle
  }

  deinit { cgpiod_outputs_release(handle) }

  func set(_ active: UInt64) -> Int32 { cgpiod_outputs_set(handle, active) }
}
