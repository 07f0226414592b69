import Foundation
import Testing

/// The metres of a beginner's book, each set up on the command line.
@Suite struct MetreTableTests {
  private static let metres: [(signature: String, options: [String], hits: String)] = [
    ("2/4", [], "Xx"), ("3/4", [], "Xxx"), ("4/4", [], "Xxxx"), ("5/4", [], "Xxxxx"),
    ("6/8", ["--beat", "3/8"], "XooYoo"), ("2+2+3/8", [], "XxYxYxx"), ("9/8", ["--beat", "3/8"], "XooYooYoo"),
    ("12/8", ["--beat", "3/8"], "XooYooYooYoo"), ("5/4", ["--rhythm", "XxxYx"], "XxxYx"),
  ]

  @Test(arguments: metres) func metreIsOneLine(signature: String, options: [String], hits: String) throws {
    let document = "signature: \(signature)\nautoplay: true\naudio: {device: none}\n"
    let result = try Program.run(
      ["simulate", "--virtual", "--for", "10s", "--config", "-"] + options, input: Array(document.utf8))
    #expect(result.code == 0 && result.errors == "", "\(result.errors)")
    let letters = ["strong": "X", "medium": "Y", "weak": "x", "ghost": "o"]
    let lines = result.output.split(separator: "\n").filter { $0.contains("\"event\":\"hit\"") }
    let levels = lines.compactMap { line in letters.first { line.contains("\"level\":\"\($0.key)\"") }?.value }
    #expect(levels.prefix(2 * hits.count).joined() == hits + hits)
  }

  @Test func presetsKeepTheRhythm() throws {
    let folder = try Folder()
    let state = ["--state", folder.url.path]
    let jig = ["--signature", "6/8", "--beat", "3/8", "--rhythm", "XoxXox sub=2"]
    let steps = [["save", "Plain"], ["save", "Jig"] + jig, ["recall", "Jig"], ["save", "Again", "--rhythm", ""]]
    for arguments in steps {
      let result = try Program.run(["presets"] + arguments + state)
      #expect(result.code == 0 && result.errors == "", "\(arguments): \(result.errors)")
    }
    let list = try Program.run(["presets", "list"] + state).output
    #expect(
      list == """
          1      120 BPM  4/4    Plain
          2*     120 BPM  6/8    Jig  (beat 3/8, XoxXox sub=2)
          3      120 BPM  6/8    Again  (beat 3/8)

        """)
    let json = try Program.run(["presets", "list", "--json"] + state).output
    #expect(json.contains(#""beat":"3/8","name":"Jig","place":2,"rhythm":"XoxXox sub=2","signature":"6/8""#))
    #expect(json.contains(#"{"name":"Plain","place":1,"signature":"4/4","tempo":120}"#))
    let wrong = try Program.run(["presets", "save", "a", "--rhythm", "X.x."] + state)
    #expect(wrong.code == 64 && wrong.errors.contains("a pattern needs --signature"), "\(wrong.errors)")
  }
}
