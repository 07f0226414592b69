import BoardSimulation
import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import MetronomeEngine
import MetronomeService

/// A simulated box that runs a plan: one virtual time, one board and one trace across all power cuts and restarts.
///
/// ``simulation`` advances the time; the script's events are already scheduled. The same plan gives the same trace, byte for
/// byte.
package final class BoxLife {
  package struct Options {
    /// When the box is switched on.
    package var start = Instant.zero
    /// Records what the sound card plays.
    package var recording: (any AudioRecording)?
    /// Records what the second sound card plays.
    package var secondRecording: (any AudioRecording)?
    /// Where the state is saved; nil: on a simulated disk, initially empty, to which power cuts and the script's disk faults
    /// apply.
    package var stateFolder: (any StateFolder)?
    /// Whether the box has a sound card, if the configuration enables audio.
    package var hasAudio = true
    /// Whether terminal keys act as buttons and dials: see ``SimulationPlan/board(of:hasAudio:hasKeys:)``.
    package var hasKeys = false
    /// Whether a service manager restarts the metronome when the beat loop stalls.
    package var isSupervised = true

    package init() {}
  }

  /// A notice for the user.
  package enum Notice {
    /// The result of a reload, as one line.
    case configuration(String)
    /// The saved state found at the start.
    case state(StateFindings)
    /// A command of another program that is refused, as one line.
    case refused(String)
  }

  private enum Condition {
    case on
    /// The metronome was killed; the service manager is about to restart it.
    case pausing
    /// The power is off.
    case off
  }

  package let simulation: Simulation
  /// The configuration in force.
  package private(set) var loaded: LoadedConfiguration
  /// Called after each reload with the new configuration and the one before.
  package var reloaded: (_ new: LoadedConfiguration, _ old: LoadedConfiguration) -> Void = { _, _ in }
  /// The programs that use the control socket; nil: the script has none.
  package private(set) var programs: OtherPrograms?
  private let report: (Notice) -> Void
  private let board: (Configuration) -> SimulatedBoard.Options
  /// The configuration that the board was last wired for. Differs from ``loaded`` after a reload while the box was off.
  private var wired: LoadedConfiguration
  private var condition = Condition.on
  private var supervisor: Supervisor?
  /// Chooses what a power cut leaves on the disk.
  private var random: SeededRandom
  /// Counts starts and ends, so that work scheduled before the latest of them is not done.
  private var epoch = 0

  /// Switches the box on and schedules the whole script.
  package init(
    _ plan: SimulationPlan, _ options: Options = Options(), sinks: [any TraceSink],
    report: @escaping (Notice) -> Void = { _ in }
  ) {
    self.report = report
    (loaded, wired) = (plan.first, plan.first)
    random = SeededRandom(seed: plan.seed ?? 0)
    self.board = { SimulationPlan.board(of: $0, hasAudio: options.hasAudio, hasKeys: options.hasKeys) }
    var board = self.board(plan.configuration)
    board.start = options.start
    (board.recording, board.secondRecording) = (options.recording, options.secondRecording)
    board.stateFolder = options.stateFolder ?? SimulatedDisk()
    board.faults = plan.script.faults(from: options.start)
    board.secondFaults = plan.script.faults(from: options.start, ofSecondCard: true)
    board.slews = plan.script.slews(from: options.start)
    do throws(HardwareError) {
      simulation = try Simulation(plan.first.options, board: board, sinks: sinks)
    } catch {
      preconditionFailure("a script must not make the first opening of the board fail: \(error)")
    }
    if !plan.script.controls.isEmpty { programs = OtherPrograms(simulation) { report(.refused($0)) } }
    if options.isSupervised { supervisor = Supervisor(at: options.start) }
    schedule(plan, from: options.start)
    hasStarted()
  }

  private func schedule(_ plan: SimulationPlan, from start: Instant) {
    let script = plan.script
    simulation.board.buttons.schedule(script.edges(from: start, bounces: plan.seed.map(Bounces.init(seed:))))
    simulation.board.inputs?.schedule(script.inputs(from: start))
    simulation.board.chip.schedule(script.chipActions(from: start))
    for control in script.controls {
      simulation.schedule(at: start + control.time) { [unowned self] in programs?.perform(control.what) }
    }
    for mishap in script.mishaps { schedule(mishap.what, at: start + mishap.time) }
    for reload in plan.reloads {
      simulation.schedule(at: start + reload.time) { [unowned self] in apply(reload.result) }
    }
  }

  /// Applies a configuration, or reports why it is invalid. A box that is off applies it at its next start.
  private func apply(_ result: Result<LoadedConfiguration, ConfigurationError>) {
    switch result {
    case .failure(let error): report(.configuration(LoadedConfiguration.refusal(error.description)))
    case .success(let new):
      let old = loaded
      loaded = new
      if simulation.isOn {
        wired = new
        simulation.reconfigure(new.options, board: board(new.configuration), changes: new.boardChanges(from: old))
      }
      reloaded(new, old)
      report(.configuration(new.news(since: old)))
    }
  }

  /// Faults of card, disk and clock are part of the board from the start: see `Script.faults(from:)`.
  private func schedule(_ mishap: Mishap, at instant: Instant) {
    switch mishap {
    case .onSecondCard(let mishap): schedule(mishap, at: instant)
    case .late(let loop, let time): simulation.delay(loop, by: time, from: instant)
    case .cardUnplugged, .cardPlugged:
      simulation.schedule(at: instant) { [unowned self] in simulation.cardsChanged() }
    case .midiUnplugged(let port): scheduleMIDI(port, at: instant) { $0.unplug($1) }
    case .midiPlugged(let port): scheduleMIDI(port, at: instant) { $0.plug($1) }
    case .midiFull(let port, let time): scheduleMIDI(port, at: instant) { $0.fill($1, until: instant + time) }
    case .powerCut: simulation.schedule(at: instant) { [unowned self] in cutPower() }
    case .powerOn: simulation.schedule(at: instant) { [unowned self] in if condition == .off { start() } }
    case .restart: simulation.schedule(at: instant) { [unowned self] in restart() }
    case .cardStops, .cardSleeps, .cardFails, .cardFreezes, .cardRefuses, .cardDrifts, .clockSlews, .diskFull,
      .diskFree, .diskFails, .displayUnplugged, .displayPlugged:
      break
    }
  }

  /// Schedules a fault of a MIDI output, counted from 1, if there is such a port then.
  private func scheduleMIDI(_ port: Int, at instant: Instant, _ change: @escaping (SimulatedMIDI, Int) -> Void) {
    simulation.schedule(at: instant) { [unowned self] in
      guard let midi = simulation.board.midi, port <= midi.count else { return }
      change(midi, port - 1)
      simulation.midiPortsChanged()
    }
  }

  private func cutPower() {
    guard condition != .off else { return }
    if condition == .on { simulation.end(.power, using: &random) }
    condition = .off
    epoch += 1
  }

  private func restart() {
    guard condition == .on else { return }
    simulation.end(.order, using: &random)
    epoch += 1
    start()
  }

  /// Kills the metronome, as the service manager does when its watchdog expires, and restarts it after a pause.
  private func kill() {
    simulation.end(.kill, using: &random)
    condition = .pausing
    epoch += 1
    let epoch = epoch
    simulation.schedule(at: simulation.board.clock.now + Supervisor.pause) { [unowned self] in
      if epoch == self.epoch { start() }
    }
  }

  private func start() {
    simulation.begin(loaded.options, board: board(loaded.configuration), changes: loaded.boardChanges(from: wired))
    wired = loaded
    condition = .on
    epoch += 1
    hasStarted()
  }

  private func hasStarted() {
    let findings = simulation.engine.findings
    report(.state(findings))
    if loaded.configuration.autoplay.plays(remembered: findings.savedState?.isPlaying ?? false) {
      simulation.perform(.start)
    }
    programs?.connect()
    guard supervisor != nil || programs != nil else { return }
    simulation.service = { [unowned self] now, steps, ring in
      programs?.serve(at: now)
      return supervisor?.serve(at: now, steps: steps, ring: ring)
    }
    guard supervisor != nil else { return }
    let now = simulation.board.clock.now
    supervisor = Supervisor(at: now)
    watch(until: now + Supervisor.timeout)
  }

  private func watch(until instant: Instant) {
    let epoch = epoch
    simulation.schedule(at: instant) { [unowned self] in
      guard epoch == self.epoch, let supervisor else { return }
      if supervisor.deadline <= instant { kill() } else { watch(until: supervisor.deadline) }
    }
  }
}

/// The service manager of a simulated box, and the watchdog messages that the box sends it, both as on the real box.
struct Supervisor {
  /// The same as `WatchdogSec` and `RestartSec` in the unit file.
  static let timeout = Nanoseconds.seconds(5)
  static let pause = Nanoseconds.milliseconds(100)
  /// An arbitrary process id.
  private static let process: Int32 = 1

  private var watchdog: Watchdog
  /// When the manager kills the metronome if no message arrives.
  private(set) var deadline: Instant

  init(at now: Instant) {
    let environment = ["WATCHDOG_USEC": "\(Supervisor.timeout.count / 1_000)", "WATCHDOG_PID": "\(Supervisor.process)"]
    guard let watchdog = Watchdog(environment: environment, process: Supervisor.process, steps: 0, at: now) else {
      preconditionFailure("the environment enables the watchdog, but there is none")
    }
    self.watchdog = watchdog
    deadline = now + Supervisor.timeout
  }

  /// Does the watchdog work of the control thread, and returns when it must be called again.
  mutating func serve(at now: Instant, steps: UInt64, ring: () -> Void) -> Instant {
    let duty = watchdog.step(at: now, steps: steps)
    if duty.isAlive { deadline = now + Supervisor.timeout }
    if duty.rings { ring() }
    return duty.next
  }
}
