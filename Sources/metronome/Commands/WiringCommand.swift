import ArgumentParser
import BoardCheck
import CLibrary
import MetronomeConfiguration
import MetronomeCore

struct WiringCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wiring",
    abstract: "Print the parts on the pins of the Raspberry Pi's header, and warnings about conflicts.",
    discussion: """
      The lines come from the configuration. No hardware is opened, so the command works on any machine. Pictures and \
      parts lists are in the folder "wiring" of the program's source.
      """)

  @Flag(help: "Print JSON.")
  var json = false
  @OptionGroup var configuration: ConfigurationOption

  func run() throws {
    let configuration = try configuration.readForBox()
    let report = WiringReport(configuration.wiring, heard: configuration.heard)
    try OutputFile.print(json ? BoardCheck.json(report) + "\n" : report.table)
  }
}

#if LINUX_BOARD
  import LinuxBoard
#endif

struct OffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "off",
    abstract: "Switch every output of the real board off after a metronome was killed.",
    discussion: """
      A metronome that exits or crashes switches its outputs off itself. A killed metronome cannot: on some kernels \
      its lines keep their levels, and a buzzer continues to sound. This command requests each configured output as \
      inactive, and releases it. Without --config it uses the outputs that the killed metronome saved in \
      $RUNTIME_DIRECTORY, which systemd sets for the service. If no outputs are saved there, it uses the outputs of \
      \(Paths.configuration), if that file exists.

      The exit code is also 0 if there is no chip, or if a running metronome holds the lines; the lines then do not \
      change.
      """)

  @OptionGroup var configuration: ConfigurationOption

  func run() throws { try Failure.logged(switchOutputsOff) }

  private func switchOutputsOff() throws {
    #if LINUX_BOARD
      let log = Log()
      let saved = self.configuration.path == nil ? ConfigurationInForce()?.read() : nil
      let configuration = try saved ?? self.configuration.readForBox()
      switch try SwitchOff.outputs(of: configuration.wiring) {
      case .done: break
      case .noChip(let error): log(.info, "nothing to switch off: \(Failure.text(error))")
      case .held(let error): log(.info, "outputs not changed: \(Failure.text(error))")
      }
    #else
      _ = try configuration.readForBox()
      throw Failure.noHardware("this build does not support a real board")
    #endif
  }
}

struct ConfigCommand: OptionChecking {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Print the complete configuration as YAML, with all keys.",
    discussion: """
      You can save the output in a file, change it, and use the file with --config.

      --check only validates the file, its sounds and its score, with the checks of "run". If something is invalid, it \
      prints the same errors as "run" and exits with the same code. Use the same --score and --state as for "run". \
      FILE is the same as --config FILE. --keys reads no file and prints a table of all keys in Markdown.
      """)

  @Flag(help: "Check the configuration, its sounds and its score, and print only the result.")
  var check = false

  @Flag(help: "Print the accepted values, the default and the meaning of each key.")
  var keys = false

  @Argument(help: ArgumentHelp("Configuration file; - is standard input.", valueName: "file"), completion: .file())
  var file: String?

  @OptionGroup var option: ConfigurationOption

  @OptionGroup var score: PlayedScoreOption

  @Option(
    help: ArgumentHelp(
      "With --check: the folder with the stored scores; default: $STATE_DIRECTORY, or \(Paths.state).",
      valueName: "folder"),
    completion: .directory)
  var state: String?

  func validateOptions() throws {
    if !check, score.path != nil || state != nil { throw ValidationError("--score and --state need --check.") }
    try StateOption.check(state)
    if file?.isEmpty == true { throw ValidationError("FILE is empty; name a configuration file.") }
    if file != nil, option.path != nil {
      throw ValidationError("FILE and --config cannot be combined; name one configuration.")
    }
  }

  func run() throws {
    if keys { return try OutputFile.print(Configuration.keyTable) }
    var configuration = option
    configuration.path = file ?? option.path
    var read = try configuration.readForBox()
    var text = read.yaml
    if check {
      score.apply(to: &read)
      _ = try ConfigurationOption.load(read, state: state)
      text = "\(configuration.sourceForBox): valid\n"
    }
    try OutputFile.print(text)
  }
}
