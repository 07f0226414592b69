import FaultFinder
import Foundation
import Testing

/// Regression tests: each life that once broke a promise must not break any.
@Suite struct FoundTests {
  /// The files of all lives. An archive, `found/*.lives`, has a line `== NAME` before the text of each file.
  private static let files: [String: String] = {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("found")
    var files: [String: String] = [:]
    let archives = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
    for archive in archives where archive.pathExtension == "lives" {
      var name: String?
      for line in ((try? String(contentsOf: archive, encoding: .utf8)) ?? "").split(separator: "\n") {
        if line.hasPrefix("== ") {
          name = String(line.dropFirst(3))
        } else if let name {
          files[name, default: ""] += line + "\n"
        }
      }
    }
    return files
  }()

  private static let names = files.keys.filter { $0.hasSuffix(".script") }.map { String($0.dropLast(".script".count)) }
    .sorted()

  @Test(arguments: names) func foundLifeBreaksNoPromise(name: String) throws {
    let life = try Life(named: name) { file in try #require(FoundTests.files[file], "there is no file \(file)") }
    let trial = try Trial(life)
    #expect(trial.breaches == [])
  }

  @Test func thereAreLives() { #expect(FoundTests.names.count > 60) }
}
