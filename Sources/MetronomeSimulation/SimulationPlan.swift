import BoardSimulation
import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import MetronomeEngine

/// What is to be simulated: a configuration, a script with what happens, other configurations.
package struct SimulationPlan {
  /// What it begins with.
  package var first: Reading
  package var script: Script
  /// The configurations that the script puts in place of it.
  package var reloads: [SimulatedReloads.Appointment]
  /// Lets the contacts bounce, and chooses what a disk that loses its power has kept; nil: they do not, and as for 0.
  package var seed: UInt64?

  package init(
    first: Reading, script: Script = Script(), reloads: [SimulatedReloads.Appointment] = [], seed: UInt64? = nil
  ) {
    self.first = first
    self.script = script
    self.reloads = reloads
    self.seed = seed
  }

  /// A plan from texts alone.
  ///
  /// - Parameters:
  ///   - configuration: what it begins with, as YAML; nil: the built-in one.
  ///   - files: configurations that the script names, by those names. What is not among them is read from the disk.
  package init(configuration: String?, script: Script, files: [String: String] = [:], seed: UInt64? = nil)
    throws(ConfigurationError)
  {
    let first = try configuration.map { text throws(ConfigurationError) in
      try Configuration(yaml: Array(text.utf8), file: "configuration")
    }
    self.init(
      first: try Reading(first ?? .standard), script: script,
      reloads: SimulatedReloads.read(script.reloads, texts: files), seed: seed)
  }

  /// What it begins with.
  package var configuration: Configuration { first.configuration }

  /// All of them that can be in force.
  private var configurations: [Configuration] {
    [configuration] + reloads.compactMap { try? $0.result.get().configuration }
  }

  /// The longest that a contact may bounce.
  package var longestLockOut: Nanoseconds { configurations.map(\.lockOut).max() ?? Debouncer.standardLockOut }

  /// Stands for the keys of a terminal.
  private static let keys = InputRequest(
    .named("the keys of the terminal"),
    relative: Dictionary(uniqueKeysWithValues: Dial.allCases.enumerated().map { (AxisCode(number: UInt16($0)), $1) }))

  /// What the script uses and is not there in any of the configurations: a button, a dial or a device, as a sentence about
  /// the script.
  package var absence: String? {
    let wirings = configurations.map(\.wiring)
    let wired = wirings.reduce(into: Set<Button>()) { $0.formUnion($1.buttons.keys) }
    if let button = Button.allCases.first(where: { script.buttons.contains($0) && !wired.contains($0) }) {
      return "it presses \(button.rawValue), which the configuration gives no line; there nothing can be pressed"
    }
    for action in script.inputs(from: .zero) {
      let device = action.origin.number
      let requests = wirings.compactMap { $0.inputs.indices.contains(device - 1) ? $0.inputs[device - 1] : nil }
      guard !requests.isEmpty else {
        let most = wirings.map(\.inputs.count).max() ?? 0
        return "it uses device \(device); the configuration has \(most) under inputs"
      }
      switch action {
      case .edge(let edge) where !requests.contains { $0.keys.values.contains(edge.button) }:
        return "it presses \(edge.button.rawValue) of device \(device), to which the configuration gives no key there"
      case .turn(let turn) where !requests.contains { $0.relative.values.contains(turn.dial) }:
        return "it turns \(turn.dial.rawValue) of device \(device), to which the configuration gives no axis there"
      case .edge, .turn, .unplug, .plug, .overflow: continue
      }
    }
    return nil
  }

  /// What the board is to be made of with a configuration.
  ///
  /// - Parameters:
  ///   - sound: whether it has a sound card, if the configuration wants sound.
  ///   - hasKeys: whether keys of a terminal are buttons and dials: then all of them are there, wired or not. The device with
  ///     the dials comes after those of the configuration.
  package static func board(of configuration: Configuration, sound: Bool, hasKeys: Bool) -> SimulatedBoard.Options {
    var board = SimulatedBoard.Options()
    board.outputs = Set(configuration.wiring.outputs.keys)
    board.buttons = hasKeys ? Set(Button.allCases) : Set(configuration.wiring.buttons.keys)
    board.inputs = configuration.wiring.inputs + (hasKeys ? [SimulationPlan.keys] : [])
    board.audio = sound ? configuration.simulatedFormat : nil
    return board
  }
}

extension Configuration {
  /// What a card grants that grants everything; nil for no sound.
  fileprivate var simulatedFormat: AudioFormat? {
    guard audio.device != .none else { return nil }
    return AudioFormat(
      rate: audio.rate, channels: 2, sampleFormat: .s16, periodFrames: audio.period,
      bufferFrames: audio.period * audio.periods)
  }
}
