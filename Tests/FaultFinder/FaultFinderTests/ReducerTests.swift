import FaultFinder
import Foundation
import MetronomeCore
import Testing

/// The reducer shortens a life as long as it breaks the promise.
@Suite struct ReducerTests {
  private static let life = Life(
    seed: 7, length: .seconds(3_600),
    configuration: Life.File(
      name: "box.yaml",
      lines: ["tempo: 90", "outputs:", "  light:", "    gaps: true", "    latency_us: 7", "count_in: 2"]),
    reloads: [Life.File(name: "other.yaml", lines: ["tempo: 7"])],
    lines: [
      "1.234567s press play", "2s press faster", "3s reload other.yaml", "4s card stops", "5s press tap",
      "6s press tap",
      "7s restart",
    ])

  @Test func onlyNecessaryLinesRemain() {
    var tried = 0
    var reducer = Reducer(ReducerTests.life) { life in
      tried += 1
      return life.lines.contains { $0.hasSuffix("press play") } && life.lines.contains { $0.hasSuffix("card stops") }
        && life.configuration.lines.contains("    latency_us: 7") && life.length >= .seconds(5)
    }
    reducer.reduce(end: .seconds(6))
    #expect(reducer.life.lines == ["1s press play", "4s card stops"])
    #expect(reducer.life.configuration.lines == ["outputs:", "  light:", "    latency_us: 7"])
    #expect(reducer.life.reloads == [])
    #expect(reducer.life.length < .seconds(6))
    #expect(tried < 300)
  }

  @Test func onlyNecessaryLinesOfAScoreRemain() {
    var life = ReducerTests.life
    life.configuration.lines = ["score: song.txt"]
    life.scores = ["song.txt", "other.txt"].map { Life.File(name: $0, lines: ["4 120", "2 3/4 90", "pause wait"]) }
    var reducer = Reducer(life) { life in
      life.configuration.lines == ["score: song.txt"] && life.scores[0].lines.contains("2 3/4 90")
    }
    reducer.reduce(end: .seconds(6))
    #expect(reducer.life.scores == [Life.File(name: "song.txt", lines: ["2 3/4 90"])])
  }

  @Test func irreducibleLifeStaysUnchanged() {
    var reducer = Reducer(ReducerTests.life) { _ in false }
    reducer.reduce(end: .seconds(6))
    #expect(reducer.life == ReducerTests.life)
  }

  @Test func reductionStopsAtItsBudget() {
    var tried = 0
    var reducer = Reducer(ReducerTests.life, budget: 5) { _ in
      tried += 1
      return false
    }
    reducer.reduce(end: .seconds(6))
    #expect(tried == 5)
  }

  @Test func writtenFilesAreReadBack() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("reducer-tests-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var life = ReducerTests.life
    life.configuration.lines.append("score: song.txt")
    life.scores = [Life.File(name: "song.txt", lines: ["4 120", "2 3/4 90"])]
    try life.write(named: "x", in: folder)
    var read = try Life(named: "x", in: folder)
    #expect(read.lines[2] == "3s reload x-other.yaml")
    #expect(read.reloads.map(\.name) == ["x-other.yaml"])
    read.lines[2] = "3s reload other.yaml"
    read.reloads[0].name = "other.yaml"
    #expect(read.configuration.lines.last == "score: x-song.txt")
    #expect(read.scores.map(\.name) == ["x-song.txt"])
    read.configuration.name = "box.yaml"
    read.configuration.lines[read.configuration.lines.count - 1] = "score: song.txt"
    read.scores[0].name = "song.txt"
    #expect(read == life)
  }

  /// A judge replies with one line, also about two problems of a configuration.
  @Test func judgementIsOneLine() {
    let file = Life.File(name: "box.yaml", lines: ["tempi: 1", "beats: 2"])
    let judgement = Judgement(Life(seed: 1, length: .seconds(1), configuration: file), isDigested: false)
    guard case .unlivable(let reason) = judgement.outcome else {
      Issue.record("the configuration must be invalid")
      return
    }
    #expect(reason.contains("\n"))
    #expect(!judgement.line.contains("\n"))
  }
}
