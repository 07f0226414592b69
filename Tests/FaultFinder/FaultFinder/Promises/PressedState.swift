import MetronomeCore
import MetronomeEngine

/// The state that the metronome must have after short presses of one button at a time: a simple model of each command.
struct PressedState {
  /// The effect of a command on the beat.
  enum Effect {
    case nothing
    case start
    case stop
    case change
    case changeAtBarLine
    /// Bars or beats become silent or sound, from a bar line on. Later changes wait for it.
    case gap
    /// The effect depends on the times of the taps.
    case tap
    /// The model has no scores and no timers.
    case unknown
  }

  /// What the trainer does.
  struct Practice {
    var gap: (sounding: Int, silent: Int)
    var drop: Int
    var isDropping = false

    init(_ trainer: Trainer) {
      gap = (Int(trainer.filter.sounding), Int(trainer.filter.silent))
      drop = trainer.drop
    }

    var text: String {
      let gap = gap.silent > 0 ? "gap \(gap.sounding)/\(gap.silent)" : ""
      return [gap, isDropping ? "drop \(drop) %" : ""].filter { !$0.isEmpty }.joined(separator: ", ")
    }

    mutating func stepGap() {
      let next =
        switch gap.silent {
        case 0: 1
        case 1: 2
        case 2, 3: 4
        default: 0
        }
      gap = (next, next)
    }
  }

  /// Its rhythm is that of ``rhythm`` which fits the bar.
  var state: MetronomeState
  var rhythm: Rhythm
  var limit: NumeratorLimit
  var presets: PresetList
  var recalled: Int?
  var practice = Practice(Trainer())

  private var bar: Bar { Bar(Metre(state.signature, unit: state.unit), rhythm) }

  mutating func handleSignal(_ command: Command, _ rules: Rules) -> Effect {
    let before = state
    let effect = effect(of: command, rules)
    state.rhythm = bar.rhythm
    guard effect == .change else { return effect }
    if before.isPlaying != state.isPlaying { return state.isPlaying ? .start : .stop }
    return before.tempo != state.tempo || before.bar != bar ? .change : .nothing
  }

  /// Carries out a command. Starts, stops and commands without any effect count as changes.
  private mutating func effect(of command: Command, _ rules: Rules) -> Effect {
    switch command {
    case .togglePlaying: state.isPlaying.toggle()
    case .start: state.isPlaying = true
    case .stop: state.isPlaying = false
    case .setTempo(let tempo): state.tempo = tempo
    case .stepTempo(let step): state.tempo = Tempo(clampingMilliBPM: Int(state.tempo.milliBPM) + step)
    case .resetTempo: state.tempo = rules.homeTempo
    case .tap: return .tap
    case .setNumerator(let numerator): state.signature = state.signature.with(numerator: numerator, limit: limit)
    case .nextNumerator: state.signature = state.signature.nextNumerator(limit: limit)
    case .previousNumerator: state.signature = state.signature.previousNumerator(limit: limit)
    case .setDenominator(let note): state.signature = state.signature.with(denominator: note, limit: limit)
    case .nextDenominator: state.signature = state.signature.nextDenominator(limit: limit)
    case .previousDenominator: state.signature = state.signature.previousDenominator(limit: limit)
    case .nextSubdivision: rhythm = rhythm.nextSubdivision(over: state.signature.denominator)
    case .previousSubdivision: rhythm = rhythm.previousSubdivision(over: state.signature.denominator)
    case .nextAccents:
      let next = bar.nextAccents
      (state.signature, state.unit, rhythm) = (next.metre.signature, next.metre.unit, next.rhythm)
    case .toggleSilence: state.isSilent.toggle()
    case .volumeUp: state.volume = state.volume.louder
    case .volumeDown: state.volume = state.volume.softer
    case .setSignature(let signature): state.signature = signature.limited(by: limit)
    case .setUnit(let unit): state.unit = unit
    case .setRhythm(let wanted):
      guard Bar(bar.metre, wanted).rhythm == wanted else { return .nothing }
      use(wanted)
    case .setVolume(let volume): state.volume = volume
    case .setClickSet(let set): state.set = set
    case .nextClickSet: state.set = state.set.next
    case .pair, .forgetPhones: return .nothing
    case .tellTempo, .tellSignature, .nextSection, .previousSection, .restartSection, .nextSong, .previousSong:
      return .nothing
    case .nextGap:
      practice.stepGap()
      state.trainer = practice.text
      return .gap
    case .toggleDrop:
      practice.isDropping.toggle()
      state.trainer = practice.text
      return .gap
    case .setGap(let gap):
      practice.gap = (gap?.sounding ?? 0, gap?.silent ?? 0)
      return practise()
    case .setDrop(let share):
      (practice.drop, practice.isDropping) = (share ?? practice.drop, share != nil)
      return practise()
    case .toggleRamp, .toggleTimer, .setRamp, .setTimer: return .unknown
    case .nextPreset: return recall(recalled.map { $0 % presets.count + 1 } ?? 1)
    case .previousPreset: return recall(recalled.map { $0 > 1 ? $0 - 1 : presets.count } ?? presets.count)
    case .recallPreset(let place): return recall(place)
    case .storePreset(let place):
      var music = Music(state.tempo, bar)
      music.rhythm.set = state.set == rules.homeSet ? nil : state.set
      if (try? presets.store(music, at: place)) != nil { recalled = place }
      return .nothing
    }
    return .change
  }

  /// The gap or the dropped beats were set, possibly to the same values.
  private mutating func practise() -> Effect {
    guard practice.text != state.trainer else { return .nothing }
    state.trainer = practice.text
    return .gap
  }

  private mutating func recall(_ place: Int) -> Effect {
    guard let preset = presets[place: place] else { return .nothing }
    recalled = place
    state.tempo = preset.tempo
    state.signature = preset.signature.limited(by: limit)
    state.unit = preset.unit
    use(preset.rhythm)
    return .changeAtBarLine
  }

  private mutating func use(_ new: Rhythm) {
    rhythm = new
    state.set = new.set ?? state.set
    rhythm.set = nil
  }

  /// Another configuration takes effect.
  mutating func follow(_ new: EngineOptions, _ old: EngineOptions) {
    limit = new.settings.limit
    if new.settings.tempo != old.settings.tempo { state.tempo = new.settings.tempo }
    if new.settings.signature != old.settings.signature { state.signature = new.settings.signature }
    state.signature = state.signature.limited(by: limit)
    if new.settings.unit != old.settings.unit { state.unit = new.settings.unit }
    if new.settings.rhythm != old.settings.rhythm { rhythm = new.settings.rhythm }
    if new.rules.homeSet != old.rules.homeSet { state.set = new.rules.homeSet }
    state.rhythm = bar.rhythm
  }
}
