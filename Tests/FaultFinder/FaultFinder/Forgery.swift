import HardwareAbstraction
import MetronomeCore

/// A false event, reported to show that a checker detects it.
public enum Forgery: Hashable, Sendable {
  /// A beat at this distance from the last one, in time and in index.
  case beat(moved: Nanoseconds, index: Int64)
  case line(OutputLine, isActive: Bool)
  case click(Level)
  /// Another tempo.
  case state
  /// A click that is counted as missed.
  case missed
  /// A command of another program that is said to be carried out.
  case command(String)
}
