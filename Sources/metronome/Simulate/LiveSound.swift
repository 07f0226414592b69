import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// The clicks of a live simulation, on this machine's sound card.
final class LiveSound {
  let name = "x"
  let lead = Lead(nil)
  static func open(_ request: AudioRequest) throws -> LiveSound { LiveSound() }
  func start(_ publication: TimelinePublication, volume: Double) {}
  func stop() {}
}
