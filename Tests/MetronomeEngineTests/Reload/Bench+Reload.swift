import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

extension Bench {
  /// Schedules a reload of the configuration.
  ///
  /// - Parameters:
  ///   - board: the new board, for the parts in `changes`.
  ///   - change: a closure that changes the current options.
  @discardableResult
  func reload(
    at time: Nanoseconds, board: SimulatedBoard.Options = SimulatedBoard.Options(),
    _ changes: BoardChanges = BoardChanges(), _ change: @escaping (inout EngineOptions) -> Void = { _ in }
  ) -> Bench {
    simulation.schedule(at: .zero + time) { [unowned simulation] in
      var options = simulation.options
      change(&options)
      simulation.reconfigure(options, board: board, changes: changes)
    }
    return self
  }

  /// All states, beats, lines, clicks and incidents, to the nanosecond.
  var music: [String] { lines(per: Nanoseconds(1), [.state, .beat, .line, .click, .incident]) }

  /// The changes of the active outputs. An output that switches off and on at the same instant counts as unchanged.
  var levels: [(time: Nanoseconds, levels: LineSet)] {
    var changes: [(time: Nanoseconds, levels: LineSet)] = []
    var levels = LineSet.inactive
    for event in trace.events {
      guard case .line(let output, let isActive) = event.what else { continue }
      if isActive { levels.insert(output) } else { levels.remove(output) }
      if changes.last?.time == event.time { changes.removeLast() }
      if changes.last?.levels ?? .inactive != levels { changes.append((event.time, levels)) }
    }
    return changes
  }

  /// ``levels`` as text.
  var levelLines: [String] { levels.map { "\($0.time.count) \($0.levels.rawValue)" } }
}
