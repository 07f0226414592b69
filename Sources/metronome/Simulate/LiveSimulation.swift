import BoardSimulation
import Foundation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import MetronomeTerminal

/// The simulated board in real time: virtual time follows the clock, keys are the buttons.
final class LiveSimulation {
  /// How long a key presses its button. A terminal does not tell when a key is let go.
  private static let keyHold = Nanoseconds.milliseconds(30)
  /// From one press of a button to the next, so that each counts. Keys that come faster wait, but not longer than the last.
  private static let keyInterval = keyHold + Debouncer.standardLockOut
  private static let longestWait = Nanoseconds.milliseconds(200)

  private let simulation: Simulation
  private let time: RealTime
  private let sound: LiveSound?
  private let memory: SimulationMemory?
  private var reader = KeyReader()
  private var drawn: [String] = []
  /// When each button may be pressed again.
  private var free: [Button: Instant] = [:]

  /// Runs until the plan's end, a signal, or somebody quits.
  ///
  /// - Parameter hasSound: whether the clicks sound; only in a terminal.
  static func run(_ plan: SimulationPlan, _ recordings: Recordings, isInTerminal: Bool, hasSound: Bool) throws {
    // From here on a signal is no end without an end.
    _ = SignalPipe.stop
    let sound = hasSound ? try LiveSound.open(plan.configuration.audio) : nil
    let start = monotonicNow()
    let simulation: Simulation
    do throws(HardwareError) {
      simulation = try plan.makeSimulation(
        from: start, recordings, sound: sound == nil && !isInTerminal)
    } catch {
      preconditionFailure("a simulated board without faults can always be had: \(error)")
    }
    plan.memory?.listen()
    let live = LiveSimulation(simulation, end: plan.length.map { start + $0 }, sound: sound, memory: plan.memory)
    if isInTerminal {
      let terminal = try Terminal()
      try sound?.start(simulation.engine, sounds: plan.sounds)
      live.play(in: terminal)
    } else {
      live.play()
    }
    sound?.stop()
    sound?.tellIncidents(at: monotonicNow())
    simulation.finish()
    plan.memory?.tellRefusal()
    try recordings.finish()
  }

  private init(_ simulation: Simulation, end: Instant?, sound: LiveSound?, memory: SimulationMemory?) {
    self.simulation = simulation
    time = RealTime(simulation, end: end)
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
    for key in reader.keys(in: bytes[..<count]) {
      switch key {
      case .button(let button): press(button)
      case .quit: time.isOver = true
      }
    }
  }

  private func press(_ button: Button) {
    let now = simulation.board.clock.now
    let instant = max(now, free[button] ?? now)
    guard instant - now <= LiveSimulation.longestWait else { return }
    free[button] = instant + LiveSimulation.keyInterval
    simulation.board.buttons.schedule([
      ButtonEdge(button, .down, at: instant), ButtonEdge(button, .up, at: instant + LiveSimulation.keyHold),
    ])
  }

  private var picture: Picture {
    let timeline = simulation.engine.control.timeline
    return Picture(
      levels: simulation.board.lines.levels, state: simulation.engine.control.state,
      beat: timeline.lastBeat(atOrBefore: simulation.board.clock.now), sound: sound?.status ?? "no sound")
  }
}
