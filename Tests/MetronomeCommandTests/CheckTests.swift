import Foundation
import Testing

/// The check as a person and a program meet it. What it finds depends on the machine; what a bad file is does not.
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
    let result = try Program.run(["check", "--json", "--for", "1"] + arguments)
    return (try JSONDecoder().decode(Report.self, from: Data(result.output.utf8)), result)
  }

  @Test func aBadFileIsToldWithItsPlaceAndItsRemedy() throws {
    let path = try folder.file("box.yaml", Array("tempo: 120\ntemp: 3\n".utf8)).path
    let (report, result) = try report("--config", path)
    let finding = report.findings.first { $0.area == "configuration" }
    #expect(finding?.state == "wrong")
    #expect(finding?.text.hasPrefix("\(path):2:1: ") == true)
    #expect(finding?.remedy?.contains("tempo") == true)
    #expect((report.version, report.state, report.exit) == (1, "wrong", 2))
    #expect(result.code == 2)
    #expect(result.errors.isEmpty)
  }

  @Test func everyDoubtfulOrWrongOneHasARemedyAndTheRestHasNone() throws {
    let path = try folder.file("box.yaml", Array("audio: {device: none}".utf8)).path
    let (report, result) = try report("--config", path, "--state", folder.path("missing"))
    for finding in report.findings {
      #expect((finding.remedy != nil) == ["doubtful", "wrong"].contains(finding.state), "\(finding)")
    }
    #expect(report.findings.contains { $0.area == "state" && $0.state == "wrong" })
    #expect(result.code == 2)
  }

  @Test func aTableHasNoColoursInAFile() throws {
    let result = try Program.run("check", "--for", "1", "--config", folder.path("missing.yaml"))
    #expect(result.output.contains("WRONG     file"))
    #expect(result.output.contains("→ check the path\n"))
    #expect(!result.output.contains("\u{1B}"))
    #expect(result.code == 2)
  }

  @Test(arguments: ["0", "601", "x"]) func aLengthIsANumberOfSeconds(text: String) throws {
    let result = try Program.run("check", "--for", text)
    #expect(result.code == 64)
  }
}
