import BoardSimulation
import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import MetronomeEngine

/// The input of a simulation: a configuration, a script of events, and the configurations that the script reloads.
package struct SimulationPlan {
  /// A configuration that the script loads.
  package struct Reload {
    package var time: Nanoseconds
    /// The file's path.
    package var path: String
    package var result: Result<LoadedConfiguration, ConfigurationError>
  }

  /// The configuration at the start.
  package var first: LoadedConfiguration
  package var script: Script
  package var reloads: [Reload]
  /// Makes the contacts bounce, and chooses what a power cut leaves on the disk; nil: no bounces, and the disk as for seed 0.
  package var seed: UInt64?
  /// A button for which there is no place beside those of the other configurations.
  private var surplusButton: String?

  /// Reads the configurations that the script names.
  /// Relative paths are relative to `folder`, or to the working directory if `folder` is empty. `files` are the texts of
  /// configurations and scores, by their names in the script or in a configuration; other files are read from the disk.
  package init(
    first: LoadedConfiguration, script: Script = Script(), folder: String = "", files: [String: String] = [:],
    seed: UInt64? = nil
  ) {
    self.first = first
    self.script = script
    self.seed = seed
    reloads = script.reloads.map { reload in
      let path = ConfiguredFile(reload.file, folder: folder).path
      let result = Result { () throws(ConfigurationError) -> LoadedConfiguration in
        guard let text = files[reload.file] else { return try LoadedConfiguration(try Configuration.read(path: path)) }
        return try LoadedConfiguration(try Configuration(yaml: Array(text.utf8), file: reload.file), scores: files)
      }
      return Reload(time: reload.time, path: path, result: result)
    }
    shareButtons()
  }

  /// Gives each button the same place in all configurations, so that a script can name it.
  private mutating func shareButtons() {
    var all = configuration.wiring.names
    for name in configurations.flatMap(\.wiring.names.buttonNames) where all.button(named: name) == nil {
      if all.buttonNames.count == Button.room { surplusButton = surplusButton ?? name }
      all.append(button: name)
    }
    first.configuration = SimulationPlan.arranged(first.configuration, all)
    for index in reloads.indices {
      reloads[index].result = reloads[index].result.map { loaded in
        var loaded = loaded
        loaded.configuration = SimulationPlan.arranged(loaded.configuration, all)
        return loaded
      }
    }
  }

  /// The configuration with its buttons at the places of `names`, and its outputs where they are.
  private static func arranged(_ configuration: Configuration, _ names: BoxNames) -> Configuration {
    let outputs = configuration.wiring.names.outputNames
    return configuration.arranged(like: BoxNames(outputs: outputs, buttons: names.buttonNames))
  }

  /// A plan from texts; a nil configuration is the built-in one. Configurations and scores missing from `files` are read from
  /// the disk.
  package init(configuration: String?, script: Script, files: [String: String] = [:], seed: UInt64? = nil)
    throws(ConfigurationError)
  {
    let first = try configuration.map { text throws(ConfigurationError) in
      try Configuration(yaml: Array(text.utf8), file: "configuration")
    }
    let loaded = try LoadedConfiguration(first ?? .standard, scores: files)
    self.init(first: loaded, script: script, files: files, seed: seed)
  }

  package var configuration: Configuration { first.configuration }

  /// All configurations that can take effect.
  private var configurations: [Configuration] {
    [configuration] + reloads.compactMap { try? $0.result.get().configuration }
  }

  /// The longest time that a contact may bounce.
  package var longestLockOut: Nanoseconds { configurations.map(\.lockOut).max() ?? Debouncer.standardLockOut }

  /// Represents the keys of a terminal.
  private static let keys = InputRequest(
    .named("the keys of the terminal"),
    relative: Dictionary(uniqueKeysWithValues: Dial.allCases.enumerated().map { (AxisCode(number: UInt16($0)), $1) }))

  /// A sentence about a button, dial or device that the script uses but no configuration has; nil if there is no such item.
  package var absence: String? { absence(in: script) }

  /// The same for another script.
  package func absence(in script: Script) -> String? {
    let wirings = configurations.map(\.wiring)
    let names = configuration.wiring.names
    if let surplusButton {
      return "the configurations that the script loads have more than sixteen buttons: \(surplusButton) is the 17th"
    }
    let wired = wirings.reduce(into: Set<Button>()) { $0.formUnion($1.buttons.keys) }
    if let button = names.buttons.first(where: { script.buttons.contains($0) && !wired.contains($0) }) {
      return "the script presses \(names[button]), but this button has no line in the configuration"
    }
    if let port = script.mishaps.compactMap(\.what.midiPort).max(), port > wirings.map(\.midi.count).max() ?? 0 {
      return "the script uses MIDI output \(port), but the configuration has no such output"
    }
    for action in script.inputs(from: .zero) where action.origin != .midiClock {
      let device = action.origin.number
      let requests = wirings.compactMap { $0.inputs.indices.contains(device - 1) ? $0.inputs[device - 1] : nil }
      guard !requests.isEmpty else {
        let most = wirings.map(\.inputs.count).max() ?? 0
        return "the script uses device \(device), but the number of input devices in the configuration is \(most)"
      }
      switch action {
      case .edge(let edge) where !requests.contains { $0.keys.values.contains(edge.button) }:
        return
          "the script presses \(names[edge.button]) of device \(device), but no key of this device is bound to it"
      case .turn(let turn) where !requests.contains { $0.relative.values.contains(turn.dial) }:
        return "the script turns \(turn.dial.rawValue) of device \(device), but no axis of this device is bound to it"
      case .edge, .turn, .unplug, .plug, .overflow, .clock: continue
      }
    }
    return nil
  }

  /// The board for a configuration, with the sound cards that both `hasAudio` and the configuration enable.
  ///
  /// If terminal keys act as buttons and dials, all buttons are present, wired or not, and the dials' device comes last.
  package static func board(of configuration: Configuration, hasAudio: Bool, hasKeys: Bool) -> SimulatedBoard.Options {
    var board = SimulatedBoard.Options()
    board.outputs = configuration.wiring.outputLines
    board.names = configuration.wiring.names
    board.buttons = hasKeys ? Set(board.names.buttons) : Set(configuration.wiring.buttons.keys)
    board.inputs = configuration.wiring.inputs + (hasKeys ? [SimulationPlan.keys] : [])
    board.midi = configuration.wiring.midi
    board.hasDisplay = configuration.wiring.display.isPresent
    board.hasScreen = configuration.wiring.display.bus != nil
    board.audio = hasAudio ? format(configuration.audio) : nil
    board.secondAudio = hasAudio ? format(configuration.secondAudio) : nil
    return board
  }

  /// The card grants every requested format; nil: no card is wanted.
  private static func format(_ audio: AudioRequest) -> AudioFormat? {
    guard audio.device != .none else { return nil }
    return AudioFormat(
      rate: audio.rate, channels: 2, sampleFormat: .s16, periodFrames: audio.period,
      bufferFrames: audio.period * audio.periods)
  }
}
