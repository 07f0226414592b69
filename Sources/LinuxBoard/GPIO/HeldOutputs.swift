import CGpiod
import Glibc
import HardwareAbstraction
import MetronomeCore

/// Output lines as the kernel lends them, and which of its bits each output has.
struct HeldOutputs: BitwiseCopyable {
  private static let leastCalls = 3
  private static let mostCalls = 31
  private static let longestTrial = Nanoseconds.milliseconds(5)

  private let handle: OpaquePointer
  /// 0 for an output that has no line.
  private let light: UInt64
  private let pendulum: UInt64
  private let buzzer: UInt64

  /// Takes the lines, all inactive. nil if no output is wired.
  init?(_ wiring: Wiring, _ lines: ResolvedLines) throws(HardwareError) {
    let wired = Output.allCases.filter { wiring.outputs[$0] != nil }
    guard !wired.isEmpty else { return nil }
    func bit(_ output: Output) -> UInt64 { wired.firstIndex(of: output).map { 1 << UInt64($0) } ?? 0 }
    light = bit(.light)
    pendulum = bit(.pendulum)
    buzzer = bit(.buzzer)
    let activeLow = wired.filter { wiring.outputs[$0]?.active == .low }.reduce(0) { $0 | bit($1) }
    let offsets = wired.map(lines.offset(of:))
    var error: Int32 = 0
    guard let handle = cgpiod_outputs_request(lines.chip.path, offsets, UInt32(offsets.count), activeLow, &error) else {
      throw HardwareError(.requestLines, errno: error)
    }
    self.handle = handle
  }

  /// - Returns: 0, or a negative error number.
  func set(_ levels: OutputLevels) -> Int32 {
    var active: UInt64 = 0
    if levels.contains(.light) { active |= light }
    if levels.contains(.pendulum) { active |= pendulum }
    if levels.contains(.buzzer) { active |= buzzer }
    return cgpiod_outputs_set(handle, active)
  }

  /// What a call costs that sets the lines, all inactive, to what they are: the median of a few, less what it costs to read
  /// the clock. It takes 5 ms, or three calls if those take longer.
  func costOfCall() -> Nanoseconds {
    let clock = LinuxClock()
    let end = clock.now + HeldOutputs.longestTrial
    var costs: [Nanoseconds] = []
    while costs.count < HeldOutputs.leastCalls || costs.count < HeldOutputs.mostCalls && clock.now < end {
      let before = clock.now
      _ = set(.inactive)
      let after = clock.now
      let reading = clock.now - after
      costs.append((after - before) - reading)
    }
    return max(costs.sorted()[costs.count / 2], .zero)
  }

  /// Makes the lines inactive and gives them back. Once.
  func release() { cgpiod_outputs_release(handle) }
}
