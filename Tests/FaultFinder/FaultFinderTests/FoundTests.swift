import FaultFinder
import Foundation
import Testing

/// Regression tests: each life that once broke a promise must not break any.
@Suite struct FoundTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("found").path

  private static let names: [String] = {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return files.filter { $0.hasSuffix(".script") }.map { String($0.dropLast(".script".count)) }.sorted()
  }()

  @Test(arguments: names) func foundLifeBreaksNoPromise(name: String) throws {
    let trial = try Trial(try Life(named: name, in: FoundTests.folder))
    #expect(trial.breaches == [])
  }
}
