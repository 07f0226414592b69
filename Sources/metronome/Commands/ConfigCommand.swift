import ArgumentParser
import MetronomeCore

struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Print the configuration in force, every key, as YAML.",
    discussion: """
      What is printed can be written to a file, changed, and given to --config.

      With --check the file is only read as "run" would read it, sounds and all. What is wrong with it is said as "run" would \
      say it, with 78.
      """)

  @Flag(help: "Read the configuration and the sounds that it names, and say no more than whether they are in order.")
  var check = false

  @OptionGroup var configuration: ConfigurationOption

  func run() throws {
    let read = try configuration.read(fallback: RunCommand.defaultPath)
    var text = read.yaml
    if check {
      _ = try ConfigurationOption.sounds(of: read)
      text = "\(configuration.source(fallback: RunCommand.defaultPath)): in order\n"
    }
    try OutputFile.print(text)
  }
}
