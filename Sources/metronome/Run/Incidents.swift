import HardwareAbstraction
import Synchronization

/// Counts what goes wrong in the loops, for the control thread to tell of.
///
/// The loops call it from their own threads: it only counts, in a fixed number of atomics, and rings.
final class Incidents: Sendable {
  /// What is counted besides refused calls.
  struct Counts {
    var skippedBeats: Int64 = 0
    var missedClicks: Int64 = 0
    var underruns: Int64 = 0
    var setLines = Refusal()
    var readEdges = Refusal()
  }

  /// How often a call was refused, and with which error number last.
  struct Refusal {
    var count: Int64 = 0
    var errno: Int32 = 0
  }

  private final class Counter: Sendable {
    let count = Atomic<Int64>(0)
    let errno = Atomic<Int32>(0)

    var refusal: Refusal { Refusal(count: count.load(ordering: .acquiring), errno: errno.load(ordering: .relaxed)) }
  }

  private let skippedBeats = Atomic<Int64>(0)
  private let missedClicks = Atomic<Int64>(0)
  private let underruns = Atomic<Int64>(0)
  private let setLines = Counter()
  private let readEdges = Counter()
  private let ring: @Sendable () -> Void

  /// - Parameter ring: tells the control thread that there is something to tell. Neither allocates nor waits.
  init(ring: @escaping @Sendable () -> Void) { self.ring = ring }

  var counts: Counts {
    Counts(
      skippedBeats: skippedBeats.load(ordering: .relaxed), missedClicks: missedClicks.load(ordering: .relaxed),
      underruns: underruns.load(ordering: .relaxed), setLines: setLines.refusal, readEdges: readEdges.refusal)
  }

  func addSkipped(_ beats: Int64) { add(beats, to: skippedBeats) }

  func addMissed(_ clicks: Int64) { add(clicks, to: missedClicks) }

  func addUnderrun() { add(1, to: underruns) }

  func add(_ error: HardwareError) {
    switch error.operation {
    case .setLines: count(error, in: setLines)
    case .readEdges: count(error, in: readEdges)
    // The sound keeper tells what has become of the card.
    case .readAudioPosition, .writeAudio: break
    case .openChip, .requestLines, .openAudio, .loadState, .saveState:
      preconditionFailure("no loop does that")
    }
  }

  private func count(_ error: HardwareError, in counter: Counter) {
    counter.errno.store(error.errno, ordering: .relaxed)
    add(1, to: counter.count)
  }

  private func add(_ number: Int64, to counter: borrowing Atomic<Int64>) {
    counter.wrappingAdd(number, ordering: .releasing)
    ring()
  }
}
