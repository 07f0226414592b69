import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// What the real box does with what its loops tell: states wait for the log, incidents are counted.
final class BoxObserver: EngineObserver {
  private let incidents: Incidents
  /// Reached and not logged yet. Control thread only.
  private var states: [MetronomeState] = []

  init(incidents: Incidents) { self.incidents = incidents }

  /// What was reached since this was called last. Control thread only.
  func takeStates() -> [MetronomeState] {
    defer { states = [] }
    return states
  }

  func changed(to state: MetronomeState, at instant: Instant) { states.append(state) }

  func showed(_ beat: Beat, at now: Instant) {}

  func placed(_ beat: Beat, atFrame frame: Int64) {}

  func skipped(beats: Int64, at now: Instant) { incidents.addSkipped(beats) }

  func missed(clicks: Int64, at now: Instant) { incidents.addMissed(clicks) }

  func underran(frames: Int64, at now: Instant) { incidents.addUnderrun() }

  func failed(_ error: HardwareError, at now: Instant) { incidents.add(error) }
}
