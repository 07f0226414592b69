import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// The metronome on a simulated board: its loops under virtual time, on one thread, in order of their deadlines.
///
/// No sleep, no race, and the same script and seed give the same trace, to the byte. The metronome may end and begin again,
/// as when the plug is pulled: board, clock and traces go on.
public final class Simulation {
  public typealias Loop = MetronomeEngine.Loop

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
    didSet { wakes[Loop.control.index].bring(forwardTo: board.clock.now) }
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
  private var wakes = [Wake](repeating: Wake(), count: loops.count)
  private static let loops = Loop.allCases
  /// Who is woken, and has not been seen to yet.
  let rung = RungLoops()
  /// What somebody does from outside, in order of time.
  private var appointments: [(instant: Instant, work: () -> Void)] = []

  /// Opens the board and puts the metronome on it, stopped.
  public init(
    _ options: EngineOptions = EngineOptions(), board boardOptions: SimulatedBoard.Options = SimulatedBoard.Options(),
    sinks: [any TraceSink]
  ) throws(HardwareError) {
    recorder = TraceRecorder(origin: boardOptions.start, sinks: sinks)
    board = try SimulatedBoard(boardOptions, recorder: recorder)
    engine = Engine(board: board, options: options, observer: recorder, wake: rung.insert)
    self.options = options
    start()
  }

  /// When something happens next, if no button is pressed before.
  public var nextInstant: Instant? { next()?.instant }

  /// Carries out a command that no button gave, now.
  public func perform(_ command: Command) {
    engine.control.perform(command, at: board.clock.now)
  }

  /// Has something done at an instant, before all that happens then. It may not lie in the past.
  public func schedule(at instant: Instant, _ work: @escaping () -> Void) {
    precondition(instant >= board.clock.now, "an appointment in the past")
    let later = appointments.lastIndex { $0.instant <= instant }.map { $0 + 1 } ?? 0
    appointments.insert((instant, work), at: later)
  }

  /// Lets a loop's first wake-up from an instant on be so late, whoever rings for it meanwhile.
  public func delay(_ loop: Loop, by time: Nanoseconds, from instant: Instant) {
    wakes[loop.index].delay(by: time, from: instant)
  }

  /// By how much a loop is delayed so far that should have woken up by now.
  public func heldUp(_ loop: Loop) -> Nanoseconds { wakes[loop.index].heldUp(at: board.clock.now) }

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
    engine.reconfigure(options, from: self.options, board: board, at: board.clock.now) {
      board.rewire(wires, changes)
      return changes
    }
    self.options = options
  }

  /// Starts playing, and from here on lets the buttons calibrate what plays instead of changing it.
  public func calibrate(_ calibration: Calibration) -> Calibrator {
    let calibrator = engine.control.calibrate(calibration)
    perform(.start)
    return calibrator
  }

  /// Tells the sound keeper, now, that a card may have come.
  public func noteThatCardsHaveChanged() {
    if isOn { engine.sound.keeper.noteThatCardsHaveChanged() }
  }

  /// Lets everything happen that happens before an instant, and moves the clock there.
  public func run(until end: Instant) {
    while let (loop, instant) = next(), instant < end {
      if let loop, isOn, wakes[loop.index].holdUp(at: instant) { continue }
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

  /// Lets an engine begin that was just made: the buttons are read and the card is opened at once, as on the real board.
  func start() {
    let now = board.clock.now
    recorder.figures = LiveFigures()
    stopWaking()
    engine.requestBeatStep()
    for loop in [Loop.control, .cards] { wakes[loop.index].instant = engine.step(loop, at: now) }
    wakeRungLoops()
  }

  /// No loop is woken any more.
  func stopWaking() {
    rung.removeAll()
    for loop in Simulation.loops { wakes[loop.index].clear() }
  }

  /// What happens next: a loop's step, or nil for an appointment.
  private func next() -> (loop: Loop?, instant: Instant)? {
    wakeRungLoops()
    var next = appointments.first.map { (loop: Loop?.none, instant: $0.instant) }
    func offer(_ loop: Loop, _ instant: Instant?) {
      guard let instant = instant.map(wakes[loop.index].notBefore) else { return }
      if instant < next?.instant ?? Instant(nanoseconds: .max) { next = (loop, instant) }
    }
    offer(.control, board.chip.nextInstant)
    if !isOn || engine.control.canReadButtons { offer(.control, board.buttons.nextInstant) }
    offer(.control, board.inputs?.nextInstant)
    for loop in Simulation.loops { offer(loop, wakes[loop.index].instant) }
    return next
  }

  private func step(_ loop: Loop) {
    guard isOn else { return board.pass() }
    let now = board.clock.now
    heldUp = wakes[loop.index].release(at: now)
    if loop == .control { board.tend() }
    wakes[loop.index].instant = late(loop, engine.step(loop, at: now))
    switch loop {
    case .control:
      if let duty = service?(now, recorder.figures.beatWakeups, engine.requestBeatStep) {
        wakes[Loop.control.index].bring(forwardTo: duty)
      }
    case .beats: recorder.figures.wokeForBeats()
    case .audio: recorder.figures.wokeForSound()
    case .cards, .state: break
    }
  }

  private func wakeRungLoops() {
    let now = board.clock.now
    // The control loop is woken on its own thread, which is awake.
    for loop in rung.removeAll() {
      wakes[loop.index].bring(forwardTo: loop == .control ? now : now + lateness(loop, now))
    }
  }

  private func late(_ loop: Loop, _ deadline: Instant?) -> Instant? {
    guard let deadline else { return nil }
    precondition(deadline > board.clock.now, "the \(loop) loop would turn on the spot at \(deadline.nanoseconds) ns")
    return deadline + lateness(loop, deadline)
  }
}
