import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// What a person wants to know of the box at a glance, as `systemctl status` shows it.
public struct ServiceStatus: Hashable, Sendable {
  public var state: MetronomeState
  /// Those whose lines are held.
  public var outputs: Set<Output>
  /// Why the lines are waited for, in a word or two; nil: they are not.
  public var missingLines: String?
  /// How it stands with the sound; nil: there is to be none, or it is not known yet.
  public var audio: AudioState?

  public init(state: MetronomeState, outputs: Set<Output>, missingLines: String? = nil, audio: AudioState? = nil) {
    self.state = state
    self.outputs = outputs
    self.missingLines = missingLines
    self.audio = audio
  }

  /// Whether the box is to be seen or heard.
  public var isReady: Bool { !working.isEmpty }

  /// One line: `120 BPM 4/4 playing · light, buzzer, audio locked +12.3 ppm · waiting for …`, what there is nothing of left
  /// out.
  public var text: String {
    let mode = (state.isPlaying ? "playing" : "stopped") + (state.isSilent ? ", silent" : "")
    var parts = ["\(state.tempo) \(state.signature) \(mode)"]
    if !working.isEmpty { parts.append(working.joined(separator: ", ")) }
    if !missing.isEmpty { parts.append("waiting for " + missing.joined(separator: ", ")) }
    return parts.joined(separator: " · ")
  }

  /// The same but for figures that drift.
  var withoutFigures: ServiceStatus {
    var status = self
    switch audio {
    case .locking(let lock): status.audio = .locking(AudioState.Lock(name: lock.name, ratePPB: 0))
    case .locked(let lock): status.audio = .locked(AudioState.Lock(name: lock.name, ratePPB: 0))
    case .off, .waiting, nil: break
    }
    return status
  }

  private var working: [String] {
    let sound: String? =
      switch audio {
      case .locking: "audio locking"
      case .locked(let lock): "audio locked \(lock.ppm) ppm"
      case .off, .waiting, nil: nil
      }
    return Output.lines.filter(outputs.contains).map(\.rawValue) + [sound].compactMap(\.self)
  }

  private var missing: [String] {
    var missing: [String] = []
    if let missingLines { missing.append("the GPIO lines (\(missingLines))") }
    if case .waiting(let name, let absence) = audio { missing.append("\(name) (\(absence.cause.words))") }
    return missing
  }
}

extension AudioState.Lock {
  /// By how much the card runs faster than it says, in parts per million, with a sign and one decimal.
  public var ppm: String {
    let tenths = (ratePPB.magnitude + 50) / 100
    return "\(ratePPB < 0 && tenths > 0 ? "-" : "+")\(tenths / 10).\(tenths % 10)"
  }
}

extension AbsenceOfSound.Cause {
  fileprivate var words: String {
    switch self {
    case .gone: "not there"
    case .inUse: "in use"
    case .frozen: "stands still"
    case .racing: "no sound card"
    case .deaf: "takes no sound"
    case .failed: "fails"
    }
  }
}

/// Tells the service manager that the box is alive, as long as its beat loop goes on.
///
/// At each quarter of the manager's patience the beat loop is rung, so that it makes a step; what is told is that it did.
public struct Watchdog: Sendable {
  /// From one look to the next.
  public let interval: Nanoseconds
  private var next: Instant
  private var steps: UInt64

  /// What is to be done.
  public struct Duty: Hashable, Sendable {
    /// Whether the manager is to be told.
    public var isAlive = false
    /// Whether the beat loop is to be rung.
    public var rings = false
    /// When to look again.
    public var next: Instant
  }

  /// As the manager asks for it by `$WATCHDOG_USEC` and `$WATCHDOG_PID`; nil if it does not, or asks somebody else.
  public init?(environment: [String: String], process: Int32, steps: UInt64, at now: Instant) {
    guard let text = environment["WATCHDOG_USEC"], let patience = Int64(text), patience > 0,
      patience <= Int64.max / 1_000
    else { return nil }
    if let asked = environment["WATCHDOG_PID"], asked != "\(process)" { return nil }
    interval = max(Nanoseconds(patience * 1_000) / 4, Nanoseconds(1))
    next = now
    self.steps = steps
  }

  /// Looks whether the beat loop has made a step since the manager was told last.
  ///
  /// - Parameter steps: how many it has made.
  public mutating func step(at now: Instant, steps: UInt64) -> Duty {
    guard now >= next else { return Duty(next: next) }
    let isAlive = steps != self.steps
    self.steps = steps
    next = now + interval
    return Duty(isAlive: isAlive, rings: true, next: next)
  }
}
