import HardwareAbstraction
import MetronomeCore

/// Something that is told and has not happened: shows that a checker notices.
public enum Forgery: Hashable, Sendable {
  /// A beat so much after the last one, in time and in number.
  case beat(moved: Nanoseconds, index: Int64)
  case line(Output, isActive: Bool)
  case click(Level)
  /// Another tempo.
  case state
  /// A click that is counted as missed.
  case missed
}
