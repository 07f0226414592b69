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

  /// The device beside the box whose dials are turned by keys.
  static let dials = Origin(number: 1)

  /// A button that the script presses and that is not there.
  var absentButton: Button? {
    Button.allCases.first { script.buttons.contains($0) && configuration.wiring.buttons[$0] == nil }
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
    board.inputs = max(configuration.wiring.inputs.count, hasKeys ? SimulationPlan.dials.number : 0)
    board.recording = recordings.sound
    board.audio = sound ? configuration.simulatedFormat : nil
    let simulation = try Simulation(configuration.engineOptions(sounds), board: board, sinks: recordings.sinks)
    simulation.board.buttons.schedule(script.edges(from: start, bounces: bounces))
    if configuration.autoplay.plays(remembered: false) { simulation.perform(.start) }
    return simulation
  }

  /// Runs it in virtual time, as fast as the machine goes.
  func runVirtually(_ recordings: Recordings) throws {
    let simulation = try makeSimulation(from: .zero, recordings, sound: true, hasKeys: false)
    simulation.run(until: .zero + (length ?? .zero))
    simulation.finish()
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
