import BoardSimulation
import Foundation
import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import MetronomeEngine
import MetronomeTerminal

/// The simulated board in real time: virtual time follows the clock, keys are the buttons.
final class LiveSimulation {
  /// How long a key presses its button. A terminal does not tell when a key is let go.
  private static let keyHold = Nanoseconds.milliseconds(30)
  /// How long a held key does: a long press, or two repetitions.
  private static let longHold = Nanoseconds.milliseconds(700)
  /// From one button of a chord to the other, and how long each is down.
  private static let chordDelay = Nanoseconds.milliseconds(20)
  private static let chordHold = Nanoseconds.milliseconds(80)
  /// How long a button that is held by a key could still be taken for a part of a chord.
  private static let chordWindow = Nanoseconds.milliseconds(500)
  /// How long keys wait that come faster than their button can be pressed. Those that would wait longer are left out.
  private static let longestWait = Nanoseconds.milliseconds(200)

  private let simulation: Simulation
  private let time: RealTime
  private let sound: LiveSound?
  private var reader = KeyReader()
  private var drawn: [String] = []
  /// When each button may be pressed again, so that the press counts.
  private var free: [Button: Instant] = [:]
  /// Until when another button would make a chord.
  private var chordEnd = Instant.zero
  /// From a release to the next press that counts.
  private let lockOut: Nanoseconds
  private let countIn: Int

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
        from: start, recordings, sound: sound == nil && !isInTerminal, hasKeys: isInTerminal)
    } catch {
      preconditionFailure("a simulated board without faults can always be had: \(error)")
    }
    let live = LiveSimulation(
      simulation, plan.configuration, end: plan.length.map { start + $0 }, sound: sound)
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
    try recordings.finish()
  }

  private init(_ simulation: Simulation, _ configuration: Configuration, end: Instant?, sound: LiveSound?) {
    self.simulation = simulation
    lockOut = configuration.lockOut
    countIn = configuration.countIn
    time = RealTime(simulation, end: end)
    self.sound = sound
  }

  private func play() {
    while !time.isOver {
      time.advance()
      _ = time.wait(for: [SignalPipe.stop])
    }
  }

  private func play(in terminal: borrowing Terminal) {
    let descriptors = [SignalPipe.stop, STDIN_FILENO, SignalPipe.resize, sound?.descriptor ?? -1]
    while !time.isOver {
      time.advance()
      let lines = picture.lines(rows: terminal.rows)
      if lines != drawn { terminal.draw(lines) }
      drawn = lines
      let ready = time.wait(for: descriptors)
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
      case .press(let button, let isHeld):
        press([button], for: isHeld ? LiveSimulation.longHold : LiveSimulation.keyHold)
      case .chord(let one, let other): press([one, other], for: LiveSimulation.chordHold)
      case .turn(let dial, let detents): turn(dial, by: detents)
      case .quit: time.isOver = true
      }
    }
  }

  /// Presses buttons one after the other, each for so long: what was typed in a row is no chord.
  private func press(_ buttons: [Button], for hold: Nanoseconds) {
    let now = simulation.board.clock.now
    let soonest = buttons.compactMap { free[$0] }.reduce(now, max)
    guard soonest - now <= LiveSimulation.longestWait, chordEnd - now <= LiveSimulation.chordWindow else { return }
    var instant = max(soonest, chordEnd)
    for button in buttons {
      let release = instant + hold
      simulation.board.buttons.schedule([
        ButtonEdge(button, .down, at: instant), ButtonEdge(button, .up, at: release),
      ])
      free[button] = release + lockOut
      // A release within the lock-out counts at its end.
      chordEnd = min(max(release, instant + lockOut), instant + LiveSimulation.chordWindow)
      instant = instant + LiveSimulation.chordDelay
    }
  }

  /// Turns a dial of a device beside the box.
  private func turn(_ dial: Dial, by detents: Int) {
    let now = simulation.board.clock.now
    simulation.board.inputs?.schedule([.turn(DialTurn(dial, by: detents, at: now, from: SimulationPlan.dials))])
  }

  private var picture: Picture {
    let timeline = simulation.engine.control.timeline
    return Picture(
      levels: simulation.board.lines.levels, state: simulation.engine.control.state,
      beat: timeline.lastBeat(atOrBefore: simulation.board.clock.now), sound: sound?.status ?? "no sound",
      countIn: countIn, holdsNext: reader.holdsNext)
  }
}
