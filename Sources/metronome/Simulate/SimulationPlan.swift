import BoardSimulation
import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import MetronomeEngine

/// What is to be simulated: a configuration, presses, other configurations, and for how long.
struct SimulationPlan {
  /// What it begins with.
  var first: Reading
  var script: Script
  /// The configurations that the script puts in place of it.
  var reloads: [SimulatedReloads.Appointment] = []
  var bounces: Bounces?
  /// nil: until somebody ends it.
  var length: Nanoseconds?
  /// nil: it is forgotten with the end.
  var memory: SimulationMemory?

  /// What it begins with.
  var configuration: Configuration { first.configuration }

  /// All of them that can be in force.
  private var configurations: [Configuration] {
    [configuration] + reloads.compactMap { try? $0.result.get().configuration }
  }

  /// The longest that a contact may bounce.
  var longestLockOut: Nanoseconds { configurations.map(\.lockOut).max() ?? Debouncer.standardLockOut }

  /// Stands for the keys of a terminal.
  private static let keys = InputRequest(
    .named("the keys of the terminal"),
    relative: Dictionary(uniqueKeysWithValues: Dial.allCases.enumerated().map { (AxisCode(number: UInt16($0)), $1) }))

  /// What the script uses and is not there in any of the configurations: a button, a dial or a device, as a sentence about
  /// the script.
  var absence: String? {
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
  static func board(of configuration: Configuration, sound: Bool, hasKeys: Bool) -> SimulatedBoard.Options {
    var board = SimulatedBoard.Options()
    board.outputs = Set(configuration.wiring.outputs.keys)
    board.buttons = hasKeys ? Set(Button.allCases) : Set(configuration.wiring.buttons.keys)
    board.inputs = configuration.wiring.inputs + (hasKeys ? [SimulationPlan.keys] : [])
    board.audio = sound ? configuration.simulatedFormat : nil
    return board
  }

  /// The simulation, ready at its first instant, with the script's presses ahead of it.
  ///
  /// - Parameters:
  ///   - sound: see ``board(of:sound:hasKeys:)``; so for `hasKeys`.
  ///   - tell: is told in a line each what became of the configurations that are put in place.
  func makeSimulation(
    from start: Instant, _ recordings: Recordings, sound: Bool, hasKeys: Bool, tell: @escaping (String) -> Void
  ) throws(HardwareError) -> (Simulation, SimulatedReloads) {
    var board = SimulationPlan.board(of: configuration, sound: sound, hasKeys: hasKeys)
    board.start = start
    board.recording = recordings.sound
    board.store = memory?.folder
    let simulation = try Simulation(
      first.options, board: board,
      sinks: recordings.sinks + [memory].compactMap(\.self))
    let findings = simulation.engine.findings
    memory?.tell(findings)
    simulation.board.buttons.schedule(script.edges(from: start, bounces: bounces))
    simulation.board.inputs?.schedule(script.inputs(from: start))
    simulation.board.chip.schedule(script.chipActions(from: start))
    if configuration.autoplay.plays(remembered: findings.memory?.isPlaying ?? false) { simulation.perform(.start) }
    let taken = SimulatedReloads(
      first, wires: { SimulationPlan.board(of: $0, sound: sound, hasKeys: hasKeys) }, tell: tell)
    for appointment in reloads {
      simulation.schedule(at: start + appointment.reload.time) { [unowned simulation] in
        taken.take(appointment.result, in: simulation)
      }
    }
    return (simulation, taken)
  }

  /// Runs it in virtual time, as fast as the machine goes.
  func runVirtually(_ recordings: Recordings) throws {
    let (simulation, _) = try makeSimulation(from: .zero, recordings, sound: true, hasKeys: false) {
      standardError("metronome: \($0)\n")
    }
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
