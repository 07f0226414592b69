import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

extension Bench {
  /// Lets another configuration be taken over at a time.
  ///
  /// - Parameters:
  ///   - board: what it is to be made of, where something of it changes.
  ///   - change: changes the options in force.
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

  /// All that is seen, heard and announced of the music, to the nanosecond.
  var music: [String] { lines(per: Nanoseconds(1), [.state, .beat, .line, .click, .incident]) }

  /// What is lit, from each instant on at which that changes. What goes off and on again at one instant does not change.
  var levels: [(time: Nanoseconds, levels: OutputSet)] {
    var changes: [(time: Nanoseconds, levels: OutputSet)] = []
    var levels = OutputSet.inactive
    for event in trace.events {
      guard case .line(let output, let isActive) = event.what else { continue }
      if isActive { levels.insert(output) } else { levels.remove(output) }
      if changes.last?.time == event.time { changes.removeLast() }
      if changes.last?.levels ?? .inactive != levels { changes.append((event.time, levels)) }
    }
    return changes
  }

  /// The same in words.
  var levelLines: [String] { levels.map { "\($0.time.count) \($0.levels.rawValue)" } }
}
