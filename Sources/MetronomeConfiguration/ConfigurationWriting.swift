import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

extension Configuration {
  /// The configuration with every key, as a file that reads back as an equal configuration.
  ///
  /// What no file can say is written as the nearest that it can: pulses and latencies in whole microseconds, the volume and
  /// the gain in thousandths.
  public var yaml: String {
    """
    # Every key may be left out, and then is as built in.

    tempo: \(tempo.number)  # quarter notes per minute, 1 to 999, at most three decimals
    signature: \(signature)  # beats in a bar over the note of a beat
    numerator_limit: \(numeratorLimit.rawValue)  # denominator: never more beats than the denominator; none: up to 32
    autoplay: \(autoplay.rawValue)  # play from the moment of switching on: false, true, or last: as when switched off
    restore: \(restores)  # begin with tempo, signature and mode as they were when switched off, not as they are here
    count_in: \(countIn)  # bars counted in before the first, 0 to \(Rules.mostCountedIn)
    auto_stop: \(autoStop?.text ?? "never")  # after how long untouched it stops, 1s to 24h, or never
    debounce_ms: \(lockOut.count / 1_000_000)  # for how long a button's contact may bounce, 1 to 100

    # round: whether a tapped tempo is in whole beats per minute. starts: whether tapping starts playing.
    tap: {round: \(tap.rounds), starts: \(tap.starts)}

    chip: \(chip)  # auto, or a GPIO chip's label, name or path

    # line: a name, an offset, or none. active: high or low.
    # first_ms and regular_ms: how long the output stays on from the first and from the other beats of a bar, at most half
    # a beat; for the pendulum, which swings on every second beat, also "beat".
    # latency_us: how late what is sent to the output is seen or heard, 0 to 500000; it is sent as much before the beat.
    outputs:
    \(Output.lines.map(text(of:)).joined(separator: "\n"))

    # bias: pull-up, pull-down or disabled. A button between its line and ground is active low, with pull-up.
    # short: what the button does when it is pressed. long: what it does when it is held for half a second; or repeat: what
    # it does again and again while it is held.
    # Commands: play (starts and stops), start, stop, tap, silent (lights only, or sound again), faster, slower (by 1 BPM, or
    # by N: faster N), tempo N, tempo_reset (to the tempo above), numerator_next, numerator_previous, denominator_next,
    # denominator_previous, preset_next, preset_previous, recall N, store N (the N-th preset), tell_tempo, tell_signature
    # (by light and buzzer), none.
    buttons:
    \(Button.allCases.map(text(of:)).joined(separator: "\n"))

    # What two buttons do together, whichever comes first: a command as above.
    chords:\(chords)

    # Pedals, keyboards, encoders: for each device a line "- device: NAME", with the name or path of its event device.
    # Below it, keys: {KEY_PAGEDOWN: play}, each with a button, named as evtest shows them; relative: {REL_X: tempo}, each
    # axis with a dial: tempo, numerator, denominator or preset; grab: whether nobody else has what the device sends.
    inputs:\(inputs)

    audio:
      device: \(device)  # auto, none, a card's id or an ALSA PCM name
      rate: \(audio.rate)  # frames a second
      period: \(audio.period)  # frames
      periods: \(audio.periods)  # in the card's buffer
      volume: \(decimal(thousandths: Int((min(1, max(0, volume)) * 1_000).rounded())))  # of the clicks, 0 to 1, on the ear's scale
      latency_us: \(latencies.audio.count / 1_000)  # how late a click is heard, 0 to 500000
      gain_db: \(gain)  # decibels on top, -60 to 20, for sounds that are too soft or too loud
      # first: FILE.wav, regular: FILE.wav, of one's own: 16, 24 or 32 bits or floating point, one channel or two, at most
      # 10 s. Their paths count from this file's folder.
      sounds: \(sounds)

    # spin: whether the program is awake 0.15 ms before each change of a line and watches the clock, which makes it exact to a
    # microsecond; false leaves it to the kernel's timer, which is late by what waking up takes.
    timing: {spin: \(spins)}

    """
  }

  private var chip: String {
    switch wiring.chip {
    case .auto: "auto"
    case .named(let name): written(name)
    }
  }

  private var device: String {
    switch audio.device {
    case .auto: "auto"
    case .none: "none"
    case .named(let name): written(name)
    }
  }

  private var gain: String {
    let thousandths = Int((min(20, max(-60, gainDB)) * 1_000).rounded())
    return (thousandths < 0 ? "-" : "") + decimal(thousandths: abs(thousandths))
  }

  private var sounds: String {
    let entries = Level.configured.compactMap { level in
      clickFiles[level].map { "\(level.word): \(written($0.name))" }
    }
    return "{\(entries.joined(separator: ", "))}"
  }

  private func text(of output: Output) -> String {
    var lines = ["  \(output.rawValue):"]
    if let wiring = wiring.outputs[output] {
      lines += ["    line: \(text(of: wiring.line))", "    active: \(wiring.active.rawValue)"]
    } else {
      lines += ["    line: none"]
    }
    let pulses = pattern[output]
    lines += Level.configured.map { "    \($0.word)_ms: \(text(of: pulses[$0]))" }
    lines += ["    latency_us: \(latencies[output].count / 1_000)"]
    return lines.joined(separator: "\n")
  }

  func text(of line: LineID) -> String {
    switch line {
    case .name(let name): written(name)
    case .offset(let offset): String(offset)
    }
  }

  private func text(of pulse: Pulse) -> String {
    switch pulse {
    case .atMost(let width): decimal(thousandths: Int(width.count / 1_000))
    case .wholeBeat: "beat"
    }
  }
}

/// A name as YAML reads it back: in double quotes unless it is a plain word.
func written(_ name: String) -> String {
  let isPlain = name.utf8.allSatisfy { byte in
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: true
    default: false
    }
  }
  let meansSomethingElse = ["null", "true", "false", "yes", "no", "on", "off"].contains(name.lowercased())
  if isPlain, !meansSomethingElse, let first = name.utf8.first, first > 0x39 { return name }
  return "\"" + name.unicodeScalars.map(escaped).joined() + "\""
}

/// A character within double quotes.
private func escaped(_ scalar: Unicode.Scalar) -> String {
  switch scalar {
  case "\"", "\\": return "\\\(scalar)"
  case " "..."~": return String(scalar)
  case _ where scalar.properties.isAlphabetic: return String(scalar)
  default:
    let digits = String(scalar.value, radix: 16)
    return "\\U" + String(repeating: "0", count: 8 - digits.utf8.count) + digits
  }
}

/// The part of ``Configuration/yaml`` that says what hands do.
extension Configuration {
  func text(of button: Button) -> String {
    var entries: [String] = []
    if let wiring = wiring.buttons[button] {
      entries += [
        "line: \(text(of: wiring.line))", "active: \(wiring.active.rawValue)", "bias: \(wiring.bias.rawValue)",
      ]
    } else {
      entries += ["line: none"]
    }
    entries.append("short: \(gestures[.short(button)]?.words ?? "none")")
    // What is bound by default and not here has to be said; what is bound nowhere would be in the way.
    let holds: [(ButtonKey, Gesture)] = [(.long, .long(button)), (.repetition, .repeated(button))]
    let standard = GestureTable<Command>.standard
    for (key, gesture) in holds where gestures[gesture] != nil || standard[gesture] != nil {
      entries.append("\(key.rawValue): \(gestures[gesture]?.words ?? "none")")
    }
    return "  \(button.rawValue): {\(entries.joined(separator: ", "))}"
  }

  /// The chords that can be pressed, and those of the standard that mean nothing.
  var chords: String {
    let present = presentButtons
    let known = Set(gestures.pairs).union(GestureTable<Command>.standard.pairs)
    let lines = known.sorted { $0.name < $1.name }.compactMap { pair -> String? in
      let words = gestures[.chord(pair)]?.words
      guard words == nil || present.contains(pair.first) && present.contains(pair.second) else { return nil }
      return "  \(pair.name): \(words ?? "none")"
    }
    return lines.isEmpty ? " {}" : lines.map { "\n" + $0 }.joined()
  }

  var inputs: String {
    wiring.inputs.isEmpty ? " []" : wiring.inputs.map { "\n" + text(of: $0) }.joined()
  }

  private func text(of input: InputRequest) -> String {
    let name =
      switch input.device {
      case .named(let name), .path(let name): name
      }
    let keys = input.keys.compactMap { code, button in code.name.map { (code.number, "\($0): \(button.rawValue)") } }
    let axes = input.relative.compactMap { code, dial in code.name.map { (code.number, "\($0): \(dial.rawValue)") } }
    var lines = ["  - device: \(written(name))"]
    if !keys.isEmpty { lines.append("    keys: \(section(keys))") }
    if !axes.isEmpty { lines.append("    relative: \(section(axes))") }
    lines.append("    grab: \(input.isGrabbed)")
    return lines.joined(separator: "\n")
  }

  /// Entries in brackets, in order of their numbers.
  private func section(_ entries: [(number: UInt16, text: String)]) -> String {
    "{" + entries.sorted { $0.number < $1.number }.map(\.text).joined(separator: ", ") + "}"
  }
}

extension GestureTable<Command> {
  /// The buttons that do something together.
  fileprivate var pairs: [ButtonPair] {
    gestures.compactMap { gesture in
      switch gesture {
      case .chord(let pair): pair
      case .short, .long, .repeated: nil
      }
    }
  }
}

extension ButtonPair {
  /// As the file has it: `slower+faster`.
  fileprivate var name: String { "\(first.rawValue)+\(second.rawValue)" }
}
