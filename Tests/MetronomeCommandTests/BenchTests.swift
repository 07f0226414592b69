import Foundation
import Testing

/// `metronome bench` as a calling program sees it. The tests do not judge how late the machine is on which they run.
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

  @Test func benchMeasuresEachLoopAndWritesThePicture() throws {
    let picture = folder.path("late.svg")
    let box = try folder.file("box.yaml", Array("audio: {device: none}".utf8)).path
    let result = try Program.run(
      "bench", "--blocks", "1", "--for", "2250ms", "--json", "--picture", picture, "--config", box)
    if result.code == 69 {
      #expect(result.errors.contains("metronome-bench is neither in the folder of this program nor in PATH"))
      return
    }
    #expect([0, 1].contains(result.code))
    let report = try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
    #expect((report.version, report.blocks, report.seconds) == (1, 1, 2.25))
    #expect(Set(report.loops.map(\.name)).isSuperset(of: ["timer", "spinning", "playing", "nanosleep"]))
    for loop in report.loops where loop.name != "playing" { #expect(loop.waits > 0, "\(loop.name)") }
    #expect(try String(contentsOfFile: picture, encoding: .utf8).hasPrefix("<svg "))
  }

  /// The report of `bench --load` with this script as `stress-ng`; nil if this build has no real board.
  private func report(underLoadOf script: String) throws -> Report? {
    let load = try folder.file("stress-ng", Array("#!/bin/sh\n\(script)\n".utf8)).path
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: load)
    let box = try folder.file("box.yaml", Array("audio: {device: none}".utf8)).path
    let line = "PATH=\"$1:$PATH\" exec \"$0\" bench --load --blocks 1 --for 2250ms --json --config \"$2\""
    let result = try Program.shell(line, folder.url.path, box)
    if result.code == 69 { return nil }
    return try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
  }

  @Test func loadLastsAsLongAsTheMeasurement() throws {
    let mark = folder.path("process")
    guard let report = try report(underLoadOf: "echo $$ \"$@\" >\(mark); exec sleep 600") else { return }
    #expect(report.machine.hasSuffix(", under load"))
    #expect(!report.notices.contains { $0.contains("load") })
    let words = try String(contentsOfFile: mark, encoding: .utf8).split(whereSeparator: \.isWhitespace)
    #expect(words.suffix(2) == ["--timeout", "124"])
    #expect(kill(try #require(pid_t(words[0])), 0) == -1)
  }

  @Test func loadThatEndsEarlyIsReportedAsNoLoad() throws {
    guard let report = try report(underLoadOf: "exit 1") else { return }
    #expect(!report.machine.contains("load"))
    #expect(report.notices.contains("no load: stress-ng ended early"))
  }

  @Test func unwritablePictureIsReportedBeforeTheMeasurement() throws {
    let result = try Program.run("bench", "--for", "24h", "--picture", "/nowhere/late.svg")
    #expect([73, 69].contains(result.code))
    #expect(result.output == "")
  }

  @Test func invalidConfigurationIsReportedBeforeTheMeasurement() throws {
    let box = try folder.file("box.yaml", Array("tempi: 3\n".utf8)).path
    let result = try Program.run("bench", "--for", "24h", "--config", box)
    #expect([78, 69].contains(result.code))
  }
}
