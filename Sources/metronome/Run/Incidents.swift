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

/// Tells of incidents in log lines: the first of a kind at once, what comes after it at ever longer intervals.
///
/// A box with a broken wire that is left on for a year says so a few times on the first day and then once an hour.
struct IncidentReport {
  private static let firstRest = Nanoseconds.seconds(60)
  private static let longestRest = Nanoseconds.seconds(3_600)

  private enum Kind: CaseIterable { case skipped, missed, underrun, lines, edges }

  private let log: Log
  private var told: [Kind: UInt64] = [:]
  private var restUntil: [Kind: Instant] = [:]
  private var nextRest: [Kind: Nanoseconds] = [:]

  init(log: Log) { self.log = log }

  /// Tells what is new and whose rest is over.
  ///
  /// - Returns: when to call again because something new is left; nil: when there are new incidents.
  mutating func tell(_ counts: Incidents.Counts, at now: Instant) -> Instant? {
    var next: Instant?
    for kind in Kind.allCases {
      let number = count(of: kind, in: counts) - told[kind, default: 0]
      guard number > 0 else { continue }
      if let rest = restUntil[kind], now < rest {
        next = min(next ?? rest, rest)
      } else {
        log(.warning, text(for: kind, number: number, counts))
        told[kind, default: 0] += number
        let rest = nextRest[kind] ?? IncidentReport.firstRest
        restUntil[kind] = now + rest
        nextRest[kind] = min(rest * 2, IncidentReport.longestRest)
      }
    }
    return next
  }

  private func count(of kind: Kind, in counts: Incidents.Counts) -> UInt64 {
    switch kind {
    case .skipped: counts.skippedBeats
    case .missed: counts.missedClicks
    case .underrun: counts.underruns
    case .lines: counts.setLines.count
    case .edges: counts.readEdges.count
    }
  }

  private func text(for kind: Kind, number: UInt64, _ counts: Incidents.Counts) -> String {
    switch kind {
    case .skipped: "came too late for \(number) beats and left them out; the phase is kept"
    case .missed: "came too late for \(number) clicks and left them out"
    case .underrun: "the sound card ran dry \(number) times; if it goes on, raise period or periods under audio:"
    case .lines:
      "the GPIO chip refused \(number) times to set the lines: \(reason(counts.setLines.errno)); it is tried again"
    case .edges:
      "the buttons cannot be read: \(reason(counts.readEdges.errno)); the beat goes on, and it is tried again every second"
    }
  }
}
