import Foundation
import Testing

/// What the program writes, what happens if it cannot be written, and which existing files it overwrites.
@Suite struct OutputTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  @Test(arguments: ["config", "simulate --virtual --for 1s"]) func fullDiskIsReported(command: String) throws {
    guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
    let result = try Program.shell("\"$0\" \(command) >/dev/full")
    #expect(result.code == 73)
    #expect(result.errors == "metronome: standard output cannot be written: No space left on device\n")
  }

  /// The program writes more than a pipe holds, so it fails whenever the reader closes the pipe.
  @Test func closedPipeIsReported() throws {
    let result = try Program.shell(
      "{ \"$0\" simulate --virtual --for 5m --script \"$1\"; echo $? >&2; } | true", try play())
    #expect(result.errors == "metronome: standard output cannot be written: Broken pipe\n73\n")
  }

  @Test func fileSizeLimitIsReported() throws {
    let file = folder.path("a.jsonl")
    let result = try Program.shell(
      "ulimit -f 8; \"$0\" simulate --virtual --for 1m --script \"$1\" --trace \"$2\"", try play(), file)
    #expect(result.exited && result.code == 73)
    #expect(result.errors == "metronome: \(file) cannot be written: File too large\n")
  }

  @Test func filesNeverUseAClosedStandardDescriptor() throws {
    let file = folder.path("a.vcd")
    let simulated = try Program.shell("\"$0\" simulate --virtual --for 1s --trace \"$1\" <&- >&- 2>&-", file)
    #expect(simulated.code == 0)
    #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix("$version metronome $end\n"))
    let printed = try Program.shell("\"$0\" config >&-")
    #expect(printed.code == 73)
    #expect(printed.errors == "metronome: standard output cannot be written: Bad file descriptor\n")
    let script = try Program.shell("\"$0\" simulate --virtual --for 1s --script - <&-")
    #expect(script.code == 66)
    #expect(script.errors == "metronome: standard input: cannot be read: Bad file descriptor\n")
  }

  @Test(arguments: [
    "--trace a.jsonl --trace a.jsonl", "--trace a.jsonl --trace ./a.jsonl", "--trace a.jsonl --trace link.jsonl",
    "--trace a.jsonl --audio link.wav", "--trace link.jsonl --audio link.wav",
  ])
  func twoOutputsInOneFileAreRefused(options: String) throws {
    let file = try folder.file("a.jsonl", Array("before".utf8))
    for link in ["link.jsonl", "link.wav"] {
      try FileManager.default.createSymbolicLink(atPath: folder.path(link), withDestinationPath: file.path)
    }
    let result = try Program.shell("cd \"$1\" && exec \"$0\" simulate --virtual --for 1s \(options)", folder.path(""))
    #expect(result.code == 64)
    #expect(result.errors.hasPrefix("metronome: ") && result.errors.contains(" are the same file; give each"))
    #expect(result.errors.filter { $0 == "\n" }.count == 1)
    #expect(try String(contentsOf: file, encoding: .utf8) == "before")
  }

  @Test(arguments: ["--config a.jsonl --trace a.jsonl", "--script a.jsonl --audio link.wav"])
  func inputFileIsNotOverwritten(options: String) throws {
    let text = options.hasPrefix("--config") ? "tempo: 90" : "0 press play"
    let file = try folder.file("a.jsonl", Array(text.utf8))
    try FileManager.default.createSymbolicLink(atPath: folder.path("link.wav"), withDestinationPath: file.path)
    let result = try Program.shell("cd \"$1\" && exec \"$0\" simulate --virtual --for 1s \(options)", folder.path(""))
    #expect(result.code == 64)
    let left = try String(contentsOf: file, encoding: .utf8)
    #expect(left == text)
  }

  @Test func deviceMayBeNamedTwice() throws {
    try FileManager.default.createSymbolicLink(atPath: folder.path("a.vcd"), withDestinationPath: "/dev/null")
    let result = try Program.run(
      "simulate", "--virtual", "--for", "1s", "--trace", folder.path("a.vcd"), "--audio", "/dev/null")
    #expect(result.code == 0 && result.errors == "")
  }

  @Test func existingFileIsTruncated() throws {
    let file = try folder.file("a.vcd", [UInt8](repeating: 0x41, count: 100_000))
    try Program.run("simulate", "--virtual", "--for", "1s", "--trace", file.path)
    #expect(try !String(contentsOf: file, encoding: .utf8).contains("AA"))
  }

  @Test func impossibleRecordingLeavesTheTracesUntouched() throws {
    let trace = try folder.file("a.vcd", Array("before".utf8))
    let silent = try folder.file("silent.yaml", Array("audio: {device: none}".utf8)).path
    let audio = folder.path("a.wav")
    let common = ["simulate", "--virtual", "--trace", trace.path, "--audio", audio]
    let long = try Program.run(common + ["--for", "100h"])
    #expect(long.code == 64)
    #expect(
      long.errors
        == "metronome: a WAV file holds at most 44739 s at 48000 Hz; choose a shorter --for, or omit --audio\n")
    let none = try Program.run(common + ["--for", "1s", "--config", silent])
    #expect(none.code == 64)
    #expect(
      none.errors
        == "metronome: --audio needs sound, but audio.device is none in \(silent); change it, or omit --audio\n"
    )
    #expect(try String(contentsOf: trace, encoding: .utf8) == "before")
    #expect(!FileManager.default.fileExists(atPath: audio))
  }

  private func play() throws -> String { try folder.file("hand.txt", Array("0 press play\n".utf8)).path }
}
