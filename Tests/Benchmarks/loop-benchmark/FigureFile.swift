import Foundation

/// Collects figures for the figures page, if there is a file for them: a line for each.
final class FigureFile {
  private let path: String?
  private var lines = ""

  /// - Parameter path: nil: they are for nobody.
  init(path: String?) { self.path = path }

  /// - Parameter id: as `Benchmarks/thresholds.json` calls it.
  func add(_ id: String, _ value: Double) { lines += "\(id) \(value) metronome\n" }

  /// Writes them at the end of the file.
  func write() throws {
    guard let path else { return }
    let old = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    try (old + lines).write(toFile: path, atomically: true, encoding: .utf8)
  }
}
