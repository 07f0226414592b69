import ArgumentParser
import MetronomeConfiguration

/// `--config`, alike for every command that has it.
struct ConfigurationOption: ParsableArguments {
  @Option(
    name: .customLong("config"), help: ArgumentHelp("Read the configuration from this YAML file.", valueName: "file"))
  var path: String?

  /// The configuration of the file named, or of `fallback` if that exists, or the built-in one.
  func read(fallback: String? = nil) throws -> Configuration {
    do throws(ConfigurationError) {
      if let path { return try Configuration.read(path: path) }
      if let fallback, let configuration = try Configuration.readIfPresent(path: fallback) { return configuration }
      return .standard
    } catch {
      throw Failure.badConfiguration(error)
    }
  }
}
