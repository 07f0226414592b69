import MetronomeCore

extension Command {
  /// The command in the words of a configuration file, as `faster 5`; nil for one that has none there.
  var words: String? {
    switch self {
    case .togglePlaying: "play"
    case .start: "start"
    case .stop: "stop"
    case .tap: "tap"
    case .toggleSilence: "silent"
    case .stepTempo(let step): Command.words(forStep: step)
    case .setTempo(let tempo): "tempo \(tempo.number)"
    case .resetTempo: "tempo_reset"
    case .nextNumerator: "numerator_next"
    case .previousNumerator: "numerator_previous"
    case .nextDenominator: "denominator_next"
    case .previousDenominator: "denominator_previous"
    case .nextPreset: "preset_next"
    case .previousPreset: "preset_previous"
    case .recallPreset(let place): "recall \(place)"
    case .storePreset(let place): "store \(place)"
    case .tellTempo: "tell_tempo"
    case .tellSignature: "tell_signature"
    case .setNumerator, .setDenominator: nil
    }
  }

  /// What a command can begin with.
  static let firstWords = complete.compactMap(\.words) + ["faster", "slower", "tempo", "recall", "store"]

  /// The commands that are a word alone.
  private static let complete: [Command] = [
    .togglePlaying, .start, .stop, .tap, .toggleSilence, .resetTempo, .nextNumerator, .previousNumerator,
    .nextDenominator, .previousDenominator, .nextPreset, .previousPreset, .tellTempo, .tellSignature,
  ]

  /// The largest step, in thousandths of a BPM: from one end of the range to the other.
  private static let largestStep = Int(Tempo.range.upperBound - Tempo.range.lowerBound)

  private static func words(forStep step: Int) -> String {
    let word = step < 0 ? "slower" : "faster"
    let size = min(abs(step), largestStep)
    return size == 1_000 ? word : "\(word) \(decimal(thousandths: size))"
  }

  /// The command that a person wrote.
  ///
  /// - Throws: what to write instead.
  init(words text: String) throws(WrongValue) {
    let parts = text.split(separator: " ")
    guard let word = parts.first.map(String.init) else { throw Command.unknown("") }
    let argument = parts.count == 2 ? parts[1] : nil
    switch word {
    case "faster", "slower":
      guard let step = Command.step(argument ?? "1"), parts.count <= 2 else { throw Command.wrongNumber(after: word) }
      self = .stepTempo(byMilliBPM: word == "faster" ? step : -step)
    case "tempo":
      guard let tempo = argument.flatMap({ hasLeadingZeros($0) ? nil : Tempo(decimal: $0) }) else {
        throw Command.wrongNumber(after: word)
      }
      self = .setTempo(tempo)
    case "recall", "store":
      guard let place = argument.flatMap({ wholeNumber($0) }), (1...PresetList.capacity).contains(place) else {
        throw Command.wrongNumber(after: word)
      }
      self = word == "recall" ? .recallPreset(place) : .storePreset(place)
    default:
      guard let command = Command.complete.first(where: { $0.words == word }) else { throw Command.unknown(word) }
      guard parts.count == 1 else { throw WrongValue(remedy: "write \(word) alone") }
      self = command
    }
  }

  private static func step(_ text: some StringProtocol) -> Int? {
    guard !hasLeadingZeros(text), let step = thousandths(ofDecimal: text), (1...largestStep).contains(step) else {
      return nil
    }
    return step
  }

  private static func unknown(_ word: String) -> WrongValue {
    let known = firstWords + ["none"]
    let nearest = nearestKey(to: word, among: known)
    return WrongValue(remedy: nearest.map { "did you mean \(quoted($0))?" } ?? "write \(enumeration(known))")
  }

  /// How a command with a number is written.
  private static func wrongNumber(after word: String) -> WrongValue {
    let form =
      switch word {
      case "tempo": "with beats per minute from 1 to 999 with at most three decimals, as tempo 92.5"
      case "recall", "store": "with a preset's place from 1 to \(PresetList.capacity), as \(word) 3"
      default:
        "alone for one beat per minute, or with a number of them up to 998 with at most three decimals, as \(word) 5"
      }
    return WrongValue(remedy: "write \(word) \(form)")
  }

  /// What the commands do, for a comment.
  static let explanation =
    "Commands: play (starts and stops), start, stop, tap, silent (lights only, or sound again), faster, slower (by 1 BPM, or "
    + "by N: faster N), tempo N, tempo_reset (to the tempo above), numerator_next, numerator_previous, denominator_next, "
    + "denominator_previous, preset_next, preset_previous, recall N, store N (the N-th preset), tell_tempo, "
    + "tell_signature (by light and buzzer), none."
}

extension Form<Command?> {
  /// A command in words, or nil for `none`.
  static var command: Form {
    Form(
      "a command, as play, faster 5 or recall 1, or none",
      read: { (scalar, _) throws(WrongValue) in
        scalar.text == "none" ? .some(nil) : try Command(words: scalar.text)
      }, text: { $0?.words ?? "none" })
  }
}
