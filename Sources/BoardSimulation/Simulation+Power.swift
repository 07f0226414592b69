import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

extension Simulation {
  /// How a metronome ends while its board goes on.
  public enum Ending: String, Hashable, Sendable, CaseIterable {
    /// In order: the beat stops, the lines go off, what is not saved is saved.
    case order
    /// It is killed.
    case kill
    /// The plug is pulled.
    case power
  }

  /// Ends the metronome, now. Fingers, cards and the traces go on.
  ///
  /// - Parameters:
  ///   - ending: in order or not.
  ///   - random: chooses what of an unfinished save the disk has, where it ends without order.
  /// - Precondition: ``isOn``.
  public func end(_ ending: Ending, using random: inout SeededRandom) {
    precondition(isOn, "a metronome is ended that has ended")
    let now = board.clock.now
    switch ending {
    case .order:
      engine.keeper?.seal()
      engine.control.perform(.stop, at: now)
      engine.keeper?.flush(at: now)
    case .kill: losePower(.kill, using: &random)
    case .power: losePower(.power, using: &random)
    }
    letGo()
    recorder.ended(ending, at: now)
    isOn = false
    stopWaking()
  }

  /// Begins another metronome on the board, now, stopped, with what it remembers.
  ///
  /// - Parameters:
  ///   - options: what is played, and how it is shown.
  ///   - wires: what is asked for of outputs, buttons, inputs and audio counts.
  ///   - changes: what of that is another than before.
  /// - Precondition: not ``isOn``.
  public func begin(
    _ options: EngineOptions, board wires: SimulatedBoard.Options = SimulatedBoard.Options(),
    changes: BoardChanges = BoardChanges()
  ) {
    precondition(!isOn, "a metronome is begun beside another")
    board.rewire(wires, changes)
    board.begin()
    recorder.began(at: board.clock.now)
    engine = Engine(board: board, options: options, observer: recorder, wake: rung.insert)
    self.options = options
    isOn = true
    start()
  }

  /// A save that waits for its time is taken to be under way, so that it breaks off in the midst.
  private func losePower(_ cut: SimulatedDisk.Cut, using random: inout SeededRandom) {
    guard let disk = board.store as? SimulatedDisk else { return }
    disk.cutStep = disk.steps + Int.random(in: 0...SimulatedDisk.stepsOfSave, using: &random)
    recorder.isListening = false
    engine.keeper?.flush(at: board.clock.now)
    recorder.isListening = true
    disk.recover(from: cut, using: &random)
  }
}
