import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import MetronomeEngine

extension ControlLoop {
  /// Why a command is refused now, and what would be right; nil: no more precise reason is known.
  func refusal(of command: Command) -> String? {
    if isRefusedBySource(command) {
      if case .link = state.source { return "a ramp cannot play in a Link session; leave the session first" }
      return "the tempo follows a MIDI clock; set it there, or remove midi.in from the configuration"
    }
    let trainer = settings.trainer
    let isScored = state.score != nil && !trainer.isRamping
    switch command {
    case .toggleTimer: return "no timer is configured; send timer 10m"
    case .toggleRamp where !isScored && trainer.ramp == nil: return "no ramp is configured; send ramp 80+5/4bar..120"
    case .toggleRamp where !isScored, .setRamp where !isScored:
      return "in beats of \(settings.unit) this ramp leaves the range of 1 to 999 quarters per minute"
    default: break
    }
    if trainer.isRamping { return "this is not possible in a ramp; ramp none ends it" }
    return isScored ? refusalByScore(of: command) : refusalBySettings(of: command)
  }

  private func refusalBySettings(of command: Command) -> String? {
    switch command {
    case .stepTempo where isSessionOutsideUnit:
      return
        "in beats of \(settings.unit) the tempo of the Link session is outside 1 to 999 BPM; choose another beat first"
    case .setTempo, .stepTempo, .resetTempo: return "a Link session has 20 to 999 quarters per minute"
    case .setRhythm(let rhythm):
      do throws(NotationError) { _ = try Rhythm(text: rhythm.text, for: settings.bar.metre) } catch {
        return error.text
      }
      return nil
    case .nextSection, .previousSection, .restartSection, .nextSong, .previousSong: return "no score is loaded"
    case .nextPreset, .previousPreset, .recallPreset:
      if recallsOutsideSession(command) {
        return "the tempo of the preset is outside the 20 to 999 quarters per minute of a Link session"
      }
      return missingPreset(command) ?? "this preset names a place in a score that is not loaded; load the score first"
    default: return nil
    }
  }

  private func refusalByScore(of command: Command) -> String? {
    switch command {
    case .setTempo: "the score has its own tempo; change its speed with faster and slower, or unload the score"
    case .toggleRamp, .setRamp: "the score has its own tempo; unload it first"
    case .nextPreset, .previousPreset, .recallPreset:
      missingPreset(command) ?? "this preset does not name a place in the loaded score"
    case .setNumerator, .setDenominator, .previousNumerator, .previousDenominator, .setSignature, .setUnit, .setRhythm:
      "the score has its own signatures and rhythms; unload it first"
    default: nil
    }
  }

  private func missingPreset(_ command: Command) -> String? {
    let count = savedState.presets.presets.count
    if count == 0 { return "there are no presets yet; store 1 makes one" }
    if case .recallPreset(let place) = command {
      return place > count ? "there is no preset \(place); the list has \(count)" : nil
    }
    return "no preset can be recalled now"
  }
}
