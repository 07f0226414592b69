import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// No loop spins.
final class PaceChecker: Checker {
  /// Steps per second without the audio periods: at most 133 beats with a few line changes each, bouncing edges, button
  /// repetitions.
  private static let most = 4_000

  private var second: Int64 = -1
  private var steps = 0
  private(set) var all: Int64 = 0

  override func look(after loop: Simulation.Loop?, _ changes: Scene.Changes) {
    all += 1
    steps += 1
    let second = scene.now.nanoseconds / 1_000_000_000
    guard second != self.second else {
      if steps == limit { scene.breach(.deadlinesAhead, "\(steps) steps in a second") }
      return
    }
    self.second = second
    steps = 0
  }

  private var limit: Int {
    // 24 clocks per quarter and port; each one received wakes several loops.
    let streams = scene.options.midi.count + (scene.options.source == nil ? 0 : 4)
    let most = PaceChecker.most + streams * 1_000
    guard let format = scene.simulation.board.audio?.card?.format else { return most }
    return most + 8 * format.rate / format.periodFrames
  }
}
