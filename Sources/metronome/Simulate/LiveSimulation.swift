import BoardSimulation
import CLibrary
import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import MetronomeEngine
import MetronomeSimulation
import MetronomeTerminal
import Synchronization

/// The simulated board in real time: virtual time follows the clock, and keys press the buttons.
struct LiveSimulation {
  private let life: BoxLife
  private let time: RealTime
  private let audio: LiveAudio?
  private let state: SimulationState?
  private let socket: SimulationSocket?
  private let shown: ShownBeats
  private var fingers: Fingers
  private var reader = KeyReader()
  private var console = Console()
  private var frames = FrameClock()
  private var text = TextDisplay()
  private var drawn: [String] = []
  /// Why there is no sound.
  private let silence: String
  /// Whether the player knows that saving fails.
  private var hasShownFailure = false

  private var simulation: Simulation { life.simulation }

  /// Runs until its time is over, a signal arrives, or the user quits. nil as `length`: no end; as `state`: nothing is
  /// saved; as `socket`: no other program can control it. The clicks are played only in a terminal.
  ///
  /// - Throws: an error if sound is required and no card can be opened.
  static func run(
    _ plan: SimulationPlan, for length: Nanoseconds?, _ recordings: Recordings, state: SimulationState?,
    socket: SimulationSocket?, isInTerminal: Bool, sound: LiveAudio.Policy
  ) throws {
    // From here on, stop signals end it normally.
    _ = SignalPipe.stop
    let notices = Notices(waits: isInTerminal)
    let (audio, silence) = try LiveAudio.open(plan.configuration.audio, sound, notice: notices.print)
    let start = monotonicNow()
    var options = BoxLife.Options()
    options.start = start
    options.recording = recordings.audio
    options.stateFolder = state?.folder
    options.hasAudio = audio == nil && !isInTerminal
    options.hasKeys = isInTerminal
    options.isSupervised = false
    let shown = ShownBeats(since: start, now: monotonicNow)
    let watchers: [(any TraceSink)?] = [state, shown]
    let life = BoxLife(plan, options, sinks: recordings.sinks + watchers.compactMap(\.self)) { $0.print(notices.print) }
    socket?.listen(life.simulation)
    life.reloaded = { audio?.follow($0, $1) }
    var live = LiveSimulation(
      life: life, time: RealTime(life.simulation, end: length.map { start + $0 }), audio: audio, state: state,
      socket: socket,
      shown: shown, fingers: Fingers(lockOut: plan.longestLockOut), silence: silence ?? "")
    if isInTerminal {
      let terminal = try Terminal()
      live.console.say(state?.notice, at: start)
      try audio?.start(life.simulation.engine, sounds: plan.first.sounds)
      live.play(in: terminal)
    } else {
      live.play()
    }
    audio?.stop()
    if sound == .possible, let line = audio?.silence ?? silence { notices.print(line) }
    notices.printRest()
    audio?.logIncidents(at: monotonicNow())
    life.simulation.finish()
    state?.printFailure(of: life.simulation)
    try recordings.finish()
  }

  private func play() {
    while !time.isOver {
      time.advance()
      let requestDeadline = socket?.serve(simulation)
      _ = time.wait(for: [SignalPipe.stop] + (socket?.descriptors ?? []), until: requestDeadline)
    }
  }

  private mutating func play(in terminal: borrowing Terminal) {
    let descriptors = [SignalPipe.stop, STDIN_FILENO, SignalPipe.resize, SignalPipe.job, audio?.descriptor ?? -1]
    while !time.isOver {
      time.advance()
      console.pass(at: simulation.board.clock.now).forEach { perform($0, in: terminal) }
      showFailure()
      let isPending = !draw(in: terminal)
      let timeline = simulation.engine.control.timeline
      let frame = isPending || timeline.isPlaying ? frames.due(timeline) : nil
      let requestDeadline = socket?.serve(simulation)
      let ready = time.wait(
        for: descriptors + (socket?.descriptors ?? []),
        until: [requestDeadline, frame, console.deadline].compactMap(\.self).min())
      if ready[1] { readKeys(in: terminal) }
      if ready[2] {
        SignalPipe.clear(SignalPipe.resize)
        drawn = []
      }
      if ready[3] {
        if SignalPipe.isStopRequested() { terminal.suspend() }
        terminal.resume()
        drawn = []
      }
      if ready[4] { audio?.clear() }
    }
  }

  /// Says once that the state cannot be saved.
  private mutating func showFailure() {
    guard !hasShownFailure, let failure = state?.failure else { return }
    hasShownFailure = true
    console.say("not saved: \(failure.reason(reason))", at: simulation.board.clock.now)
  }

  /// - Returns: false if it is too early for the next picture, or the terminal has not accepted the previous one.
  private mutating func draw(in terminal: borrowing Terminal) -> Bool {
    let now = simulation.board.clock.now
    if let due = frames.due(simulation.engine.control.timeline), now < due { return false }
    frames.drew(at: now)
    guard terminal.isReady else { return false }
    let size = terminal.size
    if terminal.isDumb {
      terminal.append(text.text(for: picture, columns: size.columns))
      console.closeHelp()
    } else {
      if console.helpPage != nil { console.helpPages = picture.helpPageCount(rows: size.rows, columns: size.columns) }
      let lines = picture.lines(rows: size.rows, columns: size.columns, style: terminal.style)
      if lines != drawn { terminal.draw(lines, over: drawn) }
      drawn = lines
    }
    return true
  }

  private mutating func readKeys(in terminal: borrowing Terminal) {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(STDIN_FILENO, &bytes, bytes.count)
    if count < 0, Refusal.last == .again { return }
    guard count > 0 else {
      time.isOver = true
      return
    }
    time.advance()
    for key in reader.keys(in: bytes[..<count]) {
      let actions = console.act(on: key, isHolding: fingers.heldButton != nil, at: simulation.board.clock.now)
      actions.forEach { perform($0, in: terminal) }
    }
  }

  private mutating func perform(_ action: Console.Action, in terminal: borrowing Terminal) {
    let (board, now) = (simulation.board, simulation.board.clock.now)
    switch action {
    case .press(let button, let isHeld): press(button, isHeld: isHeld)
    case .release: board.buttons.schedule(fingers.release(at: now))
    case .chord(let one, let other): board.buttons.schedule(fingers.chord(one, other, at: now))
    case .turn(let dial, let detents): turn(dial, by: detents)
    case .nextClickSet:
      board.buttons.schedule(fingers.release(at: now))
      simulation.perform(.nextClickSet)
      console.say("set of clicks: \(simulation.engine.control.state.set)", at: now)
    case .setTempo(let tempo):
      if simulation.engine.control.state.score != nil {
        console.say("the score has its own tempo; - and + change its speed", at: now)
      }
      simulation.perform(.setTempo(tempo))
    case .suspend:
      terminal.suspend()
      terminal.resume()
      drawn = []
    case .quit: time.isOver = true
    }
  }

  /// Presses a button. If `isHeld`, the press is long; a button that repeats is held until a key releases it.
  private mutating func press(_ button: Button, isHeld: Bool) {
    let now = simulation.board.clock.now
    let binding = life.loaded.configuration.gestures[button]
    let command = isHeld ? binding.long ?? binding.repeated ?? binding.short : binding.short
    let isKept = state?.keeps(simulation) ?? false
    let control = simulation.engine.control
    console.say(Console.remark(on: command, control.savedState, isKept: isKept), at: now)
    if command == .togglePlaying {
      let remark = Console.remark(stopping: control.state, inRamp: control.ramp != nil, control.timeline, at: now)
      console.say(remark, at: now)
    }
    let length: Fingers.Length = !isHeld ? .short : binding.repeated == nil ? .long : .open
    simulation.board.buttons.schedule(fingers.press(button, length, at: now))
  }

  /// Turns a dial of the last input device, which represents the keys.
  private mutating func turn(_ dial: Dial, by detents: Int) {
    let now = simulation.board.clock.now
    simulation.board.buttons.schedule(fingers.release(at: now))
    guard let inputs = simulation.board.inputs else { return }
    inputs.schedule([.turn(DialTurn(dial, by: detents, at: now, from: Origin(number: inputs.count)))])
  }

  private var picture: Picture {
    let (board, control) = (simulation.board, simulation.engine.control)
    var picture = Picture(state: control.state, audio: audio?.status ?? silence)
    (picture.levels, picture.timeline, picture.now) = (board.lines.levels, control.timeline, board.clock.now)
    let wiring = life.loaded.configuration.wiring
    picture.outputs = LineSet(of: .standard).union(wiring.outputLines)
    picture.names = wiring.names
    let display = board.characters
    picture.display = display.isConfigured && !display.showsPages ? display.text : nil
    picture.page = display.page
    picture.bar = control.bar
    picture.countIn = life.loaded.configuration.countIn
    picture.preset = RecalledPreset(control.savedState)
    let gestures = life.loaded.configuration.gestures
    picture.stepsAccents = ButtonPair(.numerator, .tap).map { gestures[.chord($0)] } == .nextAccents
    picture.console = console
    picture.heldButton = fingers.heldButton
    picture.longPressedButton = fingers.longPressedButton(at: board.clock.now)
    picture.figures = shown.summary
    return picture
  }
}

/// Messages on standard error: at once, or at the end if a picture is drawn. Any thread.
private final class Notices: Sendable {
  private let waits: Bool
  private let waiting = Mutex<[String]>([])

  init(waits: Bool) { self.waits = waits }

  func print(_ text: String) { if waits { waiting.withLock { $0.append(text) } } else { printNotice(text) } }

  /// Prints the delayed messages. Call it once, at the end.
  func printRest() { waiting.withLock { $0 }.forEach(printNotice) }
}

/// Makes a simulation's virtual time follow the clock.
final class RealTime {
  private let simulation: Simulation
  /// nil: unlimited.
  private let end: Instant?
  var isOver = false

  init(_ simulation: Simulation, end: Instant? = nil) { (self.simulation, self.end) = (simulation, end) }

  /// Runs everything that is due. Sets ``isOver`` when the time is over.
  func advance() {
    let now = monotonicNow()
    if let end, now >= end {
      simulation.run(until: end)
      isOver = true
    } else {
      simulation.run(until: max(now + Nanoseconds(1), simulation.board.clock.now))
    }
  }

  /// Waits until work is due or a descriptor is readable. A readable first descriptor ends the simulation.
  /// Returns for each descriptor whether it is readable.
  func wait(for descriptors: [Int32], until deadline: Instant? = nil) -> [Bool] {
    var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    guard !isOver, poll(&polled, nfds_t(polled.count), timeout(until: deadline)) > 0 else {
      return descriptors.map { _ in false }
    }
    let ready = polled.map { $0.revents != 0 }
    if ready[0] { isOver = true }
    return ready
  }

  /// The milliseconds until something is due, rounded up; -1: no timeout.
  private func timeout(until deadline: Instant?) -> Int32 {
    guard let due = [simulation.nextInstant, end, deadline].compactMap(\.self).min() else { return -1 }
    let left = max(0, (due - monotonicNow()).count)
    return Int32(min((left + 999_999) / 1_000_000, 60_000))
  }
}

/// Readings of `CLOCK_MONOTONIC` and `CLOCK_MONOTONIC_RAW`.
func clockPair() -> ClockPair {
  let before = monotonicNow()
  let raw = Instant(nanoseconds: nanoseconds(of: CLOCK_MONOTONIC_RAW))
  return ClockPair(monotonic: before + (monotonicNow() - before) / 2, raw: raw)
}

func monotonicNow() -> Instant { Instant(nanoseconds: nanoseconds(of: CLOCK_MONOTONIC)) }
