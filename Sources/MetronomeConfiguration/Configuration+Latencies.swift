import HardwareAbstraction
import MetronomeCore

extension Configuration {
  /// The part of ``yaml`` that says how late each output is: of those that have a line, and of the clicks.
  ///
  /// - Parameter hasSound: whether there are clicks.
  public func latencyYAML(hasSound: Bool) -> String {
    var lines: [String] = []
    let outputs = Output.allCases.filter { wiring.outputs[$0] != nil }
    if !outputs.isEmpty { lines.append("outputs:") }
    lines += outputs.map { "  \($0.rawValue):\n    latency_us: \(latencies[$0].count / 1_000)" }
    if hasSound { lines += ["audio:", "  latency_us: \(latencies.audio.count / 1_000)"] }
    return lines.map { $0 + "\n" }.joined()
  }
}
