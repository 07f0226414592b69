import HardwareAbstraction

/// The outputs as lamps on a line of a terminal.
package struct Lamps {
  private let levels: OutputLevels

  package init(_ levels: OutputLevels) { self.levels = levels }

  /// A lamp and a name for each of these.
  package func text(of outputs: [Output]) -> String {
    outputs.map { lamp($0) + "  " + $0.rawValue }.joined(separator: "      ")
  }

  private func lamp(_ output: Output) -> String {
    levels.contains(OutputLevels(output)) ? "\u{1B}[1;\(color(of: output))m●\u{1B}[0m" : "\u{1B}[2m○\u{1B}[0m"
  }

  private func color(of output: Output) -> Int {
    switch output {
    case .light: 33
    case .pendulum: 36
    case .buzzer: 35
    }
  }
}
