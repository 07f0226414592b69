import MetronomeConfiguration
import TestSupport
import Testing

/// Hostile files: each must end soon, with one line for each problem, and never in a trap.
@Suite struct HostileFileTests {
  static let tooDeep =
    "more than 16 nested levels; a configuration has at most four: inputs, a device, its keys, a key"
  static let empty =
    "m.yaml: the file is empty, possibly because of a power failure while it was written; "
    + "write it again, or delete it to use the built-in configuration"

  @Test(arguments: [
    ("[", "1:17"), ("{", "1:17"), ("- ", "1:33"), ("? ", "1:33"), ("[{", "1:17"),
    ("a: [", "1:33"), ("[a: ", "1:33"), ("{a: ", "1:65"), ("\n[", "18:1"), ("{\"a\":", "1:81"), ("[[],", "1:62"),
  ])
  func deepNestingIsRefused(piece: String, place: String) {
    let text = String(repeating: piece, count: 200_000 / piece.utf8.count)
    #expect(complaint(text) == "m.yaml:\(place): \(HostileFileTests.tooDeep)")
  }

  @Test func deepIndentationIsRefused() {
    let stairs = (0..<600).map { String(repeating: " ", count: $0) + "a:\n" }.joined()
    #expect(complaint(stairs) == "m.yaml:17:17: \(HostileFileTests.tooDeep)")
    let dashes = (0..<600).map { String(repeating: " ", count: $0) + "-\n" }.joined()
    #expect(complaint(dashes) == "m.yaml:17:17: \(HostileFileTests.tooDeep)")
  }

  @Test(arguments: [
    "a: it's [\nb: ", "a: x[\nb: ", "a: 'x'\nb: \"y\\\"\"\nc: ", "# '\n", "a: b#'\nb: ", "a: \"\n  x\"\nb: ",
    "a: b c'\nb: ",
    "a: [b'c, \"d\"]\nb: ", "---\n", "? 'a\n  b'\n: ",
  ])
  func depthHiddenBehindQuotesAndBracketsIsRefused(beginning: String) throws {
    let text = beginning + String(repeating: "\n [", count: 8) + String(repeating: "[", count: 100_000)
    let message = try #require(complaint(text))
    #expect(message.hasSuffix(HostileFileTests.tooDeep))
  }

  @Test func quotedAndCommentedBracketsDoNotCount() throws {
    let brackets = String(repeating: "[{", count: 1_000)
    let few = brackets.prefix(25)
    let yaml = """
      # \(brackets)
      chip: "\(few)" # it's \(brackets)
      buttons:
        tap: {line: "\\"\(few)"}
        play:
          line: x\(few)
      audio: {device: '\(brackets.prefix(200))'}
      """
    #expect(complaint(yaml) == nil)
    #expect(complaint("chip: x\(brackets.prefix(100))") == nil)
  }

  @Test func consecutiveLevelsAreNotDeep() {
    let text = "outputs: [" + String(repeating: "[], ", count: 10_000) + "]"
    #expect(complaint(text)?.hasPrefix("m.yaml:1:10: outputs cannot be a list; ") == true)
    #expect(complaint("tempo: 1\n" + String(repeating: "#\n", count: 100_000)) == nil)
  }

  @Test func aliasBombIsRefused() {
    let bomb = "a: &a [x, x]\n" + (1..<60).map { "k\($0): &b\($0) [*a, *a]\n" }.joined()
    #expect(
      complaint(bomb)
        == "m.yaml:1:4: an anchor (\"&\") is not supported; write the value itself, in quotes if it begins with &")
  }

  @Test func manyOrLongKeysAreRefusedSoon() {
    let keys = (0..<8_000).map { "k\($0):\n" }.joined()
    #expect(complaint(keys)?.hasPrefix("m.yaml:1:1: unknown key \"k0\"; the keys are ") == true)
    let long = String(repeating: "k", count: 200_000)
    let shown = String(repeating: "k", count: 40)
    #expect(complaint("\(long): 1")?.contains("\n") == false)
    #expect(complaint("? \(long)\n: 1")?.hasPrefix("m.yaml:1:3: unknown key \"\(shown)…\"; the keys are ") == true)
    #expect(complaint("tempo: \(long)")?.hasPrefix("m.yaml:1:8: tempo: invalid value \"\(shown)…\"; write ") == true)
  }

  @Test(arguments: ["", " ", "\n", "\r\n\r\n", "\t", "\u{FEFF}", "\u{FEFF}\n"])
  func emptyFileIsRefused(text: String) {
    #expect(complaint(text) == HostileFileTests.empty)
  }

  @Test(
    arguments: [
      (
        [0xFF, 0xFE, 0x74, 0x00],
        "1:1: the file is saved as UTF-16; save it as UTF-8; in Notepad: \"Save as\", \"Encoding\""
      ),
      (
        [0xFE, 0xFF, 0x00, 0x74],
        "1:1: the file is saved as UTF-16; save it as UTF-8; in Notepad: \"Save as\", \"Encoding\""
      ),
      (
        Array("{\\rtf1\\ansi\ntempo: 90".utf8),
        "1:1: the file is saved as Rich Text; save it as plain text; in TextEdit: \"Format\", \"Make Plain Text\""
      ),
      ([0xFF, 0x74], "1:1: invalid UTF-8 byte 0xFF; save the file as UTF-8"),
      (Array("chip: caf".utf8) + [0xE9], "1:10: invalid UTF-8 byte 0xE9; save the file as UTF-8"),
      (
        Array("#é\r\n# ".utf8) + [0xC3, 0x28],
        "2:3: invalid UTF-8 byte 0xC3; save the file as UTF-8"
      ),
      ([0xEF, 0xBB, 0xBF, 0x80], "1:1: invalid UTF-8 byte 0x80; save the file as UTF-8"),
      ([0x23, 0xED, 0xA0, 0x80], "1:2: invalid UTF-8 byte 0xED; save the file as UTF-8"),
      ([0x23, 0xC0, 0x80], "1:2: invalid UTF-8 byte 0xC0; save the file as UTF-8"),
      (
        Array("tempo: 90\n".utf8) + [0, 0, 0],
        "2:1: the file contains NUL bytes, possibly because of a power failure; "
          + "write it again, or delete it to use the built-in configuration"
      ),
      (Array("tempo: 90\u{7}".utf8), "1:10: invisible character U+0007; delete it"),
      (Array("tempo: 90\u{85}".utf8), "1:10: invisible character U+0085; delete it"),
      (Array("tempo: 90\u{2028}".utf8), "1:10: invisible character U+2028; delete it"),
      (Array("#\n\u{FEFF}tempo: 90".utf8), "2:1: invisible character U+FEFF; delete it"),
    ] as [([UInt8], String)])
  func bytesThatAreNoTextAreRefusedWithTheirPosition(bytes: [UInt8], message: String) {
    #expect(complaint(bytes) == "m.yaml:" + message)
  }

  @Test func lineEndingsOfAllSystemsAreAccepted() {
    for end in ["\n", "\r\n", "\r"] {
      #expect(complaint("tempo: 90\(end)# x\(end)chap: 1")?.hasPrefix("m.yaml:3:1: unknown key") == true)
    }
  }

  @Test func controlCharactersInNamesDoNotBreakTheMessage() {
    do {
      _ = try Configuration(yaml: Array("\"te\\nmpo\": 1".utf8), file: "a\nb\u{1B}[31m")
      Issue.record("accepted")
    } catch {
      #expect(error.description == "aU+000AbU+001B[31m:1:1: unknown key \"teU+000Ampo\"; did you mean \"tempo\"?")
    }
  }

  @Test func everyPrefixOfAFileGivesAtMostOneLine() {
    let bytes = Array(Configuration.standard.yaml.utf8)
    for count in stride(from: 0, to: bytes.count, by: Seeds.count(few: 17, full: 3)) {
      let message = complaint(Array(bytes[..<count]))
      #expect(message?.contains("\n") != true)
    }
  }

  @Test(arguments: Seeds.few(3, of: 8))
  func randomTextGivesALineForEachProblem(seed: UInt64) {
    let pieces = [
      "a", "tempo", "b:", "a: ", "outputs:\n", "- ", "? ", ": ", ":", "[", "]", "{", "}", ",", "\n", "\n ", "\n  ", " ",
      "  ",
      "'", "\"", "''", "\\", "#", " #", "&x ", "*x", "!t ", "|", ">", "\n---\n", "\n...\n", "it's", "x[", "\t", "%",
      "@", "é",
      "\n- ", "{a: ", "\"a\": ", "1", "null", "~", "<<: ", "\u{0}", "\u{85}", "\r", "line: 17", "tempo: 1",
    ]
    var dice = Dice(seed: seed)
    for _ in 0..<1_500 {
      let text = (0..<Int.random(in: 1...20, using: &dice)).map { _ in dice.pick(pieces) }.joined()
      #expect(hasALineForEachProblem(Array(text.utf8)))
    }
  }

  @Test(arguments: Seeds.few(3, of: 8))
  func damagedFileGivesALineForEachProblem(seed: UInt64) {
    let intact = Array(Configuration.standard.yaml.utf8)
    var dice = Dice(seed: seed)
    for _ in 0..<50 {
      var bytes = intact
      for _ in 0..<Int.random(in: 1...4, using: &dice) {
        bytes[Int.random(in: bytes.indices, using: &dice)] = UInt8.random(in: 9...126, using: &dice)
      }
      #expect(hasALineForEachProblem(bytes))
    }
  }

  /// Whether a file is valid, or its error has one line for each problem.
  private func hasALineForEachProblem(_ bytes: [UInt8]) -> Bool {
    do throws(ConfigurationError) { _ = try Configuration(yaml: bytes, file: "m.yaml") } catch {
      let lines = error.description.split(separator: "\n", omittingEmptySubsequences: false)
      return lines.count == 1 + error.further.count && lines.allSatisfy { $0.hasPrefix("m.yaml:") }
    }
    return true
  }
}
