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
  /// All lines: the outputs first, then the buttons.
  var lines: [WiredLine] { outputLines + buttonLines }

  /// In the order in which outputs are declared.
  var outputLines: [WiredLine] {
    Output.allCases.compactMap { output in outputs[output].map { WiredLine(role: output.rawValue, id: $0.line) } }
  }

  /// In the order in which buttons are declared.
  var buttonLines: [WiredLine] {
    Button.allCases.compactMap { button in buttons[button].map { WiredLine(role: button.rawValue, id: $0.line) } }
  }
}

extension [WiredLine] {
  /// As in a sentence: `GPIO17 (light), GPIO27 (pendulum)`.
  var listed: String { map(\.description).joined(separator: ", ") }
}
