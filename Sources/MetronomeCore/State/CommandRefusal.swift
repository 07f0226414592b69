/// Why a command cannot be carried out now.
public enum CommandRefusal: Hashable, Sendable {
  /// A MIDI clock sets the tempo.
  case clockHasTempo
  /// A Link session sets the tempo, so that no ramp can play.
  case rampInSession
  /// The tempo is outside what a Link session can have.
  case outsideSession
  /// A step from the tempo of the Link session would leave the range of tempi in this note value.
  case sessionOutside(BeatUnit)
  /// A ramp plays.
  case inRamp
  /// The score sets the tempo.
  case scoreHasTempo
  case rampInScore
  /// The score sets signatures and rhythms.
  case scoreHasBars
  /// A score in which nothing sounds cannot start.
  case nothingSounds
  /// A place in a score without a name cannot be stored.
  case scoreHasNoName
  case noScore
  case noRamp
  /// In this note value, the ramp leaves the range of tempi.
  case rampOutsideRange(BeatUnit)
  case noTimer
  case noPresets
  /// No preset can be recalled now.
  case noPresetFits
  /// The list has fewer presets.
  case noPreset(Int, count: Int)
  /// The preset names a place in a score, but none is loaded.
  case presetInScore
  /// The preset is no place in the score that is loaded.
  case presetOutsideScore
  /// The tempo of the preset is outside what a Link session can have.
  case presetOutsideSession
  case listIsFull
  /// The pattern of the rhythm does not fill the bar: what is wrong.
  case rhythmDoesNotFit(String)
  /// No phone page is connected, which would forget its phones.
  case noPhonePage
  /// The number has just been shown, so the press cannot mean it.
  case numberIsNew

  /// In one line, and what would be right.
  public var text: String {
    switch self {
    case .clockHasTempo:
      "the tempo follows a MIDI clock; set it there, or remove midi.in from the configuration"
    case .rampInSession: "a ramp cannot play in a Link session; leave the session first"
    case .outsideSession: "a Link session has 20 to 999 quarters per minute"
    case .sessionOutside(let unit):
      "in beats of \(unit) the tempo of the Link session is outside 1 to 999 BPM; choose another beat first"
    case .inRamp: "this is not possible in a ramp; ramp none ends it"
    case .scoreHasTempo:
      "the score has its own tempo; change its speed with faster and slower, or unload the score"
    case .rampInScore: "the score has its own tempo; unload it first"
    case .scoreHasBars: "the score has its own signatures and rhythms; unload it first"
    case .nothingSounds: "nothing in the score sounds; load another one"
    case .scoreHasNoName: "the score has no name, so no preset can name a place in it"
    case .noScore: "no score is loaded"
    case .noRamp: "no ramp is configured; send ramp 80+5/4bar..120"
    case .rampOutsideRange(let unit):
      "in beats of \(unit) this ramp leaves the range of 1 to 999 quarters per minute"
    case .noTimer: "no timer is configured; send timer 10m"
    case .noPresets: "there are no presets yet; store 1 makes one"
    case .noPresetFits: "no preset can be recalled now"
    case .noPreset(let place, let count): "there is no preset \(place); the list has \(count)"
    case .presetInScore: "this preset names a place in a score that is not loaded; load the score first"
    case .presetOutsideScore: "this preset does not name a place in the loaded score"
    case .presetOutsideSession:
      "the tempo of the preset is outside the 20 to 999 quarters per minute of a Link session"
    case .listIsFull: "the list has room for \(PresetList.capacity) presets"
    case .rhythmDoesNotFit(let text): text
    case .noPhonePage: "no phone page is connected; switch it on first"
    case .numberIsNew: "the number has just been shown; compare it with the phone, then give the command again"
    }
  }
}

extension Metronome {
  /// Why no preset is recalled that a command asks for.
  func refusalOfRecall(_ command: Command) -> CommandRefusal {
    if leader.ramp != nil { return .inRamp }
    guard presets.count > 0 else { return .noPresets }
    guard case .recallPreset(let place) = command else { return .noPresetFits }
    guard presets[place: place] != nil else { return .noPreset(place, count: presets.count) }
    return leader.player == nil ? .presetInScore : .presetOutsideScore
  }

  /// Why a rhythm cannot be set, whose pattern does not fill the bar.
  func refusal(of rhythm: Rhythm) -> CommandRefusal {
    do throws(NotationError) { _ = try Rhythm(text: rhythm.text, for: settings.bar.metre) } catch {
      return .rhythmDoesNotFit(error.text)
    }
    return .rhythmDoesNotFit("the rhythm does not fill a bar of \(settings.signature)")
  }

  /// Why a source that leads does not allow a command; nil: it does.
  func refusalBySource(of command: Command) -> CommandRefusal? {
    switch command {
    case .toggleRamp, .setRamp(.some): source?.isShared == true ? .rampInSession : .clockHasTempo
    case .setTempo, .stepTempo, .resetTempo, .tap: refusesTempo ? .clockHasTempo : nil
    default: nil
    }
  }
}
