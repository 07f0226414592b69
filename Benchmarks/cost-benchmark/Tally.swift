import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// Counts the loops' events, as the real box does.
///
/// `@unchecked Sendable`: the benchmark has one thread.
final class Tally: EngineObserver, @unchecked Sendable {
  /// Forbidden operations, to test that they are detected.
  enum Violation {
    /// No violation.
    case none
    /// Allocates an object for each click.
    case objects
    /// Replaces a retained object for each beat.
    case references
  }

  private final class Memory {
    let beat: Beat

    init(_ beat: Beat) { self.beat = beat }
  }

  private(set) var beats = 0
  private(set) var clicks = 0
  private(set) var underruns = 0
  private let violation: Violation
  private var last: Memory?
  private let pair = [Memory(.nowhere), Memory(.nowhere)]

  init(violation: Violation = .none) { self.violation = violation }

  func changed(to state: MetronomeState, at instant: Instant) {}

  func showed(_ beat: Beat, late: Nanoseconds, at now: Instant) {
    beats += 1
    if violation == .references { last = pair[beats % 2] }
  }

  func skipped(beats: Int64, at now: Instant) {}

  func placed(_ level: Level, isCountedIn: Bool, at position: FramePosition) {
    clicks += 1
    if violation == .objects { last = Memory(.nowhere) }
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
