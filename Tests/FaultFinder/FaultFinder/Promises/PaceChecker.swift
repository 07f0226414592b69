import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// No loop turns on the spot.
final class PaceChecker: Checker {
  /// In a second, beside the periods of the sound: 133 beats at the most, with a few changes of the lines each, edges that
  /// bounce, repetitions.
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
    guard let format = scene.simulation.board.sound?.card?.format else { return PaceChecker.most }
    return PaceChecker.most + 8 * format.rate / format.periodFrames
  }
}
