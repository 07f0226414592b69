import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// The metronome on a simulated board: its loops under virtual time, on one thread, in order of their deadlines.
///
/// No sleep, no race, and the same script and seed give the same trace, to the byte. The metronome may end and begin again,
/// as when the plug is pulled: board, clock and traces go on.
public final class Simulation {
  public enum Loop: String, Hashable, Sendable, CaseIterable {
    case control
    case beats
    case audio
    case keeper
    case memory
  }

  public let board: SimulatedBoard
  /// The one that plays, or played last.
  public internal(set) var engine: Engine<SimulatedBoard, TraceRecorder>
  /// Whether the metronome runs.
  public internal(set) var isOn = true
  /// How late a loop wakes up for a deadline, as threads do on a real machine. Not at all unless set.
  public var lateness: (Loop, Instant) -> Nanoseconds = { _, _ in .zero }
  /// What is done on the control loop's thread after each of its steps beside the metronome's own: it is given how many
  /// steps the beat loop has made, and a bell for that loop, and says when it wants to be called next.
  public var service: ((_ now: Instant, _ steps: UInt64, _ ring: () -> Void) -> Instant?)? {
    didSet { wakes.control.bring(forwardTo: board.clock.now) }
  }
  /// Told after each step of a loop, and after each thing that happens besides (nil), beginnings and ends among them.
  public var stepped: (Loop?) -> Void = { _ in }
  /// By how much the loop that stepped last was delayed: see ``delay(_:by:from:)``.
  public private(set) var heldUp = Nanoseconds.zero
  /// What the engine plays, as it was configured last.
  public internal(set) var options: EngineOptions
  /// What the loops have done since the metronome was begun, in numbers.
  public var figures: Figures { recorder.figures.now }
  let recorder: TraceRecorder
  var wakes = Wakes()
  private var generation: UInt64 = 0
  private var memories: UInt64 = 0
  /// What the buttons lead.
  private var steering: any SteeringLoop
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
    start()
  }

  /// When something happens next, if no button is pressed before.
  public var nextInstant: Instant? { next()?.instant }

  /// Carries out a command that no button gave, now.
  public func perform(_ command: Command) {
    engine.control.perform(command, at: board.clock.now)
    wakeOthersIfNeeded()
    wakes.control.instant = board.clock.now
  }

  /// Has something done at an instant, before all that happens then. It may not lie in the past.
  public func schedule(at instant: Instant, _ work: @escaping () -> Void) {
    precondition(instant >= board.clock.now, "an appointment in the past")
    let later = appointments.lastIndex { $0.instant <= instant }.map { $0 + 1 } ?? 0
    appointments.insert((instant, work), at: later)
  }

  /// Lets a loop's first wake-up from an instant on be so late, whoever rings for it meanwhile.
  public func delay(_ loop: Loop, by time: Nanoseconds, from instant: Instant) {
    wakes[loop].delay(by: time, from: instant)
  }

  /// By how much a loop is delayed so far that should have woken up by now.
  public func heldUp(_ loop: Loop) -> Nanoseconds { wakes[loop].heldUp(at: board.clock.now) }

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
    wakes.control.instant = now
    if isOtherSound { wakes.keeper.instant = now + lateness(.keeper, now) }
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
    guard isOn else { return }
    engine.sound.keeper.noteThatCardsHaveChanged()
    wakes.keeper.instant = board.clock.now
  }

  /// Lets everything happen that happens before an instant, and moves the clock there.
  public func run(until end: Instant) {
    while let (loop, instant) = next(), instant < end {
      if let loop, isOn, wakes[loop].holdUp(at: instant) { continue }
      board.clock.advance(to: max(instant, board.clock.now))
      if let loop { step(loop) } else { appointments.removeFirst().work() }
      stepped(loop)
    }
    board.clock.advance(to: max(end, board.clock.now))
  }

  /// Ends the simulation at its present instant: what is not saved is saved, the lines go off, the traces end.
  public func finish() {
    if isOn { engine.keeper?.flush(at: board.clock.now) }
    breakOff()
  }

  /// Ends it as pulling the plug does: what is not saved is lost.
  public func breakOff() {
    if isOn { letGo() }
    recorder.finish(at: board.clock.now)
  }

  /// Gives back what the metronome holds of the board.
  func letGo() {
    engine.sound.keeper.end()
    board.lines.release()
  }

  /// Lets an engine begin that was just made.
  func start() {
    let now = board.clock.now
    steering = engine.control
    recorder.figures = LiveFigures()
    generation = 0
    memories = 0
    wakes.clear()
    wakes.control.instant = steering.step(at: now)
    wakes.beats.instant = now
    wakes.keeper.instant = engine.sound.keeper.step(at: now)
    wakes.audio.instant = engine.sound.hasStream ? now : nil
    wakeOthersIfNeeded()
  }

  /// What happens next: a loop's step, or nil for an appointment.
  private func next() -> (loop: Loop?, instant: Instant)? {
    var next = appointments.first.map { (loop: Loop?.none, instant: $0.instant) }
    func offer(_ loop: Loop, _ wake: Wake, _ instant: Instant?) {
      guard let instant = instant.map(wake.notBefore) else { return }
      if instant < next?.instant ?? Instant(nanoseconds: .max) { next = (loop, instant) }
    }
    offer(.control, wakes.control, wakes.control.instant)
    offer(.control, wakes.control, board.chip.nextInstant)
    if !isOn || steering.canReadButtons { offer(.control, wakes.control, board.buttons.nextInstant) }
    offer(.control, wakes.control, board.inputs?.nextInstant)
    offer(.beats, wakes.beats, wakes.beats.instant)
    offer(.audio, wakes.audio, wakes.audio.instant)
    offer(.keeper, wakes.keeper, wakes.keeper.instant)
    offer(.memory, wakes.memory, wakes.memory.instant)
    return next
  }

  private func step(_ loop: Loop) {
    guard isOn else { return board.pass() }
    let now = board.clock.now
    heldUp = wakes[loop].release(at: now)
    switch loop {
    case .control:
      board.tend()
      let deadline = late(.control, steering.step(at: now))
      wakeOthersIfNeeded()
      let duty = service?(now, recorder.figures.beatWakeups) {
        wakes.beats.bring(forwardTo: now + lateness(.beats, now))
      }
      wakes.control.instant = [deadline, duty].compactMap(\.self).min()
    case .beats:
      wakes.beats.instant = late(.beats, engine.beats.step(at: now))
      recorder.figures.wokeForBeats()
    case .audio:
      wakes.audio.instant = late(.audio, engine.sound.loop.step(at: now))
      recorder.figures.wokeForSound()
      if engine.sound.loop.needsKeeper { wakes.keeper.instant = now + lateness(.keeper, now) }
    case .keeper:
      let calls = engine.sound.keeper.calls
      wakes.keeper.instant = late(.keeper, engine.sound.keeper.step(at: now))
      if engine.sound.keeper.calls != calls { wakes.audio.instant = now + lateness(.audio, now) }
    case .memory: wakes.memory.instant = late(.memory, engine.keeper?.step(at: now))
    }
  }

  /// The loops that follow the control loop.
  private func wakeOthersIfNeeded() {
    let now = board.clock.now
    if engine.generation != generation {
      generation = engine.generation
      wakes.beats.bring(forwardTo: now + lateness(.beats, now))
    }
    if let keeper = engine.keeper, keeper.generation != memories {
      memories = keeper.generation
      wakes.memory.bring(forwardTo: now + lateness(.memory, now))
    }
  }

  private func late(_ loop: Loop, _ deadline: Instant?) -> Instant? {
    guard let deadline else { return nil }
    precondition(deadline > board.clock.now, "the \(loop) loop would turn on the spot at \(deadline.nanoseconds) ns")
    return deadline + lateness(loop, deadline)
  }
}
