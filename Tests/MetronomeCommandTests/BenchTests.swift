import Foundation
import Testing

/// The bench as a program meets it. How late the machine is that the tests run on is none of theirs.
@Suite struct BenchTests {
  private struct Report: Decodable {
    struct Loop: Decodable {
      var name: String
      var waits: Int
    }

    var version: Int
    var machine: String
    var blocks: Int
    var seconds: Double
    var loops: [Loop]
    var notices: [String]
  }

  private let folder: Folder

  init() throws { folder = try Folder() }

  @Test func itMeasuresEachLoopAndDraws() throws {
    let picture = folder.path("late.svg")
    let box = try folder.file("box.yaml", Array("audio: {device: none}".utf8)).path
    let result = try Program.run(
      "bench", "--blocks", "1", "--for", "2250ms", "--json", "--picture", picture, "--config", box)
    if result.code == 69 {
      #expect(result.errors.contains("there is no metronome-bench beside this program"))
      return
    }
    #expect([0, 1].contains(result.code))
    let report = try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
    #expect((report.version, report.blocks, report.seconds) == (1, 1, 2.25))
    #expect(Set(report.loops.map(\.name)).isSuperset(of: ["timer", "spinning", "playing", "nanosleep"]))
    for loop in report.loops where loop.name != "playing" { #expect(loop.waits > 0, "\(loop.name)") }
    #expect(try String(contentsOfFile: picture, encoding: .utf8).hasPrefix("<svg "))
  }

  /// What it says with a `stress-ng` that does this; nil: this build has no real board.
  private func report(underLoadOf script: String) throws -> Report? {
    let load = try folder.file("stress-ng", Array("#!/bin/sh\n\(script)\n".utf8)).path
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: load)
    let box = try folder.file("box.yaml", Array("audio: {device: none}".utf8)).path
    let line = "PATH=\"$1:$PATH\" exec \"$0\" bench --load --blocks 1 --for 2250ms --json --config \"$2\""
    let result = try Program.shell(line, folder.url.path, box)
    if result.code == 69 { return nil }
    return try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
  }

  @Test func loadLastsAsLongAsItMeasures() throws {
    let mark = folder.path("process")
    guard let report = try report(underLoadOf: "echo $$ \"$@\" >\(mark); exec sleep 600") else { return }
    #expect(report.machine.hasSuffix(", under load"))
    #expect(!report.notices.contains { $0.contains("load") })
    let words = try String(contentsOfFile: mark, encoding: .utf8).split(whereSeparator: \.isWhitespace)
    #expect(words.suffix(2) == ["--timeout", "124"])
    #expect(kill(try #require(pid_t(words[0])), 0) == -1)
  }

  @Test func loadThatEndsByItselfIsNone() throws {
    guard let report = try report(underLoadOf: "exit 1") else { return }
    #expect(!report.machine.contains("load"))
    #expect(report.notices.contains("no load: stress-ng has ended by itself"))
  }

  @Test func whatCannotBeWrittenIsSaidBeforeAnythingIsMeasured() throws {
    let result = try Program.run("bench", "--for", "24h", "--picture", "/nowhere/late.svg")
    #expect([73, 69].contains(result.code))
    #expect(result.output == "")
  }

  @Test func aBadConfigurationIsSaidBeforeAnythingIsMeasured() throws {
    let box = try folder.file("box.yaml", Array("tempi: 3\n".utf8)).path
    let result = try Program.run("bench", "--for", "24h", "--config", box)
    #expect([78, 69].contains(result.code))
  }
}
