#if LINUX_BOARD
  import Foundation
  import HardwareAbstraction
  import MetronomeConfiguration
  import StateFiles

  /// The wiring that a running metronome plays by, as a configuration, where whoever switches off after it finds it: the
  /// file it was read from may say something else by now, or nothing that can be read.
  ///
  /// It lies in the folder that systemd makes for the service in memory, and goes with it.
  struct ConfigurationInForce {
    private static let name = "in-force.yaml"

    private let folder: String

    /// In `$RUNTIME_DIRECTORY`; nil without it.
    init?(environment: [String: String] = ProcessInfo.processInfo.environment) {
      guard let folder = environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first else { return nil }
      self.folder = String(folder)
    }

    /// Puts it in place of the one before, as a whole.
    func write(_ configuration: Configuration) throws(HardwareError) {
      let files = try FileFolder(folder)
      var outputs = Configuration.standard
      outputs.wiring = configuration.wiring
      outputs.wiring.inputs = []
      try files.write(ConfigurationInForce.name + ".new", Array(outputs.yaml.utf8))
      _ = try files.rename(ConfigurationInForce.name + ".new", to: ConfigurationInForce.name)
    }

    /// nil when there is none, or none that can be read.
    func read() -> Configuration? {
      do throws(ConfigurationError) {
        return try Configuration.readIfPresent(path: "\(folder)/\(ConfigurationInForce.name)")
      } catch {
        return nil
      }
    }
  }
#endif
