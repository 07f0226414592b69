import HardwareAbstraction
import MetronomeCore

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
