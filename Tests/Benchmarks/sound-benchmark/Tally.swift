import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// Counts what the loops tell, as the real box does.
final class Tally: EngineObserver {
  private final class Memory {
    let beat: Beat

    init(_ beat: Beat) { self.beat = beat }
  }

  private(set) var beats = 0
  private(set) var clicks = 0
  private(set) var underruns = 0
  private let makesObjects: Bool
  private var last: Memory?

  /// - Parameter makesObjects: whether it does what no observer may, and makes an object for each click.
  init(makesObjects: Bool = false) { self.makesObjects = makesObjects }

  func changed(to state: MetronomeState, at instant: Instant) {}

  func showed(_ beat: Beat, late: Nanoseconds, at now: Instant) { beats += 1 }

  func skipped(beats: Int64, at now: Instant) {}

  func placed(_ beat: Beat, at position: FramePosition) {
    clicks += 1
    if makesObjects { last = Memory(beat) }
  }

  func missed(clicks: Int64, at now: Instant) {}

  func underran(frames: Int64, at now: Instant) { underruns += 1 }

  func changed(to state: AudioState, at instant: Instant) {}

  func failed(_ error: HardwareError, at now: Instant) {}
}
