import ArgumentParser
import CLibrary
import MetronomeCore

/// Replaces this process by `metronome-bench`.
struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measure the accuracy of the beat on this machine, and compare it with other loops.",
    discussion: """
      Runs metronome-bench, a separate program that is not in the Debian package. Build it with "swift build -c \
      release --product metronome-bench". This command searches for it in the folder of this program, then in PATH, \
      and passes all arguments to it: "metronome bench --help" shows its options.
      """)

  private static let program = "metronome-bench"

  @Argument(parsing: .captureForPassthrough, help: ArgumentHelp("Arguments of metronome-bench.", valueName: "argument"))
  var arguments: [String] = []

  func run() throws { try BenchCommand.start() }

  /// Executes the program with the arguments from "bench" on. Throws if there is no such program.
  static func start() throws(Failure) -> Never {
    let arguments = CommandLine.unsafeArgv + 1
    execvp(Paths.program(program), arguments)
    throw Failure.noHardware(
      "\(program) is neither in the folder of this program nor in PATH (\(reason(errno)));"
        + " build it: swift build -c release --product \(program)")
  }
}
