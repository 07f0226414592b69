import BoardSimulation
import CLibrary
import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import MetronomeEngine
import MetronomeSimulation
import MetronomeTerminal

/// The simulated board in real time: virtual time follows the clock, keys are the buttons.
final class LiveSimulation {
  private let life: BoxLife
  private let time: RealTime
  private let sound: LiveSound?
  private let memory: SimulationState?
  private let shown: ShownBeats
  private var reader = KeyReader()
  private var drawn: [String] = []
  private var fingers: Fingers

  private var simulation: Simulation { life.simulation }

  /// Runs until its time is over, a signal comes, or somebody quits.
  ///
  /// - Parameters:
  ///   - length: nil: until somebody ends it.
  ///   - memory: nil: what is remembered is forgotten with the end.
  ///   - hasSound: whether the clicks sound; only in a terminal.
  static func run(
    _ plan: SimulationPlan, for length: Nanoseconds?, _ recordings: Recordings, memory: SimulationState?,
    isInTerminal: Bool, hasSound: Bool
  ) throws {
    // From here on a signal is no end without an end.
    _ = SignalPipe.stop
    let sound = hasSound ? try LiveSound.open(plan.configuration.audio) : nil
    let start = monotonicNow()
    // A picture is not to be written into.
    let notices = Notices(waits: isInTerminal)
    var options = BoxLife.Options()
    options.start = start
    options.recording = recordings.sound
    options.store = memory?.folder
    options.hasSound = sound == nil && !isInTerminal
    options.hasKeys = isInTerminal
    options.isSupervised = false
    let shown = ShownBeats(since: start, now: monotonicNow)
    let watchers: [(any TraceSink)?] = [memory, shown]
    let life = BoxLife(plan, options, sinks: recordings.sinks + watchers.compactMap(\.self)) { $0.tell(notices.tell) }
    memory?.listen()
    life.reloads.follow = { sound?.follow($0, $1) }
    let live = LiveSimulation(life, plan, shown, end: length.map { start + $0 }, sound: sound, memory: memory)
    if isInTerminal {
      let terminal = try Terminal()
      try sound?.start(life.simulation.engine, sounds: plan.first.sounds)
      live.play(in: terminal)
    } else {
      live.play()
    }
    sound?.stop()
    notices.tellRest()
    sound?.tellIncidents(at: monotonicNow())
    life.simulation.finish()
    memory?.tellRefusal(of: life.simulation)
    try recordings.finish()
  }

  private init(
    _ life: BoxLife, _ plan: SimulationPlan, _ shown: ShownBeats, end: Instant?, sound: LiveSound?,
    memory: SimulationState?
  ) {
    self.life = life
    self.shown = shown
    fingers = Fingers(lockOut: plan.longestLockOut)
    time = RealTime(life.simulation, end: end)
    self.sound = sound
    self.memory = memory
  }

  private func play() {
    while !time.isOver {
      time.advance()
      let serving = memory?.serve(simulation)
      _ = time.wait(for: [SignalPipe.stop] + (memory?.descriptors ?? []), until: serving)
    }
  }

  private func play(in terminal: borrowing Terminal) {
    let descriptors = [SignalPipe.stop, STDIN_FILENO, SignalPipe.resize, sound?.descriptor ?? -1]
    while !time.isOver {
      time.advance()
      let lines = picture.lines(rows: terminal.rows)
      if lines != drawn { terminal.draw(lines) }
      drawn = lines
      let serving = memory?.serve(simulation)
      let ready = time.wait(for: descriptors + (memory?.descriptors ?? []), until: serving)
      if ready[1] { readKeys() }
      if ready[2] {
        SignalPipe.clear(SignalPipe.resize)
        drawn = []
      }
      if ready[3] { sound?.clear() }
    }
  }

  private func readKeys() {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(STDIN_FILENO, &bytes, bytes.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    guard count > 0 else {
      time.isOver = true
      return
    }
    time.advance()
    let (board, now) = (simulation.board, simulation.board.clock.now)
    for key in reader.keys(in: bytes[..<count]) {
      switch key {
      case .press(let button, let isHeld): board.buttons.schedule(fingers.press(button, isHeld: isHeld, at: now))
      case .chord(let one, let other): board.buttons.schedule(fingers.chord(one, other, at: now))
      case .turn(let dial, let detents): turn(dial, by: detents)
      case .quit: time.isOver = true
      }
    }
  }

  /// Turns a dial of the last device beside the box, which stands for the keys.
  private func turn(_ dial: Dial, by detents: Int) {
    let now = simulation.board.clock.now
    simulation.board.buttons.schedule(fingers.letGo(at: now))
    guard let inputs = simulation.board.inputs else { return }
    inputs.schedule([.turn(DialTurn(dial, by: detents, at: now, from: Origin(number: inputs.count)))])
  }

  private var picture: Picture {
    let timeline = simulation.engine.control.timeline
    return Picture(
      levels: simulation.board.lines.levels, state: simulation.engine.control.state,
      beat: timeline.lastBeat(atOrBefore: simulation.board.clock.now), sound: sound?.status ?? "no sound",
      countIn: life.reloads.current.configuration.countIn, preset: RecalledPreset(simulation.engine.control.savedState),
      holdsNext: reader.holdsNext, figures: shown.summary)
  }
}

/// Lines for a person, on standard error: at once, or at the end while a picture is drawn.
final class Notices {
  private let waits: Bool
  private var waiting: [String] = []

  init(waits: Bool) { self.waits = waits }

  func tell(_ text: String) {
    if waits { waiting.append(text) } else { standardError("metronome: \(text)\n") }
  }

  /// Tells what has waited.
  func tellRest() {
    for text in waiting { standardError("metronome: \(text)\n") }
    waiting = []
  }
}

/// Lets a simulation's virtual time follow the clock.
final class RealTime {
  private let simulation: Simulation
  private let end: Instant?
  var isOver = false

  /// - Parameter end: when it is over by itself.
  init(_ simulation: Simulation, end: Instant? = nil) {
    self.simulation = simulation
    self.end = end
  }

  /// Lets everything happen that is due now, and ends when the time is over.
  func advance() {
    let now = monotonicNow()
    if let end, now >= end {
      simulation.run(until: end)
      isOver = true
    } else {
      simulation.run(until: max(now + Nanoseconds(1), simulation.board.clock.now))
    }
  }

  /// Waits until something is due or a descriptor can be read; the first one ends everything.
  ///
  /// - Parameter deadline: until when at the most; nil: as long as it takes.
  /// - Returns: which can be read.
  func wait(for descriptors: [Int32], until deadline: Instant? = nil) -> [Bool] {
    var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    guard !isOver, poll(&polled, nfds_t(polled.count), timeout(until: deadline)) > 0 else {
      return descriptors.map { _ in false }
    }
    let ready = polled.map { $0.revents != 0 }
    if ready[0] { isOver = true }
    return ready
  }

  /// Milliseconds until something is due, rounded up; -1 for ever.
  private func timeout(until deadline: Instant?) -> Int32 {
    guard let due = [simulation.nextInstant, end, deadline].compactMap(\.self).min() else { return -1 }
    let left = max(0, (due - monotonicNow()).count)
    return Int32(min((left + 999_999) / 1_000_000, 60_000))
  }
}

func monotonicNow() -> Instant {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
}
