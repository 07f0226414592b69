import HardwareAbstraction
import MetronomeCore

/// A line that something hangs on.
struct WiredLine: Hashable {
  /// What hangs on it, by the name that the configuration gives it.
  var role: String
  var id: LineID
}

extension WiredLine: CustomStringConvertible {
  var description: String { "\(id) (\(role))" }
}

extension Wiring {
  /// All lines: the outputs first, then the buttons, each in the order in which they are declared.
  var lines: [WiredLine] {
    Output.allCases.compactMap { output in outputs[output].map { WiredLine(role: output.rawValue, id: $0.line) } }
      + Button.allCases.compactMap { button in buttons[button].map { WiredLine(role: button.rawValue, id: $0.line) } }
  }
}

extension [WiredLine] {
  /// As in a sentence: `GPIO17 (light), GPIO27 (pendulum)`.
  var listed: String { map(\.description).joined(separator: ", ") }
}
