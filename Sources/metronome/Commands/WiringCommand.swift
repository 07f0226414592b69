import ArgumentParser
import MetronomeConfiguration
import MetronomeCore

struct WiringCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wiring",
    abstract: "Print what hangs on which pin of the Raspberry Pi's header, and what clashes there.",
    discussion: """
      The lines are those of the configuration; nothing is opened, so it works on any machine. Pictures and the parts are in \
      the folder "wiring" of the program's source.
      """)

  @Flag(help: "As JSON, for programs.")
  var json = false
  @OptionGroup var configuration: ConfigurationOption

  func run() throws {
    let wiring = try configuration.read(fallback: RunCommand.defaultPath).wiring
    try WiringTable(WiringReport(wiring)).write(asJSON: json)
  }
}

#if LINUX_BOARD
  import LinuxBoard
#endif

struct OffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "off",
    abstract: "Switch every output of the real board off, after a metronome that was killed.",
    discussion: """
      A metronome that ends, or crashes, does it itself; one that is killed cannot, and on some kernels a line then stays as \
      it was, and a buzzer sounds on. Takes each output that is configured, inactive, and gives it back. Without --config \
      these are the outputs of the metronome that was killed, if it left word in $RUNTIME_DIRECTORY, as the service does; \
      else those of \(RunCommand.defaultPath) if that exists.

      Ends with 0 also where there is no chip, and where a metronome that runs has the lines, which is left alone.
      """)

  @OptionGroup var configuration: ConfigurationOption

  /// Tells of a failure in the log, as what it follows does.
  func run() throws {
    let log = Log()
    do {
      try darken(log)
    } catch let failure as Failure {
      log(.error, failure.message)
      throw ExitCode(failure.code)
    }
  }

  private func darken(_ log: Log) throws {
    #if LINUX_BOARD
      let left = self.configuration.path == nil ? ConfigurationInForce()?.read() : nil
      let configuration = try left ?? self.configuration.read(fallback: RunCommand.defaultPath)
      do {
        switch try SwitchOff.outputs(of: configuration.wiring) {
        case .done: break
        case .noChip(let error): log(.info, "nothing to switch off: \(Failure.text(error))")
        case .held(let error): log(.info, "left alone: \(Failure.text(error))")
        }
      } catch {
        throw Failure.noHardware(error)
      }
    #else
      _ = try configuration.read(fallback: RunCommand.defaultPath)
      throw Failure.noHardware("this build has no real board, and so no outputs")
    #endif
  }
}

struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Print the configuration in force, every key, as YAML.",
    discussion: """
      What is printed can be written to a file, changed, and given to --config.

      With --check the file is only read as "run" would read it, sounds and all. What is wrong with it is said as "run" would \
      say it, with 78. With --keys no file is read, and a table of all keys is printed in Markdown.
      """)

  @Flag(help: "Read the configuration and the sounds that it names, and say no more than whether they are in order.")
  var check = false

  @Flag(help: "Print what each key may say, what is built in, and what it means.")
  var keys = false

  @OptionGroup var configuration: ConfigurationOption

  func run() throws {
    if keys { return try OutputFile.print(Configuration.keyTable) }
    let read = try configuration.read(fallback: RunCommand.defaultPath)
    var text = read.yaml
    if check {
      _ = try ConfigurationOption.sounds(of: read)
      text = "\(configuration.source(fallback: RunCommand.defaultPath)): in order\n"
    }
    try OutputFile.print(text)
  }
}
