import ArgumentParser
import Foundation
import MetronomeConfiguration
import MetronomeCore

/// `--config`, alike for every command that has it.
struct ConfigurationOption: ParsableArguments {
  @Option(
    name: .customLong("config"), help: ArgumentHelp("Read the configuration from this YAML file.", valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"]))
  var path: String?

  /// The configuration of the file named, or of `fallback` if that exists, or the built-in one.
  func read(fallback: String? = nil) throws -> Configuration {
    try readIfPresent(fallback: fallback) ?? .standard
  }

  /// The same; nil when no file is named and `fallback` does not exist.
  func readIfPresent(fallback: String?) throws -> Configuration? {
    do throws(ConfigurationError) {
      if let path { return try Configuration.read(path: path) }
      return try fallback.flatMap { path throws(ConfigurationError) in try Configuration.readIfPresent(path: path) }
    } catch {
      throw Failure.badConfiguration(error)
    }
  }

  /// Where ``read(fallback:)`` reads, for a person.
  func source(fallback: String) -> String {
    if let path { return shownName(path) }
    return access(fallback, F_OK) == 0 ? fallback : "the built-in configuration"
  }

  /// The sounds of the clicks, read from the files that a configuration names: before anything is opened.
  static func sounds(of configuration: Configuration) throws -> ClickSounds {
    do throws(ConfigurationError) {
      return try configuration.readSounds()
    } catch {
      throw Failure.badConfiguration(error)
    }
  }
}
