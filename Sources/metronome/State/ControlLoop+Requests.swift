import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

extension ControlLoop {
  /// Answers a request in bytes; with nothing, what is none.
  func answer(_ bytes: [UInt8], at now: Instant) -> [UInt8] {
    PresetRequest(bytes).map { carryOut($0, at: now).bytes } ?? []
  }
}
