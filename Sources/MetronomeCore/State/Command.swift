/// One action of the metronome, as triggered by a gesture.
public enum Command: Hashable, Sendable {
  /// Starts if stopped, stops if playing.
  case togglePlaying
  case start, stop
  case setTempo(Tempo)
  /// Raises or lowers the tempo by thousandths of a BPM, within the range.
  case stepTempo(byMilliBPM: Int)
  /// Returns to the configured tempo.
  case resetTempo
  /// A tap of the tap tempo: see ``TapTempo``.
  case tap
  /// Sets the beats per bar, clamped to what the limit allows.
  case setNumerator(Int)
  case nextNumerator, previousNumerator
  /// Sets the note that lasts a beat, if the limit allows it; reduces the numerator if necessary.
  case setDenominator(Int)
  case nextDenominator, previousDenominator
  /// Divides the beat's notes otherwise: see ``Rhythm/nextSubdivision(over:)``.
  case nextSubdivision, previousSubdivision
  /// Groups or accents the notes of the bar otherwise: see ``Bar/nextAccents``.
  case nextAccents
  /// Toggles silent mode: lights without sound.
  case toggleSilence
  /// Raises or lowers the volume of the clicks by 1.5 dB, within the range of ``Volume``.
  case volumeUp, volumeDown
  /// Chooses a set of clicks, or the next one.
  case setClickSet(Voice.Sound)
  case nextClickSet
  /// Shows the tempo or the signature with light and buzzer.
  case tellTempo, tellSignature
  /// Recalls the preset after the last recalled one; wraps. Skips presets that cannot be recalled now.
  case nextPreset
  case previousPreset
  /// Recalls the preset at this place of the list, counted from 1.
  case recallPreset(Int)
  /// Saves tempo, signature and rhythm, or the place in the loaded score, at this place of the list, counted from 1.
  case storePreset(Int)
  /// Leaves the section of a score, or the innermost block without an end, at the next bar line. Ends a pause at once.
  case nextSection
  case previousSection
  /// Begins the section again at its next bar line.
  case restartSection
  /// Goes to another song of the set list: while playing, at the next bar line.
  case nextSong, previousSong
  /// Steps through the gaps: none, one bar that sounds and one that is silent, two and two, four and four.
  case nextGap
  /// Drops some beats at random, or no longer: see ``Trainer``.
  case toggleDrop
  /// Plays the ramp of ``Trainer`` from its beginning, or the settings again. While playing, playback starts again.
  case toggleRamp
  /// Ends playback after the time of ``Trainer``, counted from now or from the next start, or no longer.
  case toggleTimer
  /// Sets the ramp of ``Trainer`` and plays it from its beginning, also in place of another ramp; nil plays the settings again.
  case setRamp(TempoSteps?)
  /// Sets the time of ``Trainer``, counted from now or from the next start; nil: playback does not end by itself.
  case setTimer(Nanoseconds?)
  /// Sets the gap; nil: there is none.
  case setGap(Trainer.Gap?)
  /// Drops this share of the beats, 1 to 100 per cent; nil: none.
  case setDrop(Int?)
  /// Sets the signature, if the limit allows it.
  case setSignature(Signature)
  /// Sets the note value that the tempo counts.
  case setUnit(BeatUnit)
  /// Sets the rhythm; refused if its pattern does not fill the bar.
  case setRhythm(Rhythm)
  case setVolume(Volume)
  /// Lets the box show the numbers of phones that ask to be paired, or confirms the phone whose number is shown.
  case pair
  /// Forgets all paired phones.
  case forgetPhones
}

extension Command {
  /// Whether it asks a Link session for a tempo.
  var asksForTempo: Bool {
    switch self {
    case .setTempo, .stepTempo, .resetTempo, .nextPreset, .previousPreset, .recallPreset: true
    default: false
    }
  }

  var isStep: Bool { if case .stepTempo = self { true } else { false } }

  /// Whether a loaded score carries the command out in its own way.
  var concernsMusic: Bool {
    switch self {
    case .toggleSilence, .volumeUp, .volumeDown, .setVolume, .setClickSet, .nextClickSet, .pair, .forgetPhones: false
    default: true
    }
  }
}

/// The state that a display shows.
public struct MetronomeState: HasMusic, Hashable, Sendable {
  public var isPlaying: Bool
  /// As it is played: a pattern that does not fill the bar is left out.
  public var music: Music
  /// Whether only the lights are on.
  public var isSilent: Bool
  public var volume: Volume
  /// The set of clicks that is chosen, or configured.
  public var set = Voice.Sound.click
  /// The place in the score that is loaded; nil: none is.
  public var score: ScoreStatus?
  /// The practice aids that are on, in words; empty if none is.
  public var trainer = ""
  /// The source that the metronome follows; nil: none.
  public var source: SourceState?

  public var bar: Bar { music.bar }

  /// The signature and the rhythm's text, such as `4/4` or `2+2+3/8 sub=2`.
  public var barText: String { [signature.description, rhythm.text].filter { !$0.isEmpty }.joined(separator: " ") }

  /// The tempo on a display: `120 BPM`, or `3/8 = 60 BPM` if it does not count quarters.
  public var tempoText: String { unit == .quarter ? "\(tempo)" : "\(unit) = \(tempo)" }

  /// The tempo as in sheet music, such as `♩. = 60 BPM`, if its note has a common character.
  package var tempoTextWithNote: String { unit == .quarter ? "\(tempo)" : "\(unit.note ?? "\(unit)") = \(tempo)" }

  /// In words, such as `playing`, or `volume -6 dB, wood, stopped, silent`. A volume of 0 dB and the first set are not mentioned.
  public var mode: String {
    (volume == .full ? "" : "volume \(volume), ") + (set == .click ? "" : "\(set), ")
      + (isPlaying ? "playing" : "stopped") + (isSilent ? ", silent" : "")
      + (score.map { ", " + $0.text } ?? "") + (trainer.isEmpty ? "" : ", " + trainer)
      + (source.map { ", " + $0.text } ?? "")
  }

  public init(
    isPlaying: Bool, _ music: Music, isSilent: Bool = false, volume: Volume = .full
  ) {
    self.isPlaying = isPlaying
    self.music = music
    self.isSilent = isSilent
    self.volume = volume
  }
}

extension Command {
  /// The command multiplied by a number of steps. Only tempo steps are multiplied; all other commands are carried out once.
  public func inSteps(_ steps: Int) -> Command {
    guard case .stepTempo(let milliBPM) = self else { return self }
    return .stepTempo(byMilliBPM: Int(clamping: Int128(milliBPM) * Int128(steps)))
  }
}

/// The reply to a command by light and buzzer, used where the beat itself does not show the effect.
public enum Reply: Hashable, Sendable {
  case tempo(Tempo)
  case signature(Signature)
  case stored
  /// Phones may ask to be paired.
  case pairing
  /// The number of a phone that asks to be paired.
  case number(Int)
  /// The command cannot be carried out now.
  case refused(CommandRefusal)
}

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
    case .inRamp: "this is not possible in a ramp; end the ramp first (ramp none)"
    case .scoreHasTempo:
      "the song has its own tempo; change its speed with faster and slower, or unload the song first"
    case .rampInScore: "the song has its own tempo; unload the song first"
    case .scoreHasBars: "the song has its own signatures and rhythms; unload the song first"
    case .nothingSounds: "nothing in the score sounds; load another one"
    case .scoreHasNoName: "the score has no name, so no preset can name a place in it"
    case .noScore: "no score is loaded"
    case .noRamp: "no ramp is configured; send ramp 80+5/4bar..120"
    case .rampOutsideRange(let unit):
      "in beats of \(unit) this ramp leaves the range of 1 to 999 quarters per minute, or has too many decimals"
    case .noTimer: "no timer is configured; send timer 10m"
    case .noPresets: "there are no presets yet; store 1 makes one"
    case .noPresetFits: "no preset can be recalled now"
    case .noPreset(let place, let count): "there is no preset \(place); the list has \(count)"
    case .presetInScore: "this preset names a place in a score that is not loaded; load the score first"
    case .presetOutsideScore: "this preset is no place in the loaded score; unload the song first"
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
    do throws(NotationError) { _ = try Rhythm(stored: rhythm.text, for: settings.bar.metre) } catch {
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
