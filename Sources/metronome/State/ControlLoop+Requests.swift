import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

extension ControlLoop {
  /// Answers a request in bytes, and says of what was done whether it is saved.
  func answer(_ bytes: [UInt8], at now: Instant, keeper: StateKeeper<Observer>?) -> [UInt8] {
    guard let request = PresetRequest(bytes) else { return PresetReply.toNonsense }
    var reply = carryOut(request, at: now)
    if let keeper { reply.saving = keeper.saving }
    return reply.bytes
  }
}
