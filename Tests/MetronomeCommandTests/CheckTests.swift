import Foundation
import Testing

/// `metronome check` as a person and a program use it. The findings depend on the machine, except those about bad files.
@Suite struct CheckTests {
  private struct Report: Decodable {
    struct Finding: Decodable {
      var area: String
      var subject: String
      var state: String
      var text: String
      var remedy: String?
      var figures: [String: Double]
    }

    var version: Int
    var state: String
    var exit: Int32
    var findings: [Finding]
  }

  private let folder: Folder

  init() throws { folder = try Folder() }

  private func report(_ arguments: String...) throws -> (Report, Program.Result) {
    let result = try Program.run(["check", "--json", "--for", "1s"] + arguments)
    return (try JSONDecoder().decode(Report.self, from: Data(result.output.utf8)), result)
  }

  @Test func invalidFileIsReportedWithItsPositionAndItsRemedy() throws {
    let path = try folder.file("box.yaml", Array("tempo: 120\ntemp: 3\nrestore: 3\n".utf8)).path
    let (report, result) = try report("--config", path)
    let finding = report.findings.first { $0.area == "configuration" }
    #expect(finding?.state == "wrong")
    #expect(finding?.text.hasPrefix("\(path):2:1: ") == true)
    #expect(finding?.remedy == "did you mean \"tempo\"?; other problems: see \"metronome config --check FILE\"")
    #expect((report.version, report.state, report.exit) == (1, "wrong", 2))
    #expect(result.code == 2)
    #expect(result.errors.isEmpty)
  }

  @Test func onlyDoubtfulAndWrongFindingsHaveARemedy() throws {
    let path = try folder.file("box.yaml", Array("audio: {device: none}".utf8)).path
    let (report, result) = try report("--config", path, "--state", folder.path("missing"))
    for finding in report.findings {
      #expect((finding.remedy != nil) == ["doubtful", "wrong"].contains(finding.state), "\(finding)")
    }
    #expect(report.findings.contains { $0.area == "state" && $0.state == "wrong" })
    #expect(result.code == 2)
  }

  /// The last line counts every finding that sets the exit code, not only those of the trial.
  @Test func trialEndsWithOneCountOfAllFindings() throws {
    let path = try folder.file("box.yaml", Array("tempo: fast\n".utf8)).path
    let result = try Program.run("check", "--play", "--for", "1", "--config", path)
    let lines = Array(result.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast())
    #expect(lines.filter { $0.contains(" right, ") } == Array(lines.suffix(1)), "\(result.output)")
    #expect(lines.last?.hasSuffix(" 0 wrong") == false && !lines.contains(""), "\(result.output)")
    #expect(result.code == 2)
  }

  #if os(Linux)
    /// No machine has this chip.
    @Test func trialWithoutAChipIsOneFindingThatRefersToTheChip() throws {
      let path = try folder.file("box.yaml", Array("{chip: nowhere, audio: {device: none}}\n".utf8)).path
      let (report, result) = try report("--play", "--config", path)
      let trials = report.findings.filter { $0.area == "trial" }
      #expect(trials.map(\.subject) == ["chip"], "\(trials)")
      let chip = report.findings.first { $0.area == "lines" && $0.subject == "chip" }
      #expect(trials.first?.text.contains("see \"chip\" under \"lines\"") == true && chip?.state == "wrong")
      #expect(result.code == 2)
    }
  #endif

  @Test func tableInAFileHasNoColors() throws {
    let result = try Program.run("check", "--for", "1", "--config", folder.path("missing.yaml"))
    #expect(result.output.contains("WRONG     file"))
    #expect(result.output.contains("→ check the path\n"))
    #expect(!result.output.contains("\u{1B}"))
    #expect(result.code == 2)
  }

  @Test(arguments: ["0", "601", "x"]) func lengthOutsideOfItsRangeIsRefused(text: String) throws {
    let result = try Program.run("check", "--for", text)
    #expect(result.code == 64)
  }
}
