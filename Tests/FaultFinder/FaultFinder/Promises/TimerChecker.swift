import BoardSimulation
import ControlSocket
import MetronomeCore
import MetronomeEngine

/// Playback does not outlast the timer.
final class TimerChecker: Checker {
  /// A control step that is not delayed comes within this time.
  private static let tolerance = Nanoseconds.milliseconds(100)

  private var timer: Nanoseconds?
  private var session: UInt32?
  /// The timer counts from here at the latest: the first beat, or the last command that set the timer.
  private var since = Instant.zero
  /// The buttons that are down.
  private var held: Set<Button> = []

  /// A command with a time counts from now, also if the time is the same.
  override func exchanged(_ request: ControlMessage, _ answers: [ControlMessage]) {
    guard request["command"]?.hasPrefix("timer ") == true, answers.last?.word == "done" else { return }
    since = max(scene.now, since)
  }

  /// So does a gesture of a button, which may come while it is down or when it goes up.
  override func see(_ event: TraceEvent) {
    guard case .button(let button, let isDown) = event.what else { return }
    if isDown { held.insert(button) } else { held.remove(button) }
    if setsTimer(button) { since = max(scene.now, since) }
  }

  private func setsTimer(_ button: Button) -> Bool {
    let table = scene.options.gestures
    return table.gestures.contains { gesture in
      switch table[gesture] {
      case .setTimer, .toggleTimer: gesture.involves(button)
      default: false
      }
    }
  }

  override func look(after loop: Simulation.Loop?, _ changes: Scene.Changes) {
    let control = scene.simulation.engine.control
    let (timeline, trainer) = (scene.timeline, control.settings.trainer)
    guard scene.isOn, trainer.isTimed, let time = trainer.timer, let oldest = timeline.oldestIndex else {
      (timer, session) = (nil, nil)
      return
    }
    if session != timeline.session { since = max(scene.now, timeline.knownBeat(oldest).instant) }
    if timer != time || held.contains(where: setsTimer) { since = max(scene.now, since) }
    (timer, session) = (time, timeline.session)
    guard scene.now > since + time + scene.lateness + TimerChecker.tolerance else { return }
    scene.breach(
      .endsWithTheTimer, "the timer counts from \(since) at the latest, but playback goes on after \(time.text)")
  }
}

extension Gesture {
  fileprivate func involves(_ button: Button) -> Bool {
    switch self {
    case .short(let own), .long(let own), .repeated(let own): own == button
    case .chord(let pair): pair.first == button || pair.second == button
    }
  }
}
