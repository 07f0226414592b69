import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// Output lines that record every call.
final class RecordingLines: OutputLines {
  var calls: [LineSet] = []
  var failure: HardwareError?
  /// Called before each call is recorded.
  var willSet: () -> Void = {}

  func set(_ levels: LineSet) throws(HardwareError) {
    willSet()
    if let failure { throw failure }
    calls.append(levels)
  }

  func release() {}
}

/// An observer that records the reports of the beat loop.
///
/// `@unchecked Sendable`: a test steps its loop on one thread.
final class RecordingObserver: EngineObserver, @unchecked Sendable {
  var reports: [String] = []
  func changed(to state: MetronomeState, at instant: Instant) {}
  func showed(_ beat: Beat, late: Nanoseconds, at now: Instant) { reports.append("beat \(beat.index)") }
  func skipped(beats: Int64, at now: Instant) { reports.append("skipped \(beats)") }
  func placed(_ level: Level, isCountedIn: Bool, at position: FramePosition) {}
  func changed(to state: AudioState, at instant: Instant) {}
  func missed(clicks: Int64, at now: Instant) {}
  func underran(frames: Int64, at now: Instant) {}
  func failed(_ error: HardwareError, at now: Instant) { reports.append("\(error.operation) failed") }
}

/// Records which loops are woken.
final class WakeRecorder: Sendable {
  private let loops = Mailbox<Loop>()

  @Sendable func record(_ loop: Loop) { loops.post(loop) }

  /// The loops woken since the last call.
  var newLoops: [Loop] { loops.drain() }
}
