import HardwareAbstraction
import MetronomeCore

extension Command {
  /// The command as written in a configuration file, such as `faster 5`; nil if the file has no word for this command.
  package var words: String? {
    switch self {
    case .togglePlaying: "play"
    case .start: "start"
    case .stop: "stop"
    case .tap: "tap"
    case .toggleSilence: "silent"
    case .volumeUp: "volume_up"
    case .volumeDown: "volume_down"
    case .setClickSet(let set): "set \(set.name)"
    case .nextClickSet: "next_set"
    case .stepTempo(let step): Command.words(forStep: step)
    case .setTempo(let tempo): "tempo \(tempo.number)"
    case .resetTempo: "reset_tempo"
    case .nextNumerator: "next_numerator"
    case .previousNumerator: "previous_numerator"
    case .nextDenominator: "next_denominator"
    case .previousDenominator: "previous_denominator"
    case .nextSubdivision: "next_subdivision"
    case .previousSubdivision: "previous_subdivision"
    case .nextAccents: "next_accents"
    case .nextPreset: "next_preset"
    case .previousPreset: "previous_preset"
    case .recallPreset(let place): "recall \(place)"
    case .storePreset(let place): "store \(place)"
    case .tellTempo: "tell_tempo"
    case .tellSignature: "tell_signature"
    case .nextSection: "next_section"
    case .previousSection: "previous_section"
    case .restartSection: "restart_section"
    case .nextSong: "next_song"
    case .previousSong: "previous_song"
    case .nextGap: "next_gap"
    case .toggleDrop: "drop"
    case .toggleRamp: "ramp"
    case .toggleTimer: "timer"
    case .setRamp(let ramp): "ramp \(ramp?.text ?? "none")"
    case .setTimer(let time): "timer \(time?.text ?? "never")"
    case .setGap(let gap): "gap \(gap?.text ?? "none")"
    case .setDrop(let share): "drop \(share.map(String.init) ?? "none")"
    case .setSignature(let signature): "signature \(signature)"
    case .setUnit(let unit): "beat \(unit)"
    case .setRhythm(let rhythm): rhythm.text.isEmpty ? "rhythm" : "rhythm \(rhythm.text)"
    case .setVolume(let volume): "volume \(volume.number)"
    case .pair: "pair"
    case .forgetPhones: "forget_phones"
    case .setNumerator, .setDenominator: nil
    }
  }

  static let firstWords =
    complete.compactMap(\.words) + [
      "faster", "slower", "tempo", "recall", "store", "signature", "beat", "rhythm", "volume", "gap", "set",
    ]

  /// The words of version 0.1 that have changed, and the present ones. They are read until 0.3, and never written or suggested.
  static let oldWords = [
    "tempo_reset": "reset_tempo",
    "numerator_next": "next_numerator", "numerator_previous": "previous_numerator",
    "denominator_next": "next_denominator", "denominator_previous": "previous_denominator",
    "preset_next": "next_preset", "preset_previous": "previous_preset",
  ]

  /// The commands without an argument.
  private static let complete: [Command] = [
    .togglePlaying, .start, .stop, .tap, .toggleSilence, .resetTempo, .nextNumerator, .previousNumerator,
    .nextDenominator, .previousDenominator, .nextPreset, .previousPreset, .tellTempo, .tellSignature,
    .volumeUp, .volumeDown, .nextClickSet, .nextSubdivision, .previousSubdivision, .nextAccents,
    .nextSection, .previousSection, .restartSection, .nextSong, .previousSong,
    .nextGap, .toggleDrop, .toggleRamp, .toggleTimer, .pair, .forgetPhones,
  ]

  /// The largest step, in thousandths of a BPM: the width of the range of tempi.
  private static let largestStep = Int(Tempo.range.upperBound - Tempo.range.lowerBound)

  private static func words(forStep step: Int) -> String {
    let word = step < 0 ? "slower" : "faster"
    let size = min(abs(step), largestStep)
    return size == 1_000 ? word : "\(word) \(decimal(thousandths: size))"
  }

  /// Reads a command as written by the user. The error contains what to write instead.
  ///
  /// - Parameter others: words that may be written in place of a command.
  package init(words text: String, or others: [String] = []) throws(WrongValue) {
    let parts = text.split(separator: " ")
    guard let first = parts.first.map(String.init) else { throw Command.unknown("", others) }
    let word = Command.oldWords[first] ?? first
    let argument = parts.count == 2 ? parts[1] : nil
    switch word {
    case "faster", "slower":
      let number = argument ?? "1"
      guard parts.count <= 2, !hasLeadingZeros(number), let step = thousandths(ofDecimal: number),
        (1...Command.largestStep).contains(step)
      else { throw Command.wrongNumber(after: word) }
      self = .stepTempo(byMilliBPM: word == "faster" ? step : -step)
    case "tempo":
      guard let tempo = argument.flatMap({ hasLeadingZeros($0) ? nil : Tempo(decimal: $0) }) else {
        throw Command.wrongNumber(after: word)
      }
      self = .setTempo(tempo)
    case "signature", "beat", "rhythm", "volume", "set":
      guard let command = Command(word, rest(of: text, after: word)) else { throw Command.wrongNumber(after: word) }
      self = command
    case "ramp" where parts.count > 1: self = .setRamp(try Command.value(text, word, .steps))
    case "timer" where parts.count > 1: self = .setTimer(try Command.value(text, word, .autoStop))
    case "drop" where parts.count > 1: self = .setDrop(try Command.value(text, word, .drop))
    case "gap": self = .setGap(try Command.value(text, word, .gap))
    case "recall", "store":
      guard let place = argument.flatMap({ wholeNumber($0) }), (1...PresetList.capacity).contains(place) else {
        throw Command.wrongNumber(after: word)
      }
      self = word == "recall" ? .recallPreset(place) : .storePreset(place)
    default:
      guard let command = Command.complete.first(where: { $0.words == word }) else {
        // Words that belong together are one: next_song.
        let joined = parts.prefix(2).joined(separator: "_")
        if Command.complete.contains(where: { $0.words == joined }) {
          throw WrongValue(remedy: "write \(joined), with \"_\" in place of the space")
        }
        throw Command.unknown(word, others)
      }
      guard parts.count == 1 else { throw WrongValue(remedy: "write only \(word)") }
      self = command
    }
  }

  /// A command with an argument; nil for another argument.
  private init?(_ word: String, _ argument: String) {
    let command: Command? =
      switch word {
      case "signature": Signature(text: argument).map { .setSignature($0) }
      case "beat": BeatUnit(text: argument).map { .setUnit($0) }
      case "volume": Volume(number: argument).map { .setVolume($0) }
      case "set": Voice.Sound(set: argument).map { .setClickSet($0) }
      default: argument.isEmpty ? .setRhythm(Rhythm()) : Rhythm(anyMetre: argument).map { .setRhythm($0) }
      }
    guard let command else { return nil }
    self = command
  }

  /// The value after a word, as of the key of the trainer.
  private static func value<Value>(_ text: String, _ word: String, _ form: Form<Value>) throws(WrongValue) -> Value {
    let scalar = Scalar(text: rest(of: text, after: word), isPlain: true)
    guard let value = try form.read(scalar, .standard) else {
      throw WrongValue(remedy: "after \(word) write \(form.words)")
    }
    return value
  }

  private static func unknown(_ word: String, _ others: [String]) -> WrongValue {
    if word == "none", others.isEmpty {
      return WrongValue(
        remedy:
          "none is only written in a configuration, for a button without a command; write a command such as play, "
          + "or ramp none to end a ramp")
    }
    let known = firstWords + others
    let nearest = nearestKey(to: word, among: known)
    return WrongValue(remedy: nearest.map { "did you mean \(quoted($0))?" } ?? "write \(enumeration(known))")
  }

  private static func wrongNumber(after word: String) -> WrongValue {
    let form =
      switch word {
      case "tempo": "with a number of beats per minute from 1 to 999 with at most three decimals, such as tempo 92.5"
      case "signature": "with a signature, such as signature 7/8"
      case "beat": "with a note value, such as beat 1/4 or beat 3/8"
      case "rhythm": "with a rhythm, such as rhythm sub=2 or rhythm X.x.; without one, rhythm ends the present one"
      case "volume": "with decibels from 0 down to -36 in steps of 1.5, such as volume -6"
      case "set": "with a set of clicks: \(Voice.Sound.setNames)"
      case "recall", "store": "with a preset number from 1 to \(PresetList.capacity), such as \(word) 3"
      default:
        "for a step of 1 BPM, or \(word) N for a step of N BPM, up to 998 with at most three decimals"
      }
    return WrongValue(remedy: "write \(word) \(form)")
  }

  /// A description of the commands, for a comment in the file.
  static let explanation =
    "Commands: play (start or stop), start, stop, tap, silent (turn the sound off or on), faster, slower (by 1 BPM), "
    + "faster N, slower N (by N BPM), tempo N (set N BPM), reset_tempo (restore the configured tempo), "
    + "next_numerator, previous_numerator, next_denominator, previous_denominator, next_preset, previous_preset, "
    + "recall N, store N (preset number N), tell_tempo, tell_signature (show the tempo or the signature with light and "
    + "buzzer), volume_up, volume_down (by 1.5 dB), next_set (of clicks), next_subdivision, previous_subdivision (off, 2, 3, 4, 6, swing), "
    + "next_accents (groups, dotted beat, or no accents), next_section, previous_section, restart_section (of a score, at "
    + "the next bar line; next_section also ends a pause), next_song, previous_song, next_gap (of one, two or four bars, "
    + "or none), drop, ramp, timer (turn these parts of the trainer on or off), "
    + "ramp STEPS, timer TIME, gap 2/2, drop N (set and begin these, as under trainer), ramp none, timer never, gap none, "
    + "drop none (end these), signature N/D, beat 1/4, rhythm TEXT, "
    + "volume -6, set wood (set these), pair (let a phone in), none."
}

/// What follows the first word of a text, without the space between them.
private func rest(of text: String, after word: String) -> String {
  String(text.drop { $0 == " " }.dropFirst(word.count).drop { $0 == " " })
}

extension Form<Command?> {
  /// A command, or nil for `none`.
  static var command: Form {
    Form(
      words: "a command such as play, faster 5 or recall 1, or none",
      read: { (scalar, _) throws(WrongValue) in
        scalar.text == "none" ? .some(nil) : try Command(words: scalar.text, or: ["none"])
      },
      text: { $0?.words ?? "none" })
  }
}
