import BoardSimulation
import Foundation
import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import MetronomeEngine
import MetronomeTerminal

/// The simulated board in real time: virtual time follows the clock, keys are the buttons.
final class LiveSimulation {
  private let simulation: Simulation
  private let time: RealTime
  private let sound: LiveSound?
  private let reloads: SimulatedReloads
  private let memory: SimulationMemory?
  private var reader = KeyReader()
  private var drawn: [String] = []
  private var fingers: Fingers

  /// Runs until the plan's end, a signal, or somebody quits.
  ///
  /// - Parameter hasSound: whether the clicks sound; only in a terminal.
  static func run(_ plan: SimulationPlan, _ recordings: Recordings, isInTerminal: Bool, hasSound: Bool) throws {
    // From here on a signal is no end without an end.
    _ = SignalPipe.stop
    let sound = hasSound ? try LiveSound.open(plan.configuration.audio) : nil
    let start = monotonicNow()
    let simulation: Simulation
    let reloads: SimulatedReloads
    // A picture is not to be written into.
    let notices = Notices(waits: isInTerminal)
    do throws(HardwareError) {
      (simulation, reloads) = try plan.makeSimulation(
        from: start, recordings, sound: sound == nil && !isInTerminal, hasKeys: isInTerminal, tell: notices.tell)
    } catch {
      preconditionFailure("a simulated board without faults can always be had: \(error)")
    }
    plan.memory?.listen()
    reloads.follow = { sound?.follow($0, $1) }
    let live = LiveSimulation(simulation, plan, reloads, end: plan.length.map { start + $0 }, sound: sound)
    if isInTerminal {
      let terminal = try Terminal()
      try sound?.start(simulation.engine, sounds: plan.first.sounds)
      live.play(in: terminal)
    } else {
      live.play()
    }
    sound?.stop()
    notices.tellRest()
    sound?.tellIncidents(at: monotonicNow())
    simulation.finish()
    plan.memory?.tellRefusal(of: simulation)
    try recordings.finish()
  }

  private init(
    _ simulation: Simulation, _ plan: SimulationPlan, _ reloads: SimulatedReloads, end: Instant?, sound: LiveSound?
  ) {
    self.simulation = simulation
    self.reloads = reloads
    fingers = Fingers(lockOut: plan.longestLockOut)
    time = RealTime(simulation, end: end)
    self.sound = sound
    memory = plan.memory
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
      countIn: reloads.current.configuration.countIn, preset: RecalledPreset(simulation.engine.control.memory),
      holdsNext: reader.holdsNext)
  }
}
