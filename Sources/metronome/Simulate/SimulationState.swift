import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import StateFiles

/// The memory of a simulated metronome that is asked to have one on a disk.
final class SimulationState: TraceSink {
  let folder: FileFolder
  /// The first.
  private var refusal: HardwareError?
  #if os(Linux)
    private var server: RequestServer?
  #endif

  /// nil, and a line on standard error, when the folder cannot be had.
  init?(_ path: String) {
    guard let folder = StateAccess.take(path, tell: SimulationState.say) else { return nil }
    self.folder = folder
  }

  /// Tells, at the end, whether something could not be saved, and whether it is by now.
  func tellRefusal(of simulation: Simulation) {
    guard let refusal else { return }
    let isSaved = simulation.engine.keeper?.saving == .done
    SimulationState.say(
      isSaved
        ? "the state could not be saved for a while (\(reason(refusal.errno))), and is saved now"
        : "the state could not be saved (\(reason(refusal.errno)))")
  }

  /// Lets "metronome presets" ask from here on.
  func listen() {
    #if os(Linux)
      do throws(HardwareError) { server = try RequestServer(in: folder) } catch {
        SimulationState.say("\"metronome presets\" cannot ask this metronome (\(reason(error.errno)))")
      }
    #endif
  }

  /// To be polled for reading, and then to be served.
  var descriptors: [Int32] {
    #if os(Linux)
      server?.descriptors ?? []
    #else
      []
    #endif
  }

  /// Answers who asks.
  ///
  /// - Returns: when to call again though no descriptor can be read.
  func serve(_ simulation: Simulation) -> Instant? {
    #if os(Linux)
      let now = simulation.board.clock.now
      let engine = simulation.engine
      return server?.serve(at: now) { engine.control.answer($0, at: now, keeper: engine.keeper) }
    #else
      return nil
    #endif
  }

  func take(_ event: TraceEvent) {
    if case .fault(let error) = event.what, error.operation == .saveState, refusal == nil { refusal = error }
  }

  func finish(at end: Nanoseconds) {}

  private static func say(_ text: String) { standardError("metronome: \(text)\n") }
}
