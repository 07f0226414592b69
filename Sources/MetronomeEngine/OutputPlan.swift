import HardwareAbstraction
import MetronomeCore
import Synchronization

/// How early each output is sent and which of them keep quiet, changed by one thread while the beat and audio loops play.
///
/// No lock, and nothing to wait for: each value is an atomic of its own. A loop that looks while values are being set may
/// take in some of them, and takes in the rest with the generation that follows.
public final class OutputPlan: Sendable {
  /// What the outputs are to do.
  public struct Settings: Hashable, Sendable {
    public var latencies: OutputLatencies
    /// Lines that stay inactive. One that may be active again is so from its next beat on.
    public var muted: OutputLevels
    /// Whether no click is begun.
    public var isAudioMuted: Bool

    public init(latencies: OutputLatencies = .none, muted: OutputLevels = .inactive, isAudioMuted: Bool = false) {
      self.latencies = latencies
      self.muted = muted
      self.isAudioMuted = isAudioMuted
    }
  }

  private let light = Atomic<Int64>(0)
  private let pendulum = Atomic<Int64>(0)
  private let buzzer = Atomic<Int64>(0)
  private let audio = Atomic<Int64>(0)
  private let mutedLines = Atomic<UInt8>(0)
  private let mutedAudio = Atomic(false)
  private let changes = Atomic<UInt64>(0)

  public init(_ settings: Settings = Settings()) { set(settings) }

  /// How often it was set: never 0. Any thread.
  public var generation: UInt64 { changes.load(ordering: .acquiring) }

  /// Sets it anew. One thread only.
  public func set(_ settings: Settings) {
    store(settings.latencies)
    mutedLines.store(settings.muted.rawValue, ordering: .relaxed)
    mutedAudio.store(settings.isAudioMuted, ordering: .relaxed)
    changes.wrappingAdd(1, ordering: .releasing)
  }

  /// Sends outputs otherwise early, and leaves it as it is who keeps quiet. The one thread that sets it.
  func set(_ latencies: OutputLatencies) {
    store(latencies)
    changes.wrappingAdd(1, ordering: .releasing)
  }

  private func store(_ latencies: OutputLatencies) {
    light.store(latencies.light.count, ordering: .relaxed)
    pendulum.store(latencies.pendulum.count, ordering: .relaxed)
    buzzer.store(latencies.buzzer.count, ordering: .relaxed)
    audio.store(latencies.audio.count, ordering: .relaxed)
  }

  /// Lets outputs keep quiet or sound again, and leaves the latencies as they are. The one thread that sets it.
  public func mute(_ lines: OutputLevels, audio: Bool) {
    mutedLines.store(lines.rawValue, ordering: .relaxed)
    mutedAudio.store(audio, ordering: .relaxed)
    changes.wrappingAdd(1, ordering: .releasing)
  }

  /// How early a line is sent. Any thread.
  public func latency(of output: Output) -> Nanoseconds {
    switch output {
    case .light: Nanoseconds(light.load(ordering: .relaxed))
    case .pendulum: Nanoseconds(pendulum.load(ordering: .relaxed))
    case .buzzer: Nanoseconds(buzzer.load(ordering: .relaxed))
    }
  }

  /// How early a click is placed. Any thread.
  public var audioLatency: Nanoseconds { Nanoseconds(audio.load(ordering: .relaxed)) }

  /// Lines that stay inactive. Any thread.
  public var muted: OutputLevels { OutputLevels(rawValue: mutedLines.load(ordering: .relaxed)) }

  /// Whether no click is begun. Any thread.
  public var isAudioMuted: Bool { mutedAudio.load(ordering: .relaxed) }
}

/// How late each output is known to be: from the call that sets the line, or the instant at which the card says a frame
/// sounds, until it is seen or heard.
///
/// Each is sent so much earlier, and all land together on the beat. Only differences are to be seen: what is the same
/// for all may as well be left out, and makes a press wait less.
public struct OutputLatencies: Hashable, Sendable, BitwiseCopyable {
  /// The longest that is allowed for.
  public static let longest = Nanoseconds.milliseconds(500)

  public var light: Nanoseconds
  public var pendulum: Nanoseconds
  public var buzzer: Nanoseconds
  /// Of the clicks.
  public var audio: Nanoseconds

  /// - Precondition: each from 0 to ``longest``.
  public init(
    light: Nanoseconds = .zero, pendulum: Nanoseconds = .zero, buzzer: Nanoseconds = .zero, audio: Nanoseconds = .zero
  ) {
    self.light = light
    self.pendulum = pendulum
    self.buzzer = buzzer
    self.audio = audio
    precondition(isAllowed, "a latency below nothing or above half a second")
  }

  /// All as good as at once.
  public static let none = OutputLatencies()
  /// All as late as is allowed for.
  public static let most = OutputLatencies(light: longest, pendulum: longest, buzzer: longest, audio: longest)

  /// Of a line.
  public subscript(output: Output) -> Nanoseconds {
    get {
      switch output {
      case .light: light
      case .pendulum: pendulum
      case .buzzer: buzzer
      }
    }
    set {
      switch output {
      case .light: light = newValue
      case .pendulum: pendulum = newValue
      case .buzzer: buzzer = newValue
      }
    }
  }

  /// Whether each is from 0 to ``longest``.
  var isAllowed: Bool {
    let range = Nanoseconds.zero...OutputLatencies.longest
    return range.contains(light) && range.contains(pendulum) && range.contains(buzzer) && range.contains(audio)
  }

  /// Each made longer by the same, but none shorter than nothing.
  func moved(by change: Nanoseconds) -> OutputLatencies {
    OutputLatencies(
      light: max(.zero, light + change), pendulum: max(.zero, pendulum + change), buzzer: max(.zero, buzzer + change),
      audio: max(.zero, audio + change))
  }

  /// Of the latest line.
  var ofLines: Nanoseconds { max(light, pendulum, buzzer) }
}
