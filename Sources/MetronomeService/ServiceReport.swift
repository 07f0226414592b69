import MetronomeCore

/// What the service manager is to be told, and when, in the words of sd_notify(3).
public struct ServiceReport: Sendable {
  /// How soon a status follows another that differs from it in figures only.
  private static let rest = Nanoseconds.seconds(1)
  /// How soon what the loops have done is looked at again.
  private static let restOfFigures = Nanoseconds.seconds(10)

  private var isReady = false
  private var told: ServiceStatus?
  private var toldText = ""
  /// What the loops had done when it was looked at last; empty: nothing.
  private var tail = ""
  private var tailUntil = Instant.zero
  private var toldAt = Instant.zero

  public init() {}

  /// Looks at the status of the box.
  ///
  /// - Parameter figures: what the loops have done, in a few words; nil: nothing yet. Asked for every ten seconds at the most,
  ///   and shown after the status. Nobody is woken for it.
  /// - Returns: what is to be told now; and when to look again though nothing was heard of: figures drift in silence.
  public mutating func step(
    _ status: ServiceStatus, figures: @autoclosure () -> String? = nil, at now: Instant
  ) -> (news: [String], next: Instant?) {
    var news: [String] = []
    if status.isReady, !isReady {
      isReady = true
      news.append("READY=1")
    }
    if now >= tailUntil {
      tail = figures().map { " · " + $0 } ?? ""
      tailUntil = now + ServiceReport.restOfFigures
    }
    let text = status.text + tail
    let isDue = now >= toldAt + ServiceReport.rest || status.withoutFigures != told?.withoutFigures
    if isDue, text != toldText {
      news.append("STATUS=" + text.split(whereSeparator: \.isNewline).joined(separator: " "))
      told = status
      toldText = text
      toldAt = now
    }
    if case .locked = status.audio { return (news, now + ServiceReport.rest) }
    return (news, nil)
  }

  /// What is told when the configuration begins to be read again, at this instant of `CLOCK_MONOTONIC`: nothing before the
  /// box is ready, for the end of reloading would say that it is.
  public func reloading(at now: Instant) -> [String] {
    isReady ? ["RELOADING=1", "MONOTONIC_USEC=\(now.nanoseconds / 1_000)"] : []
  }

  /// What is told when that is done.
  public func reloaded() -> [String] { isReady ? ["READY=1"] : [] }
}

/// What the service manager did not accept yet: of each assignment the newest. A box whose `READY=1` is lost would never
/// count as ready.
public struct PendingNotifications: Hashable, Sendable {
  /// In the order in which they are sent, as `READY=1`.
  public private(set) var assignments: [String] = []

  public init() {}

  public mutating func add(_ more: [String]) {
    for assignment in more {
      assignments.removeAll { Self.name(of: $0) == Self.name(of: assignment) }
      assignments.append(assignment)
    }
  }

  /// All of them are sent.
  public mutating func clear() { assignments.removeAll() }

  private static func name(of assignment: String) -> Substring { assignment.prefix { $0 != "=" } }
}
