import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// The metronome on a simulated board: its loops in virtual time, on one thread, in order of their deadlines.
///
/// The same script and seed give the same trace, byte for byte. The metronome can end and start again, for example after a
/// power cut; board, clock and traces continue.
public final class Simulation {
  public typealias Loop = MetronomeEngine.Loop

  public let board: SimulatedBoard
  /// The running engine, or the last one that ran.
  public private(set) var engine: Engine<SimulatedBoard, TraceRecorder>
  /// Whether the metronome is running.
  public private(set) var isOn = true
  /// The wake-up latency of the loops, as of threads on a real machine. None by default.
  public var lateness: (Loop, Instant) -> Nanoseconds = { _, _ in .zero }
  /// Called on the control loop's thread after each of its steps, with the step count of the beat loop and a closure that
  /// wakes it. Returns when it must be called next.
  public var service: ((_ now: Instant, _ steps: UInt64, _ ring: () -> Void) -> Instant?)? {
    didSet { waker.hostHasWork() }
  }
  /// Called after each step of a loop, and with nil after each scheduled action, including starts and ends of the metronome.
  public var stepped: (Loop?) -> Void = { _ in }
  /// The delay of the loop that stepped last: see ``delay(_:by:from:)``.
  public private(set) var wakeDelay = Nanoseconds.zero
  /// What the engine plays, as last configured.
  public private(set) var options: EngineOptions
  /// Statistics of the loops since the metronome was started.
  public var figures: Figures { recorder.figures.now }
  private let recorder: TraceRecorder
  // Exclusivity checks are off: read several times in each step, and never passed on.
  @exclusivity(unchecked) private var wakes = [Wake](repeating: Wake(), count: Loop.allCases.count)
  /// Loops that were woken but not yet stepped.
  private let rung = RungLoops()
  private let waker: Waker
  /// Scheduled work, in order of time.
  private var scheduledWork: [(instant: Instant, work: () -> Void)] = []

  /// Opens the board and puts the metronome on it, stopped.
  public init(
    _ options: EngineOptions = EngineOptions(), board boardOptions: SimulatedBoard.Options = SimulatedBoard.Options(),
    sinks: [any TraceSink]
  ) throws(HardwareError) {
    recorder = TraceRecorder(origin: boardOptions.start, sinks: sinks)
    board = try SimulatedBoard(boardOptions, recorder: recorder)
    waker = Waker(rung.insert)
    engine = Engine(board: board, options: options, observer: recorder, waker: waker)
    self.options = options
    start()
  }

  /// When the next event is due, if no button is pressed before.
  public var nextInstant: Instant? { next()?.instant }

  /// Carries out a command now, as if a button had given it.
  public func perform(_ command: Command) {
    engine.control.perform(command, at: board.clock.now)
    followHits()
  }

  private func followHits() { recorder.follow(engine.control.timeline, at: board.clock.now) }

  /// Schedules work at an instant, ahead of everything else due then. The instant must not lie in the past.
  public func schedule(at instant: Instant, _ work: @escaping () -> Void) {
    precondition(instant >= board.clock.now, "work must not be scheduled in the past")
    scheduledWork.insertInOrder((instant, work)) { $0.instant }
  }

  /// Delays a loop's first wake-up at or after an instant. Nothing wakes the loop during the delay.
  public func delay(_ loop: Loop, by time: Nanoseconds, from instant: Instant) {
    wakes[loop.rawValue].delay(by: time, from: instant)
  }

  /// How long a loop whose wake-up is due has been delayed so far.
  public func wakeDelay(_ loop: Loop) -> Nanoseconds { wakes[loop.rawValue].wakeDelay(at: board.clock.now) }

  /// Applies another configuration now, playing or stopped. See `Engine.reconfigure`.
  /// Only the options for outputs, buttons, inputs and audio of `wires` are used.
  public func reconfigure(
    _ options: EngineOptions, board wires: SimulatedBoard.Options = SimulatedBoard.Options(),
    changes: BoardChanges = BoardChanges()
  ) {
    engine.reconfigure(options, from: self.options, board: board, at: board.clock.now) {
      board.rewire(wires, changes)
      return changes
    }
    if changes.midi { midiPortsChanged() }
    followHits()
    self.options = options
  }

  /// Starts playback; from now on the buttons calibrate the outputs instead of changing what is played.
  public func calibrate(_ calibration: Calibration) -> Calibrator {
    let calibrator = engine.control.calibrate(calibration)
    perform(.start)
    return calibrator
  }

  /// Notifies the card managers, now, that a card may have been plugged in.
  public func cardsChanged() {
    guard isOn else { return }
    engine.audio.cards.cardsChanged()
    engine.secondAudio.cards.cardsChanged()
  }

  /// Wakes the MIDI loop, now, because an output was plugged in or unplugged.
  public func midiPortsChanged() { if isOn { rung.insert(.midi) } }

  /// Wakes the control loop, now, because the host has work for ``service``.
  public func hostHasWork() { if isOn { waker.hostHasWork() } }

  /// Runs everything that is due before an instant, and advances the clock to it.
  public func run(until end: Instant) {
    while let (loop, instant) = next(), instant < end {
      if let loop, isOn, wakes[loop.rawValue].holdUp(at: instant) { continue }
      board.clock.advance(to: max(instant, board.clock.now))
      if let loop { step(loop) } else { scheduledWork.removeFirst().work() }
      stepped(loop)
    }
    board.clock.advance(to: max(end, board.clock.now))
  }

  /// Ends the simulation at the current instant: saves the state, switches the lines off, ends the traces.
  public func finish() {
    if isOn { engine.saver?.flush(at: board.clock.now) }
    endAbruptly()
  }

  /// Ends the simulation like a power cut: unsaved state is lost.
  public func endAbruptly() {
    if isOn { release() }
    recorder.finish(at: board.clock.now)
  }

  private func release() {
    engine.audio.cards.end()
    engine.secondAudio.cards.end()
    board.lines.release()
    board.characters.release()
  }

  /// Starts a new engine: reads the buttons and opens the card at once, as on the real board.
  private func start() {
    let now = board.clock.now
    recorder.figures = LiveFigures()
    stopWaking()
    waker.probe()
    for loop in Loop.first { wakes[loop.rawValue].instant = engine.step(loop, at: now) }
    wakeRungLoops()
  }

  /// Cancels all wake-ups of the loops.
  private func stopWaking() {
    rung.removeAll()
    for loop in Loop.allCases { wakes[loop.rawValue].clear() }
  }

  // Made once: `allCases` makes an array each time.
  private static let loops = Loop.allCases
  private static let mainLoops = loops.filter { $0.thread == .main }

  /// What happens next: a loop's step, or nil for an appointment.
  private func next() -> (loop: Loop?, instant: Instant)? {
    wakeRungLoops()
    var next = scheduledWork.first.map { (loop: Loop?.none, instant: $0.instant) }
    func offer(_ loop: Loop, _ instant: Instant?) {
      guard let instant = instant.map(wakes[loop.rawValue].notBefore) else { return }
      if instant < next?.instant ?? Instant(nanoseconds: .max) { next = (loop, instant) }
    }
    for loop in Simulation.mainLoops {
      offer(loop, board.chip.nextInstant)
      if !isOn || engine.control.canReadButtons { offer(loop, board.buttons.nextInstant) }
      offer(loop, board.inputs?.nextInstant)
    }
    for loop in Simulation.loops { offer(loop, wakes[loop.rawValue].instant) }
    return next
  }

  private func step(_ loop: Loop) {
    guard isOn else { return board.pass() }
    let now = board.clock.now
    wakeDelay = wakes[loop.rawValue].release(at: now)
    if loop.thread == .main { board.applyChipActions() }
    let deadline = engine.step(loop, at: now)
    if let deadline {
      precondition(deadline > now, "the \(loop) loop would spin at \(deadline.nanoseconds) ns")
    }
    wakes[loop.rawValue].instant = deadline.map { $0 + lateness(loop, $0) }
    recorder.figures.stepped(loop)
    if board.characters.isConfigured {
      let audio = AudioState.shown(recorder.audioState, recorder.ofSecondCard.audioState)
      engine.display?.report(audio: audio, saving: engine.saver?.saving)
    }
    guard loop.thread == .main else { return }
    if let end = engine.control.pause(at: now) { wakes[loop.rawValue].pause(until: end) }
    if let duty = service?(now, recorder.figures.beatWakeups, waker.probe) {
      wakes[loop.rawValue].bring(forwardTo: duty)
    }
    followHits()
  }

  private func wakeRungLoops() {
    let now = board.clock.now
    // The control loop is woken only from its own thread, which is running.
    for loop in rung.removeAll() {
      wakes[loop.rawValue].bring(forwardTo: loop.thread == .main ? now : now + lateness(loop, now))
    }
  }

  /// How the metronome ends while its board continues.
  public enum Ending: String, Hashable, Sendable, CaseIterable {
    /// Orderly shutdown: stops the beat, switches the lines off, saves unsaved state.
    case order
    /// The process is killed.
    case kill
    /// The power is cut.
    case power
  }

  /// Ends the metronome, which must be running. Pressed buttons, cards and the traces are not affected.
  /// `random` chooses what a power cut leaves of an unfinished save on the disk.
  public func end(_ ending: Ending, using random: inout SeededRandom) {
    precondition(isOn, "the metronome has already ended")
    let now = board.clock.now
    switch ending {
    case .order:
      engine.saver?.seal()
      engine.control.perform(.stop, at: now)
      followHits()
      engine.midi.end(at: now)
      engine.saver?.flush(at: now)
    case .kill: losePower(.kill, using: &random)
    case .power: losePower(.power, using: &random)
    }
    release()
    recorder.follow(.stopped, at: now)
    recorder.record(.ended(ending), at: now)
    isOn = false
    stopWaking()
  }

  /// Starts a new metronome, stopped, with the saved state. None may be running. See ``reconfigure(_:board:changes:)``.
  public func begin(
    _ options: EngineOptions, board wires: SimulatedBoard.Options = SimulatedBoard.Options(),
    changes: BoardChanges = BoardChanges()
  ) {
    precondition(!isOn, "the metronome is already running")
    board.rewire(wires, changes)
    board.begin()
    recorder.record(.began, at: board.clock.now)
    engine = Engine(board: board, options: options, observer: recorder, waker: waker)
    self.options = options
    isOn = true
    start()
    followHits()
  }

  /// Starts a pending save early, so that the power cut interrupts it.
  private func losePower(_ cut: SimulatedDisk.Cut, using random: inout SeededRandom) {
    guard let disk = board.stateFolder as? SimulatedDisk else { return }
    disk.cutStep = disk.steps + Int.random(in: 0...SimulatedDisk.stepsOfSave, using: &random)
    recorder.isListening = false
    engine.saver?.flush(at: board.clock.now)
    recorder.isListening = true
    disk.recover(from: cut, using: &random)
  }
}
