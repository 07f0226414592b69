import HardwareAbstraction
import MetronomeCore

/// How long an output is active from a beat on.
public enum Pulse: Hashable, Sendable, BitwiseCopyable {
  /// So long, but never longer than half the way to the next beat, so that the next one is seen to rise. Zero: not at all.
  case atMost(Nanoseconds)
  /// Until the next beat.
  case wholeBeat

  func end(from beat: Instant, to next: Instant) -> Instant {
    switch self {
    case .atMost(let width): beat + min(width, (next - beat) / 2)
    case .wholeBeat: next
    }
  }
}

/// What each output does on a beat.
public struct OutputPattern: Hashable, Sendable, BitwiseCopyable {
  /// A pulse for each accent.
  public struct Pulses: Hashable, Sendable, BitwiseCopyable {
    public var first: Pulse
    public var regular: Pulse

    public init(first: Pulse, regular: Pulse) {
      self.first = first
      self.regular = regular
    }

    subscript(accent: Accent) -> Pulse {
      switch accent {
      case .first: first
      case .regular: regular
      }
    }
  }

  public var light: Pulses
  /// Of odd beats; on even ones the pendulum is off.
  public var pendulum: Pulses
  public var buzzer: Pulses

  /// A flash that the eye catches and tells apart, a beep that stays dry, and a pendulum that swings from beat to beat.
  public init(
    light: Pulses = Pulses(first: .atMost(.milliseconds(100)), regular: .atMost(.milliseconds(50))),
    pendulum: Pulses = Pulses(first: .wholeBeat, regular: .wholeBeat),
    buzzer: Pulses = Pulses(first: .atMost(.milliseconds(40)), regular: .atMost(.milliseconds(20)))
  ) {
    self.light = light
    self.pendulum = pendulum
    self.buzzer = buzzer
  }

  /// When each output goes off again that a beat switches on at `start`; `start` itself for one that it leaves off.
  func ends(of beat: Beat, from start: Instant, next: Instant) -> PulseEnds {
    // Not a comparison: Swift 6.0 compares the texts of the two, and lets go of them, on every beat.
    let pendulumEnd =
      switch beat.parity {
      case .odd: pendulum[beat.accent].end(from: start, to: next)
      case .even: start
      }
    return PulseEnds(
      light: light[beat.accent].end(from: start, to: next), pendulum: pendulumEnd,
      buzzer: buzzer[beat.accent].end(from: start, to: next))
  }
}

/// When the outputs that one beat switched on go off again.
struct PulseEnds {
  var light: Instant
  var pendulum: Instant
  var buzzer: Instant

  /// What is on at an instant.
  func levels(at now: Instant) -> OutputLevels {
    var levels = OutputLevels.inactive
    if light > now { levels.insert(.light) }
    if pendulum > now { levels.insert(.pendulum) }
    if buzzer > now { levels.insert(.buzzer) }
    return levels
  }

  /// The next of some of them after an instant, or `end` if none is left before it.
  func next(of outputs: OutputLevels, after now: Instant, before end: Instant) -> Instant {
    var next = end
    if light > now, outputs.contains(.light) { next = min(next, light) }
    if pendulum > now, outputs.contains(.pendulum) { next = min(next, pendulum) }
    if buzzer > now, outputs.contains(.buzzer) { next = min(next, buzzer) }
    return next
  }
}
