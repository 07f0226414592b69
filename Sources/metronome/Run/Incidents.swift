import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Synchronization

/// Counts what goes wrong in the loops, for the control thread to tell of.
///
/// The loops call it from their own threads: it only counts, in a fixed number of atomics, and rings.
final class Incidents: Sendable {
  /// How often each has happened.
  struct Counts {
    var skippedBeats: UInt64 = 0
    var missedClicks: UInt64 = 0
    var underruns: UInt64 = 0
    var setLines = Refusal()
    var readEdges = Refusal()
  }

  /// How often a call was refused, and with which error number last.
  struct Refusal {
    var count: UInt64 = 0
    var errno: Int32 = 0
  }

  /// What the loops do, in numbers, these incidents among them.
  let figures = LiveFigures()
  private let setLinesError = Atomic<Int32>(0)
  private let readEdgesError = Atomic<Int32>(0)
  private let readEdgesRefusals = Atomic<UInt64>(0)
  private let ring: @Sendable () -> Void

  /// - Parameter ring: tells the control thread that there is something to tell. Neither allocates nor waits.
  init(ring: @escaping @Sendable () -> Void) { self.ring = ring }

  var counts: Counts {
    Counts(
      skippedBeats: figures.skippedBeats, missedClicks: figures.missedClicks, underruns: figures.underruns,
      setLines: Refusal(count: figures.failedSets, errno: setLinesError.load(ordering: .relaxed)),
      readEdges: Refusal(
        count: readEdgesRefusals.load(ordering: .acquiring), errno: readEdgesError.load(ordering: .relaxed)))
  }

  func addSkipped(_ beats: Int64, at now: Instant) {
    figures.skipped(beats: beats, at: now)
    ring()
  }

  func addMissed(_ clicks: Int64, at now: Instant) {
    figures.missed(clicks: clicks, at: now)
    ring()
  }

  func addUnderrun(_ frames: Int64, at now: Instant) {
    figures.underran(frames: frames, at: now)
    ring()
  }

  func add(_ error: HardwareError, at now: Instant) {
    switch error.operation {
    case .setLines:
      setLinesError.store(error.errno, ordering: .relaxed)
      figures.failed(error, at: now)
    case .readEdges:
      readEdgesError.store(error.errno, ordering: .relaxed)
      readEdgesRefusals.wrappingAdd(1, ordering: .releasing)
    // The sound keeper tells what has become of the card.
    case .readAudioPosition, .writeAudio: return
    case .openChip, .requestLines, .openAudio, .loadState, .saveState:
      preconditionFailure("no loop does that")
    }
    ring()
  }
}
