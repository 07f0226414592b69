import ArgumentParser
import Foundation
import MetronomeCore

/// `--state`, alike for every command that has it.
struct StateOption: ParsableArguments {
  @Option(
    name: .customLong("state"),
    help: ArgumentHelp("Remember tempo, signature, mode and presets in this folder.", valueName: "folder"),
    completion: .directory)
  var path: String?

  func validate() throws { try StateOption.check(path) }

  static func check(_ path: String?) throws {
    if path?.isEmpty == true { throw ValidationError("--state needs the name of a folder.") }
  }

  /// The folder named, or the one that systemd has made for the service; nil: none.
  var pathOrService: String? { path ?? StateOption.service }

  /// The folder that systemd has made for the service, the first if there are more; nil: none.
  static var service: String? {
    ProcessInfo.processInfo.environment["STATE_DIRECTORY"]?.split(separator: ":").first.map(String.init)
  }
}
