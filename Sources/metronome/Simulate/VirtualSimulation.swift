import BoardSimulation
import MetronomeCore
import MetronomeSimulation

/// The simulated board in virtual time, as fast as the machine goes.
enum VirtualSimulation {
  /// - Parameter memory: nil: what is remembered is forgotten with the end.
  static func run(
    _ plan: SimulationPlan, for length: Nanoseconds, _ recordings: Recordings, memory: SimulationMemory?
  ) throws {
    var options = BoxLife.Options()
    options.recording = recordings.sound
    options.store = memory?.folder
    let life = BoxLife(plan, options, sinks: recordings.sinks + [memory].compactMap(\.self)) { news in
      news.tell { standardError("metronome: \($0)\n") }
    }
    life.simulation.run(until: options.start + length)
    life.simulation.finish()
    memory?.tellRefusal(of: life.simulation)
    try recordings.finish()
  }
}

extension BoxLife.News {
  /// Tells it in a line, if that is worth one.
  func tell(_ say: (String) -> Void) {
    switch self {
    case .configuration(let line): say(line)
    case .state(let findings): if let notice = findings.notice(reason: reason) { say(notice) }
    }
  }
}
