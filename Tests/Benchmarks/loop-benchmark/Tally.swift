import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// Counts what the loops tell, as the real box does.
///
/// `@unchecked Sendable`: the benchmark has one thread.
final class Tally: EngineObserver, @unchecked Sendable {
  /// What no observer may do, to try whether it is found out.
  enum Spoiling {
    /// Nothing.
    case nothing
    /// It makes an object for each click.
    case objects
    /// It holds one object and then another, for each beat.
    case references
  }

  private final class Memory {
    let beat: Beat

    init(_ beat: Beat) { self.beat = beat }
  }

  private(set) var beats = 0
  private(set) var clicks = 0
  private(set) var underruns = 0
  private let spoiling: Spoiling
  private var last: Memory?
  private let pair = [Memory(.nowhere), Memory(.nowhere)]

  init(spoils spoiling: Spoiling = .nothing) { self.spoiling = spoiling }

  func changed(to state: MetronomeState, at instant: Instant) {}

  func showed(_ beat: Beat, late: Nanoseconds, at now: Instant) {
    beats += 1
    if spoiling == .references { last = pair[beats % 2] }
  }

  func skipped(beats: Int64, at now: Instant) {}

  func placed(_ beat: Beat, at position: FramePosition) {
    clicks += 1
    if spoiling == .objects { last = Memory(beat) }
  }

  func missed(clicks: Int64, at now: Instant) {}

  func underran(frames: Int64, at now: Instant) { underruns += 1 }

  func changed(to state: AudioState, at instant: Instant) {}

  func failed(_ error: HardwareError, at now: Instant) {}
}

extension Beat {
  fileprivate static let nowhere = Timeline(
    session: 1, firstBeat: .zero, tempo: .initial, signature: .initial
  ).knownBeat(0)
}
