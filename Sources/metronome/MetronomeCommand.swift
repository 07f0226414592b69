import ArgumentParser
import BoardSimulation
import CLibrary
import ControlSocket
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
      "run" plays on the real board: GPIO lines, buttons and a sound card. "simulate" plays on a simulated board: in a \
      terminal, with keys as the buttons, or in virtual time, with a script as input and traces as output. "presets" \
      lists and changes the presets of a box. "score" checks, shows and stores scores: songs with changes of tempo and \
      metre. "send" and "watch" control and follow a running metronome. "calibrate" measures how late light, buzzer and click are. "render" \
      writes a click track to a file. "words" makes words for the spoken count. "config" prints or checks the configuration. "check" shows what is wrong with a \
      box and how to fix it. "bench" starts metronome-bench, which measures the accuracy of the beat. "wiring" shows \
      which part belongs to which pin. "off" switches the outputs off after a metronome was killed.

      Exit codes: 0: success; 1: "check" finds something doubtful, or "bench" exceeds a limit; 2: "check" finds \
      something wrong; 64: wrong usage; 65: invalid script or score; 66: a configuration, script, preset or score does \
      not exist, or a file or folder cannot be read; 69: hardware is unavailable, or a running metronome cannot be \
      reached; 73: output cannot be written, or a preset or score cannot be stored; 75: a running \
      metronome refuses a command now; 78: invalid configuration.
      """,
    version: "metronome \(version)",
    subcommands: [
      RunCommand.self, SimulateCommand.self, PresetsCommand.self, ScoreCommand.self, SendCommand.self,
      WatchCommand.self,
      CalibrateCommand.self, RenderCommand.self, WordsCommand.self, ConfigCommand.self, CheckCommand.self,
      BenchCommand.self,
      WiringCommand.self, OffCommand.self,
    ])

  static let version = programVersion

  static func main() {
    #if LINUX_BOARD
      if CommandLine.argc > 1, strcmp(CommandLine.unsafeArgv[1]!, "run") == 0 { keepMemorySmall() }
    #endif
    fillStandardDescriptors()
    // Without a reader, or at the file size limit, writing must fail with an error, which sets the exit code.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    do {
      if CommandLine.argc > 1, strcmp(CommandLine.unsafeArgv[1]!, "bench") == 0 { try BenchCommand.start() }
      var command = try parseAsRoot(RhythmOptions.joined(Array(CommandLine.arguments.dropFirst())))
      if let option = Arguments.repeatedOption(except: SimulateCommand.repeatable) {
        endWithUsage("\(option) is given more than once.", of: type(of: command))
      }
      try (command as? any OptionChecking)?.endIfInvalid()
      try command.run()
    } catch {
      guard let failure = Failure(error) else { exit(withError: error) }
      for line in failure.lines { printNotice(line) }
      CLibrary.exit(failure.code)
    }
  }
}

/// A command whose options depend on one another. They are checked after parsing, so that an unknown option is reported first.
protocol OptionChecking: ParsableCommand {
  /// Throws a `ValidationError` if options contradict each other or an option is missing.
  func validateOptions() throws
}

extension OptionChecking {
  /// If the options are refused, ends the program as the parser would.
  fileprivate func endIfInvalid() throws {
    do { try validateOptions() } catch let error as ValidationError {
      endWithUsage(error.message, of: Self.self)
    }
  }
}

/// Ends the program with a message and the usage of a command, as the parser would.
private func endWithUsage(_ message: String, of command: any ParsableCommand.Type) -> Never {
  let usage = MetronomeCommand.usageString(for: command)
  let name = usage.split(separator: " ").prefix { !$0.hasPrefix("[") && !$0.hasPrefix("<") }.joined(separator: " ")
  standardError("Error: \(message)\nUsage: \(usage)\n  See '\(name) --help' for more information.\n")
  CLibrary.exit(64)
}

/// Why the program ends early, and an exit code of sysexits.h for scripts.
struct Failure: Error, CustomStringConvertible {
  /// One line for the user; several for a configuration with several problems.
  var message: String
  var code: Int32
  var description: String { message }
  var lines: [String] { message.split(separator: "\n").map(String.init) }

  private init(_ message: String, _ code: Int32) { (self.message, self.code) = (message, code) }

  /// nil for an error that is neither a failure nor an error of the board: a wrong argument, or an exit code.
  init?(_ error: any Error) {
    switch error {
    case let error as Failure: self = error
    case let error as HardwareError: self = .noHardware(Failure.text(error))
    #if LINUX_BOARD
      case let error as SystemError: self = .noHardware("\(error.call): \(reason(error.errno))")
    #endif
    default: return nil
    }
  }

  static func usage(_ message: String) -> Failure { Failure(message, 64) }
  static func badScript(_ error: ScriptError) -> Failure { Failure(error.description, 65) }
  static func badScore(_ message: String) -> Failure { Failure(message, 65) }
  static func missingFile(_ message: String) -> Failure { Failure(message, 66) }
  static func noHardware(_ message: String) -> Failure { Failure(message, 69) }
  /// A metronome that runs and does not answer.
  static func noAnswer(_ message: String) -> Failure { Failure(message, 69) }
  /// A command that a running metronome does not carry out in its state.
  static func refused(_ message: String) -> Failure { Failure(message, 75) }
  static func cannotBeMade(_ message: String) -> Failure { Failure(message, 73) }
  static func cannotWrite(_ path: String, errno: Int32) -> Failure { cannotWrite(path, reason(errno)) }
  static func cannotWrite(_ path: String, _ reason: String) -> Failure {
    Failure("\(shownName(path)) cannot be written: \(reason)", 73)
  }
  static func badConfiguration(_ error: ConfigurationError) -> Failure {
    Failure("\(error)", error.isMissing || error.isUnreadable ? 66 : 78)
  }

  /// The text of an error for the user.
  static func text(_ error: HardwareError) -> String {
    error.detail.isEmpty ? "\(error.operation): \(reason(error.errno))" : error.detail
  }

  /// Logs a failure of the real board instead of printing it.
  static func logged(_ body: () throws -> Void) throws {
    do { try body() } catch {
      guard let failure = Failure(error) else { throw error }
      for line in failure.lines { Log()(.error, line) }
      throw ExitCode(failure.code)
    }
  }
}

/// Writes to standard error, unbuffered, in one call.
func standardError(_ text: String) {
  var text = text
  text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

/// Opens `/dev/null` in the wrong direction for each closed standard descriptor: using the descriptor still fails, and no file
/// opened later gets its number.
func fillStandardDescriptors() {
  for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
    // open(2) returns the lowest free number.
    _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
  }
}
