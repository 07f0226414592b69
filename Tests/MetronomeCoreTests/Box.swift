import MetronomeCore

/// A metronome for tests, with all times in milliseconds.
struct Box {
  var metronome: Metronome
  /// The delay from a press to the first uncommitted instant.
  var lead: Int64 = 24

  init(
    _ bpm: Int = 120, _ signature: Signature = .initial, limit: NumeratorLimit = .none, rules: Rules = Rules(),
    presets: PresetList = PresetList(), recalled: Int? = nil, lead: Int64 = 24
  ) {
    let settings = Settings(Music(tempo: Tempo(bpm: bpm)!, signature: signature), limit: limit)
    metronome = Metronome(settings, rules: rules, presets: presets, recalled: recalled)
    self.lead = lead
  }

  @discardableResult
  mutating func press(_ command: Command, at millisecond: Int64, button: Button = .play) -> Reply? {
    let now = Instant.zero + .milliseconds(millisecond)
    return metronome.apply(
      command, pressed: now, provisional: Box.press(at: millisecond, button), effective: now + .milliseconds(lead),
      now: now)
  }

  /// Undoes a press because another gesture follows.
  mutating func undo(_ press: Int64, _ button: Button = .play, for next: Command, at millisecond: Int64) {
    let now = Instant.zero + .milliseconds(millisecond)
    metronome.undo(
      Box.press(at: press, button), for: next, effective: now + .milliseconds(lead), now: now)
  }

  static func press(at millisecond: Int64, _ button: Button = .play) -> Press {
    Press(button, at: .zero + .milliseconds(millisecond), number: UInt64(millisecond))
  }

  /// The state as text, such as "playing 120 BPM 4/4".
  var state: String {
    let state = metronome.state
    return
      "\(state.isPlaying ? "playing" : "stopped") \(state.tempo) \(state.signature)\(state.isSilent ? " silent" : "")"
  }

  /// The beats with these numbers, each as `time:bar.position`: milliseconds rounded down, bar and position counted from 0. A
  /// beat that does not exist is `-`.
  func beats(_ numbers: ClosedRange<Int64>) -> String {
    numbers.map { number in
      guard let beat = metronome.timeline.beat(number) else { return "-" }
      return "\(beat.instant.nanoseconds / 1_000_000):\(beat.bar).\(beat.position)"
    }.joined(separator: " ")
  }
}

extension Signature {
  init(_ numerator: Int, _ denominator: Int) { self.init(numerator, over: denominator, limit: .none)! }
}

extension PresetList {
  /// A list of presets, each given as name, BPM and signature.
  init(_ presets: (String, Int, Signature)...) {
    self.init()
    for (name, bpm, signature) in presets {
      do throws(PresetError) {
        try save(Preset(PresetName(name)!, Music(tempo: Tempo(bpm: bpm)!, signature: signature)))
      } catch {
        preconditionFailure("too many presets for the list: \(error)")
      }
    }
  }

  /// One line per preset: name, tempo, signature.
  var lines: [String] { presets.map { "\($0.name) \($0.tempo.number) \($0.signature)" } }
}
