import ArgumentParser
import BoardSimulation
import CLibrary
import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore

#if LINUX_BOARD
  import LinuxBoard
#endif

@main
struct MetronomeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metronome",
    abstract: "A metronome in a box: light, pendulum, buzzer and click on one exact timeline.",
    discussion: """
      "run" plays on the real board: GPIO lines, buttons and a sound card. "simulate" is the box without the box: in a \
      terminal to be played with keys, or as fast as the machine goes with a script in and traces out. "render" writes a \
      click track to a file, "presets" lists and changes what a box has stored, "calibrate" finds out how late light, \
      buzzer and click are, "check" tells what is wrong with a box and what mends it, "bench" starts metronome-bench, which measures how exact the beat is, "wiring" shows which pin is which, \
      "off" switches off what a metronome that was killed has left on.

      Exit codes: 0 all went well, 64 usage, 65 a bad script, 66 a preset that is not there or a folder that cannot be \
      opened, 69 hardware that cannot be had or a metronome that runs and cannot be asked, 73 what cannot be written or stored, 78 a bad configuration.
      """,
    version: "metronome \(version)",
    subcommands: [
      RunCommand.self, SimulateCommand.self, PresetsCommand.self, CalibrateCommand.self, RenderCommand.self,
      ConfigCommand.self, CheckCommand.self, BenchCommand.self, WiringCommand.self, OffCommand.self,
    ])

  static let version = "0.1.0"

  static func main() {
    #if LINUX_BOARD
      if CommandLine.argc > 1, strcmp(CommandLine.unsafeArgv[1]!, "run") == 0 { keepMemorySmall() }
    #endif
    fillStandardDescriptors()
    // Nobody reads, or the file may not grow: then writing fails, and the exit code says so.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    do {
      if CommandLine.argc > 1, strcmp(CommandLine.unsafeArgv[1]!, "bench") == 0 { try BenchCommand.start() }
      var command = try parseAsRoot()
      try command.run()
    } catch let failure as Failure {
      standardError("metronome: \(failure.message)\n")
      CLibrary.exit(failure.code)
    } catch {
      exit(withError: error)
    }
  }
}

/// Why the program ends without having done what was asked: one line for a person, and an exit code for a script.
struct Failure: Error, CustomStringConvertible {
  var message: String
  var code: Int32
  var description: String { message }

  /// The codes are those of sysexits.h.
  private init(_ message: String, _ code: Int32) {
    self.message = message
    self.code = code
  }

  static func usage(_ message: String) -> Failure { Failure(message, 64) }
  static func badScript(_ error: ScriptError) -> Failure { Failure(error.description, 65) }
  /// What is named is not there: a preset, a folder.
  static func notThere(_ message: String) -> Failure { Failure(message, 66) }
  static func noHardware(_ message: String) -> Failure { Failure(message, 69) }
  /// A metronome that runs and does not answer.
  static func noAnswer(_ message: String) -> Failure { Failure(message, 69) }
  static func cannotBeMade(_ message: String) -> Failure { Failure(message, 73) }
  /// - Parameter notice: what there is to say besides.
  static func cannotWrite(_ path: String, errno: Int32, _ notice: String? = nil) -> Failure {
    Failure("\(shownName(path)) cannot be written: \(reason(errno))" + (notice.map { "; \($0)" } ?? ""), 73)
  }
  static func badConfiguration(_ error: ConfigurationError) -> Failure { Failure(error.description, 78) }
}

/// What the system says about an error number.
func reason(_ errno: Int32) -> String { String(cString: strerror(errno)) }

/// Writes to standard error, at once and whole.
func standardError(_ text: String) {
  var text = text
  text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

extension Failure {
  static func noHardware(_ error: HardwareError) -> Failure { noHardware(text(error)) }

  /// What a person needs to know of it.
  static func text(_ error: HardwareError) -> String {
    error.detail.isEmpty ? "\(error.operation): \(reason(error.errno))" : error.detail
  }
}

/// Makes sure that nothing the program opens becomes standard input, output or error by taking its number.
///
/// Where one of them is closed, `/dev/null` is opened the wrong way round in its place: to use it fails as before.
func fillStandardDescriptors() {
  for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
    // The lowest free number is the one that is given out.
    _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
  }
}
