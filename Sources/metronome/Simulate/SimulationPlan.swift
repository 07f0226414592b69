import BoardSimulation
import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import MetronomeEngine

/// What is to be simulated: a configuration, presses, and for how long.
struct SimulationPlan {
  var configuration: Configuration
  var sounds: ClickSounds
  var script: Script
  var bounces: Bounces?
  /// nil: until somebody ends it.
  var length: Nanoseconds?
  /// nil: it is forgotten with the end.
  var memory: SimulationMemory?

  /// The device beside the box whose dials are turned by keys: one after those of the configuration.
  var dials: Origin { Origin(number: configuration.wiring.inputs.count + 1) }

  /// Stands for the keys of a terminal.
  private static let keys = InputRequest(
    .named("the keys of the terminal"),
    relative: Dictionary(uniqueKeysWithValues: Dial.allCases.enumerated().map { (AxisCode(number: UInt16($0)), $1) }))

  /// What the script uses and is not there: a button, a dial or a device, as a sentence about the script.
  var absence: String? {
    let wiring = configuration.wiring
    if let button = Button.allCases.first(where: { script.buttons.contains($0) && wiring.buttons[$0] == nil }) {
      return "it presses \(button.rawValue), which the configuration gives no line; there nothing can be pressed"
    }
    for action in script.inputs(from: .zero) {
      let device = action.origin.number
      guard wiring.inputs.indices.contains(device - 1) else {
        return "it uses device \(device); the configuration has \(wiring.inputs.count) under inputs"
      }
      switch action {
      case .edge(let edge) where !wiring.inputs[device - 1].keys.values.contains(edge.button):
        return "it presses \(edge.button.rawValue) of device \(device), to which the configuration gives no key there"
      case .turn(let turn) where !wiring.inputs[device - 1].relative.values.contains(turn.dial):
        return "it turns \(turn.dial.rawValue) of device \(device), to which the configuration gives no axis there"
      case .edge, .turn, .unplug, .plug, .overflow: continue
      }
    }
    return nil
  }

  /// The simulation, ready at its first instant, with the script's presses ahead of it.
  ///
  /// - Parameters:
  ///   - sound: whether the simulated board has a sound card, if the configuration wants sound.
  ///   - hasKeys: whether keys of a terminal are buttons and dials: then all of them are there, wired or not.
  func makeSimulation(
    from start: Instant, _ recordings: Recordings, sound: Bool, hasKeys: Bool
  ) throws(HardwareError) -> Simulation {
    var board = SimulatedBoard.Options()
    board.start = start
    board.outputs = Set(configuration.wiring.outputs.keys)
    board.buttons = hasKeys ? Set(Button.allCases) : Set(configuration.wiring.buttons.keys)
    board.inputs = configuration.wiring.inputs + (hasKeys ? [SimulationPlan.keys] : [])
    board.recording = recordings.sound
    board.audio = sound ? configuration.simulatedFormat : nil
    board.store = memory?.folder
    let simulation = try Simulation(
      configuration.engineOptions(sounds), board: board,
      sinks: recordings.sinks + [memory].compactMap(\.self))
    let findings = simulation.engine.findings
    memory?.tell(findings)
    simulation.board.buttons.schedule(script.edges(from: start, bounces: bounces))
    simulation.board.inputs?.schedule(script.inputs(from: start))
    simulation.board.chip.schedule(script.chipActions(from: start))
    if configuration.autoplay.plays(remembered: findings.memory?.isPlaying ?? false) { simulation.perform(.start) }
    return simulation
  }

  /// Runs it in virtual time, as fast as the machine goes.
  func runVirtually(_ recordings: Recordings) throws {
    let simulation = try makeSimulation(from: .zero, recordings, sound: true, hasKeys: false)
    simulation.run(until: .zero + (length ?? .zero))
    simulation.finish()
    memory?.tellRefusal(of: simulation)
    try recordings.finish()
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
