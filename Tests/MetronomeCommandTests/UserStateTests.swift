import Foundation
import Testing

/// What is stored in a terminal is kept in the user's state folder, or the program says that it is not.
@Suite struct UserStateTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  /// A simulation in a terminal, whose standard error is not the terminal.
  private func terminal(
    _ options: [String] = [], _ environment: [String: String], obeysPermissions: Bool = false
  ) throws -> PseudoTerminal {
    try PseudoTerminal(
      ["simulate", "--no-sound"] + options, columns: 200, environment: environment, obeysPermissions: obeysPermissions)
  }

  /// Stores preset 1, and quits. Returns what the program then says.
  private func store(in terminal: PseudoTerminal, _ remark: String) async throws -> String {
    #expect(await terminal.wait(for: "q quit"))
    terminal.type("hf")
    #expect(await terminal.wait(for: remark), "\(terminal.screen.text)")
    terminal.type("q")
    let end = try await terminal.end()
    #expect(end.code == 0)
    return end.errors
  }

  @Test func presetsAndTempoAreKeptInAFolderThatIsCreated() async throws {
    let environment = ["XDG_STATE_HOME": folder.path("a/b")]
    let path = folder.path("a/b/metronome")
    let first = try terminal([], environment)
    #expect(await first.wait(for: "saved in \(path)"))
    first.type("97.5\r")
    #expect(await first.wait(for: "97.5 BPM"))
    let said = try await store(in: first, "stored as preset 1")
    #expect(said == "metronome: presets and settings are saved in \(path); --state none saves nothing\n")
    for made in ["a", "a/b", "a/b/metronome"] {
      let mode = try FileManager.default.attributesOfItem(atPath: folder.path(made))[.posixPermissions] as? Int
      #expect(mode == 0o700, "\(made)")
    }
    let second = try terminal([], environment)
    #expect(await second.wait(for: "97.5 BPM   4/4   stopped"))
    second.type("q")
    let end = try await second.end()
    #expect(end.errors == "")
  }

  /// What is asked for is played, and the presets are still there.
  @Test(arguments: [
    ["--tempo", "60", "--signature", "3/4"], ["--tempo", "60", "--rhythm", "sub=2", "--signature", "3/4"],
    ["--config", "FILE"],
  ])
  func whatIsAskedForIsPlayed(options: [String]) async throws {
    let environment = ["XDG_STATE_HOME": folder.path("state")]
    let first = try terminal(["--tempo", "97.5"], environment)
    _ = try await store(in: first, "stored as preset 1")
    let file = try folder.file("waltz.yaml", Array("tempo: 60\nsignature: 3/4\n".utf8)).path
    let second = try terminal(options.map { $0 == "FILE" ? file : $0 }, environment)
    #expect(await second.wait(for: "60 BPM   3/4   stopped"))
    second.type("f")
    #expect(await second.wait(for: "97.5 BPM   4/4"))
  }

  @Test func onlyTheFirstOfTwoSimulationsSaves() async throws {
    let environment = ["XDG_STATE_HOME": folder.path("state")]
    let first = try terminal([], environment)
    #expect(await first.wait(for: "q quit"))
    let second = try terminal([], environment)
    let said = try await store(in: second, "preset 1 is stored until you quit")
    #expect(said.hasSuffix("metronome is in use by another metronome; this one does not save its state\n"), "\(said)")
    first.type("61\r")
    #expect(await first.wait(for: "61 BPM"))
    _ = try await store(in: first, "stored as preset 1")
    let third = try terminal([], environment)
    #expect(await third.wait(for: "61 BPM"))
  }

  /// A relative path in XDG_STATE_HOME is invalid and ignored.
  @Test(arguments: ["", "state", "./state"]) func relativeFolderIsIgnored(value: String) async throws {
    let terminal = try terminal([], ["XDG_STATE_HOME": value, "HOME": folder.url.path])
    #expect(await terminal.wait(for: "saved in ~/.local/state/metronome"))
    _ = try await store(in: terminal, "stored as preset 1")
    #expect(FileManager.default.fileExists(atPath: folder.path(".local/state/metronome/state")))
  }

  enum Obstacle: String, CaseIterable {
    case noHome, fileInPlace, fileAbove, otherUser, writeProtected, writeProtectedAbove, none
  }

  @Test(arguments: Obstacle.allCases) func whatCannotBeKeptIsSaid(obstacle: Obstacle) async throws {
    let path = folder.path("state/metronome")
    try FileManager.default.createDirectory(atPath: folder.path("state"), withIntermediateDirectories: false)
    var environment = ["XDG_STATE_HOME": folder.path("state")]
    var options: [String] = []
    let reason: String
    switch obstacle {
    case .noHome:
      environment = ["XDG_STATE_HOME": "", "HOME": ""]
      reason = "the state is not saved: neither $XDG_STATE_HOME nor $HOME names a folder; --state names one"
    case .fileInPlace:
      _ = try folder.file("state/metronome", [])
      reason = "the state is not saved: \(path) cannot be used (Not a directory)"
    case .fileAbove:
      environment["XDG_STATE_HOME"] = try folder.file("file", []).path
      reason = "the state is not saved: \(folder.path("file/metronome")) cannot be created (Not a directory)"
    case .otherUser:
      // For those who are not root, a folder without any permission is the same.
      try Program.shell(#"mkdir -m 700 "$1"; chown 1234:2345 "$1" 2> /dev/null || chmod 000 "$1""#, path)
      reason = "the state is not saved: \(path) cannot be used (Permission denied)"
    case .writeProtected:
      try Program.shell(#"mkdir -m 555 "$1""#, path)
      reason = "the state is not saved: \(path) cannot be used (Permission denied)"
    case .writeProtectedAbove:
      try Program.shell(#"chmod 555 "$1""#, folder.path("state"))
      reason = "the state is not saved: \(path) cannot be created (Permission denied)"
    case .none:
      options = ["--state", "none"]
      reason = ""
    }
    let terminal = try terminal(options, environment, obeysPermissions: true)
    let said = try await store(in: terminal, "preset 1 is stored until you quit")
    #expect(said == (reason.isEmpty ? "" : "metronome: \(reason)\n"))
    if obstacle == .none { #expect(!FileManager.default.fileExists(atPath: path)) }
  }

  /// What a script plays must not depend on what was played before.
  @Test func nothingIsStoredWithoutATerminalOrWithAScript() async throws {
    let script = try folder.file("hand", Array("1ms press play".utf8)).path
    let result = try Program.shell(
      #"""
      export XDG_STATE_HOME=$1/state HOME=$1
      "$0" simulate --virtual --for 1s > /dev/null
      "$0" simulate --for 10ms > /dev/null
      ls -A "$1"
      """#, folder.url.path)
    #expect(result.output == "hand\n" && result.errors == "")
    let terminal = try terminal(["--for", "10ms", "--script", script], ["XDG_STATE_HOME": folder.path("state")])
    #expect(try await terminal.end().code == 0)
    #expect(!FileManager.default.fileExists(atPath: folder.path("state")))
  }
}
