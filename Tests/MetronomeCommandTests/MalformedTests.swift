import Testing

/// Any malformed input ends in a clear message and the right exit code, never in a trap.
@Suite struct MalformedTests {
  private static let deep = [UInt8](repeating: UInt8(ascii: "["), count: 10_000_000)

  private static let malformed: [(name: String, bytes: [UInt8])] = [
    ("wrong type", Array("tempo: [120]".utf8)),
    ("a word for a number", Array("tempo: fast".utf8)),
    ("nested where a scalar belongs", Array("autoplay: {a: b}".utf8)),
    ("a list at the top", Array("- tempo: 120".utf8)),
    ("a scalar at the top", Array("120".utf8)),
    ("a duplicate key", Array("tempo: 120\ntempo: 121".utf8)),
    ("a huge number", Array("tempo: 1000000000000000000000000000000000000000".utf8)),
    ("not a number", Array("tempo: .nan".utf8)),
    ("infinity", Array("audio: {volume: .inf}".utf8)),
    ("a negative", Array("audio: {rate: -48000}".utf8)),
    ("not UTF-8", [0x74, 0xFF, 0xFE, 0x00]),
    ("UTF-16", [0xFF, 0xFE, 0x74, 0x00]),
    ("zeros", [UInt8](repeating: 0, count: 64)),
    ("empty", []),
    ("white space only", Array("\n  \n".utf8)),
    ("10 MB of nesting", deep),
    ("200 KB of nesting", Array(deep.prefix(200_000))),
    ("nested mappings", Array(String(repeating: "{a: ", count: 20_000).utf8)),
    ("nested sequences", Array(String(repeating: "- ", count: 50_000).utf8)),
    ("an unknown key", Array("tempoo: 120".utf8)),
    ("a line used twice", Array("outputs: {light: {line: GPIO27}}".utf8)),
    ("an unclosed quote", Array("chip: \"auto".utf8)),
    ("a tab", Array("audio:\n\tdevice: none".utf8)),
    ("an alias to nowhere", Array("tempo: *t".utf8)),
    ("an alias to itself", Array("audio: &a {device: *a}".utf8)),
    ("two documents", Array("tempo: 120\n---\ntempo: 121".utf8)),
    ("a signature past the limit", Array("numerator_limit: denominator\nsignature: 5/4".utf8)),
    ("a key without a value", Array("tempo:".utf8)),
    ("a number as key", Array("1: 2".utf8)),
    ("binary noise", (0..<4_096).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }),
  ]

  @Test(arguments: malformed.map(\.name)) func malformedConfigurationIsRefusedInOneLine(name: String) throws {
    let bytes = Self.malformed.first { $0.name == name }!.bytes
    let folder = try Folder()
    let file = try folder.file("box.yaml", bytes).path
    expectOneLine(try Program.run("config", "--config", file), code: 78, naming: file)
  }

  @Test(arguments: [["run"], ["simulate", "--virtual", "--for", "1s"]])
  func everyCommandReportsAMalformedConfiguration(command: [String]) throws {
    let folder = try Folder()
    let file = try folder.file("box.yaml", Array("tempoo: 120".utf8)).path
    expectOneLine(
      try Program.run(command + ["--config", file]), code: 78, naming: file + ":1:1: ")
  }

  @Test(arguments: [["run"], ["simulate", "--virtual", "--for", "1s"]])
  func soundFilesAreReadBeforeTheStart(command: [String]) throws {
    let folder = try Folder()
    let file = try folder.file("box.yaml", Array("audio: {sounds: {weak: tock.flac}}".utf8)).path
    let audio = try folder.file("tock.flac", Array("fLaC".utf8)).path
    expectOneLine(
      try Program.run(command + ["--config", file]), code: 78,
      naming: audio + ": cannot use this file for audio.sounds.weak: this is a FLAC file")
  }

  @Test(arguments: [
    ["config", "--config"], ["config", "--check"], ["simulate", "--virtual", "--for", "1s", "--config"],
    ["simulate", "--virtual", "--for", "1s", "--script"],
  ])
  func directoryIsRefusedAsAFile(command: [String]) throws {
    expectOneLine(try Program.run(command + ["/"]), code: 66, naming: "/: ")
  }

  @Test(arguments: [
    ["config", "--config"], ["config"], ["config", "--check"], ["run", "--config"],
    ["render", "a.wav", "--bars", "1", "--config"],
    ["simulate", "--virtual", "--for", "1s", "--config"], ["simulate", "--virtual", "--for", "1s", "--script"],
  ])
  func missingFileIsReported(command: [String]) throws {
    expectOneLine(
      try Program.run(command + ["/nowhere/box"]), code: 66,
      naming: "/nowhere/box: no such file; check the path\n")
  }

  private static let unreadable: [(name: String, bytes: [UInt8])] = [
    ("empty", []), ("white space", Array(" \n\t\n".utf8)), ("10 MB of nesting", deep),
    ("not UTF-8", [0x31, 0x20, 0xFF, 0xFE]), ("zeros", [UInt8](repeating: 0, count: 100)),
    ("NaN", Array("nan press play".utf8)), ("a huge number", Array("1e999 press play".utf8)),
    ("a negative time", Array("-5 press play".utf8)), ("no button", Array("1s press".utf8)),
    ("an unknown button", Array("1s press start".utf8)), ("an unknown action", Array("1s hold play".utf8)),
    ("too many words", Array("1s press play 80ms now".utf8)),
    ("a time past all time", Array("300000000h press play".utf8)),
  ]

  @Test(arguments: unreadable.map(\.name)) func malformedScriptIsRefusedInOneLine(name: String) throws {
    let bytes = Self.unreadable.first { $0.name == name }!.bytes
    let folder = try Folder()
    let file = try folder.file("hand.txt", bytes).path
    let fromFile = try Program.run("simulate", "--virtual", "--for", "1s", "--script", file)
    expectOneLine(fromFile, code: 65, naming: file)
    let fromInput = try Program.run("simulate", "--virtual", "--for", "1s", "--script", "-", input: bytes)
    expectOneLine(fromInput, code: 65, naming: "standard input")
  }

  @Test(arguments: ["--script", "--trace", "--audio", "--config"])
  func fileNamesInMessagesContainNoControlCharacters(option: String) throws {
    let end = option == "--audio" ? "wav" : "vcd"
    let result = try Program.run(
      "simulate", "--virtual", "--for", "1s", option, "/nowhere/a\nb\u{1B}[31m\u{2028}.\(end)")
    expectOneLine(
      result, code: ["--script", "--config"].contains(option) ? 66 : 73,
      naming: "/nowhere/aU+000AbU+001B[31mU+2028.\(end)")
  }

  private func expectOneLine(_ result: Program.Result, code: Int32, naming name: String) {
    #expect(result.exited && result.code == code, "\(result.errors)")
    #expect(result.output == "")
    #expect(result.errors.hasPrefix("metronome: \(name)"), "\(result.errors)")
    #expect(result.errors.filter { $0 == "\n" }.count == 1, "\(result.errors)")
    #expect(result.errors.count < 400, "\(result.errors)")
  }
}
