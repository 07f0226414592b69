import FaultFinder
import Foundation
import Testing

/// What was found once is looked for again: each life that broke a promise breaks none any more.
@Suite struct FoundTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("found").path

  private static let names: [String] = {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return files.filter { $0.hasSuffix(".script") }.map { String($0.dropLast(".script".count)) }.sorted()
  }()

  @Test(arguments: names) func noPromiseIsBrokenAnyMore(name: String) throws {
    let trial = try Trial(try Life(named: name, in: FoundTests.folder))
    #expect(trial.breaches == [])
  }
}
