import Foundation

/// Runs the program as a user does: with arguments and input, for its output and exit code.
struct Program {
  struct Result {
    var output: String
    var errors: String
    var code: Int32
    /// Whether the program exited. False if a signal ended it, as after a trap.
    var exited: Bool
  }

  /// The build puts the program beside the test bundle.
  static let path = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    .appendingPathComponent("metronome")

  @discardableResult
  static func run(_ arguments: String..., input: [UInt8] = []) throws -> Result {
    try run(arguments, input: input)
  }

  /// Shell: waits until the metronome with the process `$metronome` and the state folder `$1` executes commands, and ends it when
  /// the shell exits. The socket's file exists before the metronome answers. `presets save` cannot be used to wait: while no
  /// metronome runs, it changes the state file itself.
  static let waitForMetronome = """
    trap 'kill $metronome 2> /dev/null' EXIT
    until "$0" send stop --socket "$1" 2> /dev/null; do kill -0 $metronome || exit 1; done
    """

  /// Shell: sets `$unprivileged`, which runs a command that must obey file permissions. For root it removes the capabilities that
  /// ignore them; for other users it is empty.
  static let setUnprivileged = """
    unprivileged=
    [ "$(id -u)" != 0 ] || unprivileged="setpriv --bounding-set=-dac_override,-dac_read_search"
    """

  /// Runs a shell command, in which `"$0"` is the path of the program.
  @discardableResult
  static func shell(_ line: String, _ arguments: String...) throws -> Result {
    try run(URL(fileURLWithPath: "/bin/sh"), ["-c", line, path.path] + arguments, input: [])
  }

  @discardableResult
  static func run(_ arguments: [String], input: [UInt8] = []) throws -> Result {
    try run(path, arguments, input: input)
  }

  /// Runs the program with this standard error, and returns its exit code.
  static func run(_ arguments: [String], errors: FileHandle) throws -> Int32 {
    let process = prepared(path, arguments)
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = errors
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// A process that is not started yet. A program built for coverage must not write a profile at its end, or a message that it
  /// cannot.
  static func prepared(_ executable: URL, _ arguments: [String]) -> Process {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(["LLVM_PROFILE_FILE": "/dev/null"]) { $1 }
    return process
  }

  private static func run(_ executable: URL, _ arguments: [String], input: [UInt8]) throws -> Result {
    let folder = try Folder()
    let files = try ["in", "out", "err"].map { try folder.file($0, $0 == "in" ? input : []) }
    let process = prepared(executable, arguments)
    process.standardInput = try FileHandle(forReadingFrom: files[0])
    process.standardOutput = try FileHandle(forWritingTo: files[1])
    process.standardError = try FileHandle(forWritingTo: files[2])
    try process.run()
    process.waitUntilExit()
    return Result(
      output: try String(contentsOf: files[1], encoding: .utf8),
      errors: try String(contentsOf: files[2], encoding: .utf8), code: process.terminationStatus,
      exited: process.terminationReason == .exit)
  }
}

/// A temporary folder of one test, removed at its end.
final class Folder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("metronome-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String, _ bytes: [UInt8]) throws -> URL {
    let file = url.appendingPathComponent(name)
    try Data(bytes).write(to: file)
    return file
  }

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }
}
