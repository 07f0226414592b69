import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// What the real box does with what its loops tell: states go to the log, incidents are counted.
final class BoxObserver: EngineObserver {
  private let log: Log
  private let incidents: Incidents

  init(log: Log, incidents: Incidents) {
    self.log = log
    self.incidents = incidents
  }

  func changed(to state: MetronomeState, at instant: Instant) {
    log(.info, "\(state.tempo), \(state.signature), \(state.isPlaying ? "playing" : "stopped")")
  }

  func showed(_ beat: Beat, at now: Instant) {}

  func placed(_ beat: Beat, atFrame frame: Int64) {}

  func skipped(beats: Int64, at now: Instant) { incidents.addSkipped(beats) }

  func missed(clicks: Int64, at now: Instant) { incidents.addMissed(clicks) }

  func underran(frames: Int64, at now: Instant) { incidents.addUnderrun() }

  func failed(_ error: HardwareError, at now: Instant) { incidents.add(error) }
}
