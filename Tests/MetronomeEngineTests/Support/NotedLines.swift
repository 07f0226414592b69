import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// Lines that note every call.
final class NotedLines: OutputLines {
  var calls: [OutputSet] = []
  var failure: HardwareError?

  func set(_ levels: OutputSet) throws(HardwareError) {
    if let failure { throw failure }
    calls.append(levels)
  }

  func release() {}
}

/// Notes what the beat loop tells.
///
/// `@unchecked Sendable`: a test steps its loop on one thread.
final class NotedEvents: EngineObserver, @unchecked Sendable {
  var notes: [String] = []
  func changed(to state: MetronomeState, at instant: Instant) {}
  func showed(_ beat: Beat, late: Nanoseconds, at now: Instant) { notes.append("beat \(beat.index)") }
  func skipped(beats: Int64, at now: Instant) { notes.append("skipped \(beats)") }
  func placed(_ beat: Beat, at position: FramePosition) {}
  func changed(to state: AudioState, at instant: Instant) {}
  func missed(clicks: Int64, at now: Instant) {}
  func underran(frames: Int64, at now: Instant) {}
  func failed(_ error: HardwareError, at now: Instant) { notes.append("\(error.operation) failed") }
}

/// Notes which loops are woken.
final class NotedWakes: Sendable {
  private let loops = Mailbox<Loop>()

  @Sendable func note(_ loop: Loop) { loops.leave(loop) }

  /// Those woken since this was asked last.
  var taken: [Loop] { loops.takeAll() }
}
