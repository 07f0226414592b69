import MetronomeCore

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
