import HardwareAbstraction
import MetronomeCore

/// Told everything, and keeps nothing: for loops of which nothing is to be seen but what they do to their lines.
package final class SilentObserver: EngineObserver {
  package init() {}

  package func changed(to state: MetronomeState, at instant: Instant) {}

  package func showed(_ beat: Beat, late: Nanoseconds, at now: Instant) {}

  package func skipped(beats: Int64, at now: Instant) {}

  package func placed(_ beat: Beat, at position: FramePosition) {}

  package func missed(clicks: Int64, at now: Instant) {}

  package func underran(frames: Int64, at now: Instant) {}

  package func changed(to state: AudioState, at instant: Instant) {}

  package func failed(_ error: HardwareError, at now: Instant) {}
}
