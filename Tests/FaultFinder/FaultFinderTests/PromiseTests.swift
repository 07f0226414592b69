import FaultFinder
import Foundation
import Testing

/// The promises in the code and in the manual are identical.
@Suite struct PromiseTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test func manualListsEachPromiseVerbatim() throws {
    let manual = try String(
      contentsOf: PromiseTests.root.appendingPathComponent("Documentation/Promises.md"), encoding: .utf8)
    let rows = manual.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst(2).map(String.init)
    #expect(rows == Promise.allCases.map { "| \($0.rawValue) | \($0.sentence) |" })
  }
}
