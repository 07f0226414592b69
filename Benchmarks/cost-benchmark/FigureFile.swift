import Foundation

/// Collects figures for the figures page, one per line, if a file is given.
final class FigureFile {
  private let path: String?
  private var lines = ""

  /// - Parameter path: nil: the figures are discarded.
  init(path: String?) { self.path = path }

  /// - Parameter id: the name in `Benchmarks/thresholds.json`.
  func add(_ id: String, _ value: Double) { lines += "\(id) \(value) metronome\n" }

  /// Appends the figures to the file.
  func write() throws {
    guard let path else { return }
    let old = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    try (old + lines).write(toFile: path, atomically: true, encoding: .utf8)
  }
}
