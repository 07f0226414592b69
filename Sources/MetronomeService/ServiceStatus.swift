import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// A one-line summary of the box for `systemctl status`.
public struct ServiceStatus: Hashable, Sendable {
  public var state: MetronomeState
  /// The lines of outputs that are held.
  public var outputs: LineSet
  public var names: BoxNames
  /// Why the lines are missing, in a word or two; nil if they are held.
  public var missingLines: String?
  /// The audio state; nil without sound, or while unknown.
  public var audio: AudioState?
  /// The same of the second sound card.
  public var secondAudio: AudioState?

  public init(
    state: MetronomeState, outputs: LineSet, names: BoxNames = .standard, missingLines: String? = nil,
    audio: AudioState? = nil, secondAudio: AudioState? = nil
  ) {
    self.state = state
    self.outputs = outputs
    self.names = names
    self.missingLines = missingLines
    self.audio = audio
    self.secondAudio = secondAudio
  }

  public var isReady: Bool { !working.isEmpty }

  /// One line: `120 BPM 4/4 playing · light, buzzer, audio locked +12.3 ppm · waiting for …`, without empty parts.
  public var text: String {
    var parts = ["\(state.tempoText) \(state.barText) \(state.mode)"]
    if !working.isEmpty { parts.append(working.joined(separator: ", ")) }
    if !missing.isEmpty { parts.append("waiting for " + missing.joined(separator: ", ")) }
    return parts.joined(separator: " · ")
  }

  var withoutFigures: ServiceStatus {
    var status = self
    (status.audio, status.secondAudio) = (audio?.withoutFigures, secondAudio?.withoutFigures)
    return status
  }

  private var working: [String] {
    outputs.map { names[$0] } + [audio?.working, secondAudio?.working.map { "second " + $0 }].compactMap(\.self)
  }

  private var missing: [String] {
    var missing: [String] = []
    if let missingLines { missing.append("the GPIO lines (\(missingLines))") }
    for case .waiting(let name, let absence)? in [audio, secondAudio] {
      missing.append("\(name) (\(absence.cause.words))")
    }
    return missing
  }
}

extension AudioState {
  fileprivate var withoutFigures: AudioState {
    switch self {
    case .locking(let lock): .locking(Lock(name: lock.name, ratePPB: 0))
    case .locked(let lock): .locked(Lock(name: lock.name, ratePPB: 0))
    case .off, .waiting: self
    }
  }

  /// nil if no card plays.
  fileprivate var working: String? {
    switch self {
    case .locking: "audio locking"
    case .locked(let lock): "audio locked \(lock.ppm) ppm"
    case .off, .waiting: nil
    }
  }
}

extension AudioState.Lock {
  /// How much faster than nominal the card runs, in parts per million, with a sign and one decimal.
  public var ppm: String {
    let tenths = (ratePPB.magnitude + 50) / 100
    return "\(ratePPB < 0 && tenths > 0 ? "-" : "+")\(tenths / 10).\(tenths % 10)"
  }
}

extension AudioAbsence.Cause {
  fileprivate var words: String {
    switch self {
    case .gone: "missing"
    case .inUse: "in use"
    case .frozen: "stalled"
    case .racing: "not a sound card"
    case .deaf: "accepts no sound"
    case .failed: "fails"
    }
  }
}

/// Decides when to report to the service manager that the box is alive. Every quarter of the manager's timeout it wakes the
/// beat loop. It reports only if the loop has made a step since the previous check.
public struct Watchdog: Sendable {
  public let interval: Nanoseconds
  private var next: Instant
  private var steps: UInt64

  public struct Duty: Hashable, Sendable {
    public var isAlive = false
    /// Whether to wake the beat loop.
    public var rings = false
    public var next: Instant
  }

  /// Reads `$WATCHDOG_USEC` and `$WATCHDOG_PID`; nil if the manager does not watch this process.
  public init?(environment: [String: String], process: Int32, steps: UInt64, at now: Instant) {
    guard let text = environment["WATCHDOG_USEC"], let timeout = Int64(text), timeout > 0,
      timeout <= Int64.max / 1_000
    else { return nil }
    if let watched = environment["WATCHDOG_PID"], watched != "\(process)" { return nil }
    interval = max(Nanoseconds(timeout * 1_000) / 4, Nanoseconds(1))
    next = now
    self.steps = steps
  }

  /// `steps` is the number of steps that the beat loop has made.
  public mutating func step(at now: Instant, steps: UInt64) -> Duty {
    guard now >= next else { return Duty(next: next) }
    let isAlive = steps != self.steps
    self.steps = steps
    next = now + interval
    return Duty(isAlive: isAlive, rings: true, next: next)
  }
}

/// The notifications for the service manager, in the format of sd_notify(3), and when to send them.
public struct ServiceReport: Sendable {
  /// The shortest time between statuses that differ only in their figures.
  private static let shortestInterval = Nanoseconds.seconds(1)
  /// The time between readings of the loops' figures.
  private static let figuresInterval = Nanoseconds.seconds(10)

  private var isReady = false
  private var lastSent: ServiceStatus?
  private var lastText = ""
  /// The text of the last figures; may be empty.
  private var figuresText = ""
  private var figuresUntil = Instant.zero
  private var lastSentAt = Instant.zero

  public init() {}

  /// Returns the notifications to send now, and when to call again without a new status, because figures keep changing. The
  /// figures follow the status, and are read at most every ten seconds; nil if there are none yet.
  public mutating func step(
    _ status: ServiceStatus, figures: @autoclosure () -> String? = nil, at now: Instant
  ) -> (news: [String], next: Instant?) {
    var news: [String] = []
    if status.isReady, !isReady {
      isReady = true
      news.append("READY=1")
    }
    if now >= figuresUntil {
      figuresText = figures().map { " · " + $0 } ?? ""
      figuresUntil = now + ServiceReport.figuresInterval
    }
    let text = status.text + figuresText
    let isDue = now >= lastSentAt + ServiceReport.shortestInterval || status.withoutFigures != lastSent?.withoutFigures
    if isDue, text != lastText {
      news.append("STATUS=" + text.split(whereSeparator: \.isNewline).joined(separator: " "))
      lastSent = status
      lastText = text
      lastSentAt = now
    }
    for case .locked? in [status.audio, status.secondAudio] { return (news, now + ServiceReport.shortestInterval) }
    return (news, nil)
  }

  /// The notifications for the start of a reload. There are none before the box is ready, because the end of a reload sends
  /// `READY=1`.
  public func reloading(at now: Instant) -> [String] {
    isReady ? ["RELOADING=1", "MONOTONIC_USEC=\(now.nanoseconds / 1_000)"] : []
  }

  public func reloaded() -> [String] { isReady ? ["READY=1"] : [] }
}

/// Notifications that the service manager has not accepted yet: the newest of each name. `READY=1` must not be lost.
public struct PendingNotifications: Hashable, Sendable {
  /// In sending order; for example `READY=1`.
  public private(set) var assignments: [String] = []

  public init() {}

  public mutating func add(_ more: [String]) {
    for assignment in more {
      assignments.removeAll { Self.name(of: $0) == Self.name(of: assignment) }
      assignments.append(assignment)
    }
  }

  public mutating func clear() { assignments.removeAll() }

  private static func name(of assignment: String) -> Substring { assignment.prefix { $0 != "=" } }
}
