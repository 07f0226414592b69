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
  private let end: Instant?
  private let sound: LiveSound?
  private var reader = KeyReader()
  private var drawn: [String] = []
  /// When each button may be pressed again.
  private var free: [Button: Instant] = [:]
  private var isOver = false

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
    let live = LiveSimulation(simulation, end: plan.length.map { start + $0 }, sound: sound)
    if isInTerminal {
      let terminal = try Terminal()
      try sound?.start(simulation.engine, sounds: plan.configuration.engineOptions.sounds)
      live.play(in: terminal)
    } else {
      live.play()
    }
    sound?.stop()
    sound?.tellIncidents(at: monotonicNow())
    simulation.finish()
    try recordings.finish()
  }

  private init(_ simulation: Simulation, end: Instant?, sound: LiveSound?) {
    self.simulation = simulation
    self.end = end
    self.sound = sound
  }

  private func play() {
    while !isOver {
      advance(to: monotonicNow())
      _ = wait(for: [SignalPipe.stop])
    }
  }

  private func play(in terminal: borrowing Terminal) {
    let descriptors = [SignalPipe.stop, STDIN_FILENO, SignalPipe.resize, sound?.descriptor ?? -1]
    while !isOver {
      advance(to: monotonicNow())
      let lines = picture.lines(rows: terminal.rows)
      if lines != drawn { terminal.draw(lines) }
      drawn = lines
      let ready = wait(for: descriptors)
      if ready[1] { readKeys() }
      if ready[2] {
        SignalPipe.clear(SignalPipe.resize)
        drawn = []
      }
      if ready[3] { sound?.clear() }
    }
  }

  /// Lets everything happen that is due at an instant, and ends when the time is over.
  private func advance(to now: Instant) {
    if let end, now >= end {
      simulation.run(until: end)
      isOver = true
    } else {
      simulation.run(until: max(now + Nanoseconds(1), simulation.board.clock.now))
    }
  }

  /// Waits until something is due or a descriptor can be read; the first one ends everything.
  ///
  /// - Returns: which can be read.
  private func wait(for descriptors: [Int32]) -> [Bool] {
    var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    guard !isOver, poll(&polled, nfds_t(polled.count), timeout) > 0 else {
      return descriptors.map { _ in false }
    }
    let ready = polled.map { $0.revents != 0 }
    if ready[0] { isOver = true }
    return ready
  }

  /// Milliseconds until something is due, rounded up; -1 for ever.
  private var timeout: Int32 {
    guard let due = [simulation.nextInstant, end].compactMap(\.self).min() else { return -1 }
    let left = max(0, (due - monotonicNow()).count)
    return Int32(min((left + 999_999) / 1_000_000, 60_000))
  }

  private func readKeys() {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(STDIN_FILENO, &bytes, bytes.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    guard count > 0 else {
      isOver = true
      return
    }
    advance(to: monotonicNow())
    for key in reader.keys(in: bytes[..<count]) {
      switch key {
      case .button(let button): press(button)
      case .quit: isOver = true
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

private func monotonicNow() -> Instant {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
}
