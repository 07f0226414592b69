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
  /// The timer counts from here at the latest: the first beat, or the last change of the timer.
  private var since = Instant.zero

  /// A command with a time counts from now, also if the time is the same.
  override func exchanged(_ request: ControlMessage, _ answers: [ControlMessage]) {
    guard request["command"]?.hasPrefix("timer ") == true, answers.last?.word == "done" else { return }
    since = max(scene.now, since)
  }

  override func look(after loop: Simulation.Loop?, _ changes: Scene.Changes) {
    let control = scene.simulation.engine.control
    let (timeline, trainer) = (scene.timeline, control.settings.trainer)
    guard scene.isOn, trainer.isTimed, let time = trainer.timer, let oldest = timeline.oldestIndex else {
      (timer, session) = (nil, nil)
      return
    }
    if session != timeline.session { since = max(scene.now, timeline.knownBeat(oldest).instant) }
    if timer != time { since = max(scene.now, since) }
    (timer, session) = (time, timeline.session)
    guard scene.now > since + time + scene.lateness + TimerChecker.tolerance else { return }
    scene.breach(
      .endsWithTheTimer, "the timer counts from \(since) at the latest, but playback goes on after \(time.text)")
  }
}
