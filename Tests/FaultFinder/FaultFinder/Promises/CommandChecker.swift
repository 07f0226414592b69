import BoardSimulation
import ControlSocket
import MetronomeConfiguration
import MetronomeCore
import MetronomeEngine

/// A command of the control socket is carried out, or it is refused for a reason and changes nothing.
///
/// ``PressChecker`` judges what a command changes, and when.
final class CommandChecker: Checker {
  private static let oldest: Int64 = 2_000_000_000

  private var stateBefore: MetronomeState?
  private var timelineBefore = Timeline.stopped

  override func answering(_ request: ControlMessage) {
    stateBefore = scene.simulation.engine.control.state
    timelineBefore = scene.simulation.engine.control.timeline
  }

  override func exchanged(_ request: ControlMessage, _ answers: [ControlMessage]) {
    guard request.word == "do", let words = request["command"] else { return }
    guard answers.count == 1, let answer = answers.first, ["done", "refused"].contains(answer.word) else {
      return scene.breach(.everyCommand, "\(request) has the answers \(answers)")
    }
    let command = try? Command(words: words)
    let isAllowed = command != nil && isInTime(request)
    if answer.word == "done" {
      if !isAllowed { scene.breach(.everyCommand, "\(request) was carried out at \(scene.now.nanoseconds)") }
      return
    }
    if isAllowed, let command, !mayRefuse(command) {
      scene.breach(.everyCommand, "\(request) was refused at \(scene.now.nanoseconds): \(answer)")
    }
    let control = scene.simulation.engine.control
    // The place in a score goes on.
    guard control.state.score == nil, stateBefore?.score == nil else { return }
    if control.state != stateBefore || control.timeline != timelineBefore {
      scene.breach(.everyCommand, "\(request) was refused, but changed the state to \(control.state)")
    }
  }

  /// Whether the command was given at most two seconds ago.
  private func isInTime(_ request: ControlMessage) -> Bool {
    guard let at = request["at"] else { return true }
    guard let instant = Int64(at), instant >= 0 else { return false }
    return (0...CommandChecker.oldest).contains(scene.now.nanoseconds - instant)
  }

  /// Whether the command may be refused: a missing preset, a rhythm that does not fill the bar, a signature beyond the limit, a
  /// score, no score, or a source.
  private func mayRefuse(_ command: Command) -> Bool {
    switch command {
    case .nextPreset, .previousPreset, .recallPreset, .storePreset, .setRhythm, .nextSection, .previousSection,
      .restartSection, .nextSong, .previousSong, .toggleRamp, .setRamp, .toggleTimer:
      true
    case .setSignature(let signature):
      stateBefore?.score != nil || signature.limited(by: scene.options.settings.limit) != signature
    case .setTempo, .stepTempo, .resetTempo, .tap:
      stateBefore?.source != nil || stateBefore?.score != nil
    case .toggleSilence, .volumeUp, .volumeDown, .setVolume, .setClickSet, .nextClickSet, .pair, .forgetPhones,
      .togglePlaying, .start, .stop:
      false
    default: stateBefore?.score != nil
    }
  }
}
