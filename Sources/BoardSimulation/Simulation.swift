import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// The metronome on a simulated board: its loops under virtual time, on one thread, in order of their deadlines.
///
/// No sleep, no race, and the same script and seed give the same trace, to the byte.
public final class Simulation {
  public enum Loop: Hashable, Sendable, CaseIterable {
    case control
    case beats
    case audio
    case keeper
    case memory
  }

  public let board: SimulatedBoard
  public let engine: Engine<SimulatedBoard, TraceRecorder>
  /// How late a loop wakes up for a deadline, as threads do on a real machine. Not at all unless set.
  public var lateness: (Loop, Instant) -> Nanoseconds = { _, _ in .zero }
  private let recorder: TraceRecorder
  private var generation: UInt64 = 0
  private var memories: UInt64 = 0
  /// What the buttons lead.
  private var steering: any SteeringLoop
  private var controlWake: Instant?
  private var beatsWake: Instant?
  private var audioWake: Instant?
  private var keeperWake: Instant?
  private var memoryWake: Instant?
  /// What the engine plays, as it was configured last.
  public private(set) var options: EngineOptions
  /// What somebody does from outside, in order of time.
  private var appointments: [(instant: Instant, work: () -> Void)] = []

  /// Opens the board and puts the metronome on it, stopped.
  public init(
    _ options: EngineOptions = EngineOptions(), board boardOptions: SimulatedBoard.Options = SimulatedBoard.Options(),
    sinks: [any TraceSink]
  ) throws(HardwareError) {
    recorder = TraceRecorder(origin: boardOptions.start, sinks: sinks)
    board = try SimulatedBoard(boardOptions, recorder: recorder)
    engine = Engine(board: board, options: options, observer: recorder)
    self.options = options
    steering = engine.control
    controlWake = engine.control.step(at: board.clock.now)
    beatsWake = board.clock.now
    keeperWake = engine.sound.keeper.step(at: board.clock.now)
    audioWake = engine.sound.hasStream ? board.clock.now : nil
    wakeOthersIfNeeded()
  }

  /// When something happens next, if no button is pressed before.
  public var nextInstant: Instant? { next()?.instant }

  /// Carries out a command that no button gave, now.
  public func perform(_ command: Command) {
    engine.control.perform(command, at: board.clock.now)
    wakeOthersIfNeeded()
    controlWake = board.clock.now
  }

  /// Has something done at an instant, before all that happens then. It may not lie in the past.
  public func schedule(at instant: Instant, _ work: @escaping () -> Void) {
    precondition(instant >= board.clock.now, "an appointment in the past")
    let later = appointments.lastIndex { $0.instant <= instant }.map { $0 + 1 } ?? 0
    appointments.insert((instant, work), at: later)
  }

  /// Takes over another configuration, now, while it plays or not. See `Engine.reconfigure`.
  ///
  /// - Parameters:
  ///   - options: what is played, and how it is shown.
  ///   - wires: what is asked for of outputs, buttons, inputs and audio counts.
  ///   - changes: what of that is another than before.
  public func reconfigure(
    _ options: EngineOptions, board wires: SimulatedBoard.Options = SimulatedBoard.Options(),
    changes: BoardChanges = BoardChanges()
  ) {
    let now = board.clock.now
    let isOtherSound = changes.sound || options.sounds != self.options.sounds
    engine.reconfigure(options, from: self.options, board: board, at: now) {
      board.rewire(wires, changes)
      return changes
    }
    self.options = options
    wakeOthersIfNeeded()
    controlWake = now
    if isOtherSound { keeperWake = now + lateness(.keeper, now) }
  }

  /// Starts playing, and from here on lets the buttons calibrate what plays instead of changing it.
  public func calibrate(_ calibration: Calibration) -> Calibrator {
    let calibrator = Calibrator(calibration, plan: engine.plan)
    steering = CalibrationLoop(calibrator, board: board, observer: recorder)
    perform(.start)
    return calibrator
  }

  /// Lets the loops see now what was changed behind their backs: the plan of the engine, the presets.
  public func wake() { wakeOthersIfNeeded() }

  /// Tells the sound keeper, now, that a card may have come.
  public func noteThatCardsHaveChanged() {
    engine.sound.keeper.noteThatCardsHaveChanged()
    keeperWake = board.clock.now
  }

  /// Lets everything happen that happens before an instant, and moves the clock there.
  public func run(until end: Instant) {
    while let (loop, instant) = next(), instant < end {
      board.clock.advance(to: max(instant, board.clock.now))
      if let loop { step(loop) } else { appointments.removeFirst().work() }
    }
    board.clock.advance(to: max(end, board.clock.now))
  }

  /// Ends the simulation at its present instant: what is not saved is saved, the lines go off, the traces end.
  public func finish() {
    engine.keeper?.flush(at: board.clock.now)
    breakOff()
  }

  /// Ends it as pulling the plug does: what is not saved is lost.
  public func breakOff() {
    engine.sound.keeper.end()
    board.lines.release()
    recorder.finish(at: board.clock.now)
  }

  /// What happens next: a loop's step, or nil for an appointment.
  private func next() -> (loop: Loop?, instant: Instant)? {
    var next = appointments.first.map { (loop: Loop?.none, instant: $0.instant) }
    func offer(_ loop: Loop, _ instant: Instant?) {
      if let instant, instant < next?.instant ?? Instant(nanoseconds: .max) { next = (loop, instant) }
    }
    offer(.control, controlWake)
    offer(.control, board.chip.nextInstant)
    if steering.canReadButtons { offer(.control, board.buttons.nextInstant) }
    offer(.control, board.inputs?.nextInstant)
    offer(.beats, beatsWake)
    offer(.audio, audioWake)
    offer(.keeper, keeperWake)
    offer(.memory, memoryWake)
    return next
  }

  private func step(_ loop: Loop) {
    let now = board.clock.now
    switch loop {
    case .control:
      board.tend()
      controlWake = late(.control, steering.step(at: now))
      wakeOthersIfNeeded()
    case .beats: beatsWake = late(.beats, engine.beats.step(at: now))
    case .audio:
      audioWake = late(.audio, engine.sound.loop.step(at: now))
      if engine.sound.loop.needsKeeper { keeperWake = now + lateness(.keeper, now) }
    case .keeper:
      let calls = engine.sound.keeper.calls
      keeperWake = late(.keeper, engine.sound.keeper.step(at: now))
      if engine.sound.keeper.calls != calls { audioWake = now + lateness(.audio, now) }
    case .memory: memoryWake = late(.memory, engine.keeper?.step(at: now))
    }
  }

  /// The loops that follow the control loop.
  private func wakeOthersIfNeeded() {
    let now = board.clock.now
    if engine.generation != generation {
      generation = engine.generation
      beatsWake = now + lateness(.beats, now)
    }
    if let keeper = engine.keeper, keeper.generation != memories {
      memories = keeper.generation
      // A thread that is waking up already does not wake up later for another ring.
      let wake = now + lateness(.memory, now)
      memoryWake = min(memoryWake ?? wake, wake)
    }
  }

  private func late(_ loop: Loop, _ deadline: Instant?) -> Instant? {
    guard let deadline else { return nil }
    precondition(deadline > board.clock.now, "the \(loop) loop would turn on the spot at \(deadline.nanoseconds) ns")
    return deadline + lateness(loop, deadline)
  }
}
