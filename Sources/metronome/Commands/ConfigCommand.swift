import ArgumentParser

struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Print the configuration in force, every key, as YAML.",
    discussion: "What is printed can be written to a file, changed, and given to --config.")

  @OptionGroup var configuration: ConfigurationOption

  func run() throws {
    var yaml = try configuration.read(fallback: RunCommand.defaultPath).yaml
    let output = OutputFile()
    yaml.withUTF8 { output.write(UnsafeRawBufferPointer($0)) }
    try output.check()
  }
}
