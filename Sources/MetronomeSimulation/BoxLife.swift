import BoardSimulation
import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import MetronomeEngine
import MetronomeService

/// The life of a simulated box, from a plan: one virtual time, one board and one trace over every power cut and restart.
///
/// Whoever has it lets time pass with ``simulation``; what the script says happens on its own. The same plan gives the same
/// trace, to the byte.
package final class BoxLife {
  /// How the box is put up.
  package struct Options {
    /// When it is switched on.
    package var start = Instant.zero
    /// Takes in what the sound card plays.
    package var recording: (any SoundRecording)?
    /// What it remembers in; nil: a disk of its own, empty at first, which power cuts and the script's faults befall.
    package var store: (any StateFolder)?
    /// Whether it has a sound card, if the configuration wants sound.
    package var hasSound = true
    /// Whether keys of a terminal are buttons and dials: see ``SimulationPlan/board(of:sound:hasKeys:)``.
    package var hasKeys = false
    /// Whether a service manager sees to it that its beat loop goes on.
    package var isSupervised = true

    package init() {}
  }

  /// Something a person is told.
  package enum News {
    /// What became of a configuration that was put in place, in a line.
    case configuration(String)
    /// What the box found of its state when it began.
    case state(StateFindings)
  }

  private enum Condition {
    case on
    /// The service manager is about to begin it again.
    case pausing
    /// Without power.
    case off
  }

  package let simulation: Simulation
  package let reloads: SimulatedReloads
  private let tell: (News) -> Void
  private var condition = Condition.on
  private var supervisor: Supervisor?
  /// Of what disks keep.
  private var random: SeededRandom
  /// Counts the beginnings and ends, so that an appointment of before is known.
  private var epoch = 0

  /// Puts the box up and switches it on, with all that is to happen ahead of it.
  ///
  /// - Parameters:
  ///   - sinks: take the trace.
  ///   - tell: is told what a person is to be told, as it happens.
  package init(
    _ plan: SimulationPlan, _ options: Options = Options(), sinks: [any TraceSink],
    tell: @escaping (News) -> Void = { _ in }
  ) {
    self.tell = tell
    random = SeededRandom(seed: plan.seed ?? 0)
    let wires = { SimulationPlan.board(of: $0, sound: options.hasSound, hasKeys: options.hasKeys) }
    var board = wires(plan.configuration)
    board.start = options.start
    board.recording = options.recording
    board.store = options.store ?? SimulatedDisk()
    board.faults = plan.script.faults(from: options.start)
    board.slews = plan.script.slews(from: options.start)
    do throws(HardwareError) {
      simulation = try Simulation(plan.first.options, board: board, sinks: sinks)
    } catch {
      preconditionFailure("no script keeps a board from being had at first: \(error)")
    }
    reloads = SimulatedReloads(plan.first, wires: wires, tell: { tell(.configuration($0)) })
    if options.isSupervised { supervisor = Supervisor(at: options.start) }
    schedule(plan, from: options.start)
    hasBegun()
  }

  private func schedule(_ plan: SimulationPlan, from start: Instant) {
    let script = plan.script
    simulation.board.buttons.schedule(script.edges(from: start, bounces: plan.seed.map(Bounces.init(seed:))))
    simulation.board.inputs?.schedule(script.inputs(from: start))
    simulation.board.chip.schedule(script.chipActions(from: start))
    for mishap in script.mishaps { schedule(mishap.what, at: start + mishap.time) }
    for appointment in plan.reloads {
      simulation.schedule(at: start + appointment.reload.time) { [unowned self] in
        reloads.take(appointment.result, in: simulation)
      }
    }
  }

  /// Card, disk and clock have theirs from the beginning: see `Script.faults(from:)`.
  private func schedule(_ mishap: Mishap, at instant: Instant) {
    switch mishap {
    case .late(let loop, let time): simulation.delay(loop, by: time, from: instant)
    case .cardUnplugged, .cardPlugged:
      simulation.schedule(at: instant) { [unowned self] in simulation.noteThatCardsHaveChanged() }
    case .powerCut: simulation.schedule(at: instant) { [unowned self] in cutPower() }
    case .powerOn: simulation.schedule(at: instant) { [unowned self] in restorePower() }
    case .restart: simulation.schedule(at: instant) { [unowned self] in restart() }
    case .cardStops, .cardSleeps, .cardFails, .cardFreezes, .cardRefuses, .cardDrifts, .clockSlews, .diskFull,
      .diskFree,
      .diskFails:
      break
    }
  }

  // MARK: Beginnings and ends

  private func cutPower() {
    switch condition {
    case .on: simulation.end(.power, using: &random)
    case .pausing: break
    case .off: return
    }
    condition = .off
    epoch += 1
  }

  private func restorePower() { if case .off = condition { begin() } }

  private func restart() {
    guard case .on = condition else { return }
    simulation.end(.order, using: &random)
    epoch += 1
    begin()
  }

  /// The service manager has lost its patience.
  private func kill() {
    simulation.end(.kill, using: &random)
    condition = .pausing
    epoch += 1
    let epoch = epoch
    simulation.schedule(at: simulation.board.clock.now + Supervisor.pause) { [unowned self] in
      if epoch == self.epoch { begin() }
    }
  }

  private func begin() {
    reloads.begin(simulation)
    condition = .on
    epoch += 1
    hasBegun()
  }

  private func hasBegun() {
    let findings = simulation.engine.findings
    tell(.state(findings))
    let configuration = reloads.current.configuration
    if configuration.autoplay.plays(remembered: findings.savedState?.isPlaying ?? false) { simulation.perform(.start) }
    guard supervisor != nil else { return }
    let now = simulation.board.clock.now
    supervisor = Supervisor(at: now)
    simulation.service = { [unowned self] now, steps, ring in supervisor?.serve(at: now, steps: steps, ring: ring) }
    watch(until: now + Supervisor.patience)
  }

  private func watch(until instant: Instant) {
    let epoch = epoch
    simulation.schedule(at: instant) { [unowned self] in
      guard epoch == self.epoch, let supervisor else { return }
      if supervisor.deadline <= instant { kill() } else { watch(until: supervisor.deadline) }
    }
  }
}

/// The service manager of a simulated box, and what the box does to be thought alive: the same as the real one.
struct Supervisor {
  /// As `WatchdogSec` and `RestartSec` in the unit's file.
  static let patience = Nanoseconds.seconds(5)
  static let pause = Nanoseconds.milliseconds(100)
  /// Anybody's.
  private static let process: Int32 = 1

  private var watchdog: Watchdog
  /// When the manager was told last that the box is alive.
  private var told: Instant

  /// - Parameter now: the box begins.
  init(at now: Instant) {
    let environment = [
      "WATCHDOG_USEC": "\(Supervisor.patience.count / 1_000)", "WATCHDOG_PID": "\(Supervisor.process)",
    ]
    guard let watchdog = Watchdog(environment: environment, process: Supervisor.process, steps: 0, at: now) else {
      preconditionFailure("a watchdog that is asked for is there")
    }
    self.watchdog = watchdog
    told = now
  }

  /// When the manager loses its patience.
  var deadline: Instant { told + Supervisor.patience }

  /// Does on the control thread what the box does for the manager.
  ///
  /// - Returns: when to call again.
  mutating func serve(at now: Instant, steps: UInt64, ring: () -> Void) -> Instant {
    let duty = watchdog.step(at: now, steps: steps)
    if duty.isAlive { told = now }
    if duty.rings { ring() }
    return duty.next
  }
}
