import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// How late a simulation that follows the clock shows its beats: in virtual time none is late, but whoever looks at the
/// terminal sees it when the program has got there.
package final class ShownBeats: TraceSink {
  private let figures = LiveFigures()
  private let origin: Instant
  private let now: () -> Instant

  /// - Parameters:
  ///   - origin: when the simulation began, on the clock that it follows.
  ///   - now: reads that clock.
  package init(since origin: Instant, now: @escaping () -> Instant) {
    self.origin = origin
    self.now = now
  }

  /// In a few words; nil before the first beat.
  package var summary: String? { figures.now.summary }

  package func take(_ event: TraceEvent) {
    let due = origin + event.time
    if case .beat(let beat) = event.what { figures.showed(beat, late: now() - due, at: due) }
    if case .skipped(let beats) = event.what { figures.skipped(beats: beats, at: due) }
  }

  package func finish(at end: Nanoseconds) {}
}
