import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// Every key of the file, in the order of the file.
///
/// The value of a ``Setting`` is a property of ``Configuration`` with the same name. A `Key` names the property that stores its
/// value. The keys of a section follow the section, and their paths begin with its name.
public struct Keys: Sendable {
  public let tempo = Setting(
    "tempo", Tempo.initial, .tempo, "the tempo in notes per minute; the key beat sets the note value")
  /// A signature that ``numeratorLimit`` allows.
  public let signature = Setting(
    "signature", Signature.initial, .signature, "the time signature, with groups of notes or without")
  public let beat = Setting(
    "beat", BeatUnit.quarter, .beatUnit,
    "the note value that the tempo counts; with a dotted note that fills the bar, a beat is such a note")
  /// Its pattern fills whole bars of ``signature``.
  public let rhythm = Setting(
    "rhythm", Rhythm(), .rhythm, turn: .last,
    "the pattern of levels, its subdivision and swing, and other voices; without a pattern the first note of a bar is "
      + "strong, the first note of a group medium, and the others are weak")
  let score = Key(
    "score", \.scoreFile, .score,
    "the score that a start plays instead of tempo, signature and rhythm: the name of a stored score, or a path; a "
      + "relative path is relative to the folder of this file")
  public let numeratorLimit = Setting(
    "numerator_limit", NumeratorLimit.none, .word, turn: .first,
    "the maximum number of beats per bar: the signature's denominator (denominator), or 32 (none)")
  public let autoplay = Setting(
    "autoplay", Autoplay.never, .word,
    "whether playback starts at power-up; last: only if the metronome was playing at power-off")
  public let restores = Setting(
    "restore", true, .truth,
    "whether the saved tempo, signature, rhythm, volume and silent mode are restored; if false, this file's tempo, "
      + "signature, beat and rhythm apply, at full volume")
  public let countIn = Setting(
    "count_in", 0, .count(of: "bars", 0...Rules.maxCountedIn), "number of count-in bars before the first bar")
  public let autoStop = Setting(
    "auto_stop", Nanoseconds?.none, .autoStop, "playback stops after this time without input")
  public let lockOut = Setting(
    "debounce_ms", Debouncer.standardLockOut, .milliseconds(1...100), "how long a button's contact may bounce")

  let tap = Key("tap", .line)
  public let tapRounds = Setting(
    "tap.round", true, .truth, "whether a tapped tempo is rounded to whole beats per minute")
  public let tapStarts = Setting("tap.starts", false, .truth, "whether tapping starts playback")

  let trainer = Key("trainer", .line)
  public let ramp = Setting(
    "trainer.ramp", TempoSteps?.none, .steps,
    "the change of tempo that the command ramp plays, as in a score: from 80 in steps of 5 every 4 bars to 120; its end is "
      + "stay, stop, again or reverse")
  public let gap = Setting(
    "trainer.gap", Trainer.Gap?.none, .gap,
    "how many bars sound, and how many are then silent, from each start on; the command next_gap changes it")
  public let drop = Setting(
    "trainer.drop", 20, .drop,
    "the share of the beats that the command drop drops at random")
  public let seed = Setting(
    "trainer.seed", 1, .count(of: "choices", 0...1_000_000), "the choice of the dropped beats; each seed drops others")
  public let timer = Setting(
    "trainer.timer", Nanoseconds?.none, .autoStop,
    "how long playback lasts while the timer is on, which the command timer turns on and off")

  let chip = Key("chip", \.wiring.chip, .chip, "the GPIO chip that has the lines")
  let outputs = Key.outputs
  let rgb = Key.rgb
  let green = Key.colorLine(.green)
  let blue = Key.colorLine(.blue)
  public let strongColor = Setting("rgb.strong", LightColor.red, .word, "the color at strong beats and hits")
  public let mediumColor = Setting("rgb.medium", LightColor.yellow, .word, "the color at medium beats and hits")
  public let weakColor = Setting("rgb.weak", LightColor.green, .word, "the color at weak beats and hits")
  public let ghostColor = Setting("rgb.ghost", LightColor.blue, .word, "the color at ghost beats and hits")
  let display = Key.display
  let displayClock = Key("display.clock", \.wiring.display.clock, .line, "the GPIO line of the display's clock (CLK)")
  let displayData = Key("display.data", \.wiring.display.data, .line, "the GPIO line of the display's data (DIO)")
  let displayBus = Key(
    "display.i2c", \.wiring.display.bus, .bus, "the device of the I²C bus that the screen is connected to")
  let displayChip = Key(
    "display.chip", \.wiring.display.chip, .word,
    "the chip of the screen; sh1106, which is usual at 1.3 inches, if the picture is shifted by two columns")
  let displayAddress = Key("display.address", \.wiring.display.address, .word, "the I²C address of the screen")
  let displaySize = Key("display.size", \.wiring.display.size, .word, "the pixels of the screen")
  let displayView = Key(
    "display.view", \.wiring.display.view, .word,
    "what the screen shows: the song with its bar and section, or only the bar, as large as possible")
  let displayBrightness = Key(
    "display.brightness", \.wiring.display.brightness, .number("a brightness", DisplayWiring.brightnesses),
    "how bright the display is; 0 is nearly nothing")
  let buttons = Key.buttons
  let chords = Key.chords
  let inputs = Key.inputs

  let midi = Key(path: "midi", meaning: "", layout: .block)
  let midiOut = Key.midiOutputs
  public let clockWhenStopped = Setting(
    "midi.clock_when_stopped", true, .truth,
    "whether MIDI clock goes on while playback is stopped, so that followers show the tempo")
  let midiIn = Key(
    "midi.in", \.wiring.midiClock, .midiClock,
    "the MIDI port whose clock the beats follow, named as in midi.out; tempo keys and taps are then refused")
  public let clockLatency = Setting(
    "midi.in_latency_us", Nanoseconds.zero, .midiLatency, "how late the MIDI clock arrives at midi.in")
  public let transport = Setting(
    "midi.transport", MIDITransport.local, .word,
    "whether start, continue and stop of the MIDI clock also start and stop playback (follow) or only buttons do (local)"
  )

  let audio = Key(path: "audio", meaning: "", layout: .block, check: Configuration.checkAudio)
  let device = Key("audio.device", \.audio.device, .device, "the sound card")
  let rate = Key("audio.rate", \.audio.rate, .count(of: "frames per second", 8_000...192_000), "the sample rate")
  let period = Key(
    "audio.period", \.audio.period, .count(of: "frames", 16...8_192), "how many frames are written to the card at once")
  let periods = Key(
    "audio.periods", \.audio.periods, .count(of: "periods", 2...32),
    "how many periods the card's buffer holds")
  public let volume = Setting(
    "audio.volume", 0.8, .decimal("a number", 0...1),
    "the volume of the clicks, on a cubic (perceptual) scale; volume_down and volume_up lower it and raise it again")
  let audioLatency = Key(
    "audio.latency_us", \.latencies.audio, .latency,
    "the latency from the card to the ear; clicks are played this long before the beat")
  public let gainDB = Setting(
    "audio.gain_db", 0.0, .decimal("a number of decibels", -60...20),
    "a gain in addition to the volume, for sounds that are too soft or too loud")
  let routes = Key.routes
  let second = Key(
    "audio.second", .line,
    [
      Key("device", \.secondAudio.device, .device("none, a card id or an ALSA PCM name"), "the card"),
      Key("rate", \.secondAudio.rate, .count(of: "frames per second", 8_000...192_000), "as audio.rate"),
      Key("period", \.secondAudio.period, .count(of: "frames", 16...8_192), "as audio.period"),
      Key("periods", \.secondAudio.periods, .count(of: "periods", 2...32), "as audio.periods"),
      Key("latency_us", \.latencies.secondAudio, .latency, "as audio.latency_us"),
      Key("gain_db", \.secondCard.gainDB, .decimal("a number of decibels", -60...20), "as audio.gain_db"),
      Key.routes("routes", \.secondCard.routes, of: \.secondAudio, "as audio.routes"),
    ],
    "A second sound card that plays the same sounds, with a clock of its own: it may be unplugged while the first one plays. Both "
      + "cards then need a name in their key device.")
  public let set = Setting(
    "audio.set", Voice.Sound.click, .set, "the set of clicks; set and next_set choose another one")
  let beatSounds = Key.beatSounds
  let sounds = Key(
    "audio.sounds", .line,
    [
      Key("strong", \.clickFiles.strong, .sound, "the click of the first beat of a bar"),
      Key(
        "medium", \.clickFiles.medium, .sound,
        "the click of the first beat of a group within the bar; without a file it sounds like weak if strong and weak "
          + "both have a file, else it is that of the set"),
      Key("weak", \.clickFiles.weak, .sound, "the click of the other beats"),
      Key(
        "ghost", \.clickFiles.ghost, .sound,
        "the click of a barely noticeable note; without a file it is weak with 10 dB less"),
    ],
    "Custom WAV files, or built-in sounds such as rim. WAV files: 16, 24 or 32 bits or floating point, one or two channels, at most 10 s. Relative paths are "
      + "relative to the folder of this file.")
  public let say = Setting(
    "audio.say", Speech.none, .word,
    "whether the beats speak their numbers in the bar instead of clicking, with the words of numbers; subdivisions "
      + "also speaks the slots within beats: 1 e and a, 1 trip let, or 1 and")
  public let sayWhen = Setting(
    "audio.say_when", SpokenBars.always, .word, "whether all bars are spoken, or only those of the count-in")
  let numbers = Key.numbers

  let timing = Key("timing", .line)
  public let spins = Setting(
    "timing.spin", true, .truth,
    "whether the beat thread wakes up 0.15 ms before each change of a line and busy-waits, which makes the change "
      + "exact to a microsecond; if false, the change is late by the wake-up latency of the kernel's timer")
}

extension NamedPart {
  /// The sections of a configuration, one for each name.
  func keys(in configuration: Configuration) -> [Key] {
    let names = configuration.wiring.names
    return switch self {
    case .output: names.outputs.map { Key(names[$0], .block, Key.keys(of: $0)) }
    case .button: names.buttons.map { Key(names[$0], .line, Key.keys(of: $0)) }
    }
  }
}

extension Key {
  /// The standard outputs, and those that a file adds.
  fileprivate static var outputs: Key {
    var key = Key(
      "outputs", .alike, NamedPart.output.keys(in: .standard),
      "A section with another name adds an output: small letters, digits and \"_\". There is room for sixteen.")
    key.part = .output
    return key
  }

  /// The standard buttons, and those that a file adds. Read first, because other keys name them.
  fileprivate static var buttons: Key {
    var key = Key(
      "buttons", .alike, NamedPart.button.keys(in: .standard),
      "A section with another name adds a button, which chords, inputs and scripts can use: small letters, digits and "
        + "\"_\". There is room for sixteen. " + Command.explanation)
    (key.part, key.turn) = (.button, .first)
    return key
  }

  fileprivate static func keys(of output: Output) -> [Key] {
    [
      lines(of: output),
      Key(
        "active", get: { $0.wiring.outputs[OutputLine(output)]?.active },
        set: { configuration, active in
          guard let active else { return }
          for part in OutputLine.Part.allCases {
            configuration.wiring.outputs[OutputLine(output, part)]?.active = active
          }
        },
        Form<Polarity>.word.ifThere,
        "the level at which the output is on"),
      Key(
        "shows", get: { $0.shownBeats[output] }, set: { $0.show($1, on: output) }, .word, turn: .first,
        "the beats that the output shows: every one, the first or the last of each bar, or those at which a pendulum is on "
          + "the left or on the right; pulse_ms and levels have defaults that fit"),
      Key(
        "heard", get: { $0.heard.contains(output) },
        set: { if $1 { $0.heard.insert(output) } else { $0.heard.remove(output) } }, .truth,
        "whether the output is heard, so that silent mode mutes it"),
      pulses(of: output),
      levels(of: output),
      voices(of: output),
      Key(
        "latency_us", \.latencies[output], .latency,
        "the delay from switching the output until its light or sound begins; the output is switched this long before "
          + "the beat"),
      Key(
        "gaps", \.hits[output].gaps, .truth,
        "whether the output goes on in gaps and at dropped beats, at which the clicks are silent"),
    ]
  }

  private static func pulses(of output: Output) -> Key {
    let keys = Level.sounding.map { level in
      Key(level.rawValue, \.pattern[output][level], .pulse(of: output), "\(level.rawValue) beats and hits")
    }
    var key = Key(
      "pulse_ms", .line, keys,
      "how long the output is on at beats and hits of each level, limited to half the time to its next pulse; an output "
        + "that does not show every beat also accepts the word \"beat\": on for the whole beat")
    key.form = "strong, medium, weak and ghost, each from 0 to 1000 with at most three decimals"
    return key
  }

  private static func levels(of output: Output) -> Key {
    list(
      "levels", "a list of \(enumeration(Level.sounding.map(\.rawValue), last: "and")), such as [strong, medium]",
      of: Level.sounding, .soundingLevel,
      get: { $0.hits[output].levels[$1] }, set: { $0.hits[output].levels[$1] = $2 },
      "the levels of the hits within beats that the output shows, unless they are too close together; the "
        + "beats themselves are shown at every level")
  }

  private static func voices(of output: Output) -> Key {
    let last = Rhythm.maxVoices - 1
    return list(
      "voices", "a list of numbers from 0 to \(last), such as [0, 2]", of: Array(0...last),
      .number("a voice", 0...last),
      get: { $0.hits[output].voices.contains(VoiceSet($1)) },
      set: { configuration, voice, isIncluded in
        if isIncluded {
          configuration.hits[output].voices.insert(VoiceSet(voice))
        } else {
          configuration.hits[output].voices.remove(VoiceSet(voice))
        }
      },
      "the voices of the rhythm whose hits within beats the output shows; 0 is the main voice, whose beats it always "
        + "shows")
  }

  /// A key whose value lists some of `all` the items.
  private static func list<Item: Sendable>(
    _ path: String, _ form: String, of all: [Item], _ item: Form<Item>,
    get: @escaping @Sendable (Configuration, Item) -> Bool,
    set: @escaping @Sendable (inout Configuration, Item, Bool) -> Void, _ meaning: String
  ) -> Key {
    var key = Key(path: path, meaning: meaning, form: form)
    key.access = Access(
      read: { (field, reader) throws(Problem) in
        for one in all { set(&reader.configuration, one, false) }
        for listed in try field.list(form) { set(&reader.configuration, try listed.read(item), true) }
      },
      text: { configuration in
        let listed = all.filter { get(configuration, $0) }.compactMap { item.text($0) }
        return "[" + listed.joined(separator: ", ") + "]"
      }, isSame: { a, b in all.allSatisfy { get(a, $0) == get(b, $0) } })
    return key
  }

  fileprivate static func keys(of button: Button) -> [Key] {
    [
      Key(
        "line", get: { $0.wiring.buttons[button]?.line },
        set: { $0.wiring.buttons[button] = $1.map { ButtonWiring(line: $0) } }, .line, turn: .first,
        "the GPIO line that the button is connected to"),
      Key(
        "active", get: { $0.wiring.buttons[button]?.active },
        set: { if let active = $1 { $0.wiring.buttons[button]?.active = active } }, Form<Polarity>.word.ifThere,
        "the level of the line while the button is pressed; low for a button between its line and ground"),
      Key(
        "bias", get: { $0.wiring.buttons[button]?.bias },
        set: { if let bias = $1 { $0.wiring.buttons[button]?.bias = bias } }, Form<Bias>.word.ifThere,
        "the bias resistor that sets the line's level while the button is not pressed"),
      Key("short", .short(button), isAlwaysWritten: true, "the command for a press of the button"),
      Key("long", .long(button), isAlwaysWritten: false, "the command when the button has been held for half a second"),
      Key(
        "repeat", .repeated(button), isAlwaysWritten: false,
        "the command that repeats while the button is held; cannot be combined with long"),
    ]
  }
}

extension Configuration {
  @Sendable fileprivate static func checkAudio(_ field: Field, _ configuration: Configuration) throws(Problem) {
    try checkNumbers(field, configuration)
    try checkBuffer(configuration.audio, at: field.position)
    guard let second = try field.entries("its keys").first(where: { $0.key == "second" }) else { return }
    try checkBuffer(configuration.secondAudio, at: second.position)
    let (first, other) = (configuration.audio.device, configuration.secondAudio.device)
    guard other != .none else { return }
    if first == .none {
      throw Problem(
        "audio.second has a card, but audio.device is none", remedy: "write this card as audio.device",
        at: second.position)
    }
    if first == .auto || other == .auto {
      throw Problem(
        "with two cards neither audio.device nor audio.second.device can be auto",
        remedy: "write the ids of both cards, which \"metronome check\" lists", at: second.position)
    }
    if first.card == other.card {
      throw Problem(
        "audio.device and audio.second.device are the same card",
        remedy: "write another card, or leave audio.second out",
        at: second.position)
    }
  }

  private static func checkBuffer(_ audio: AudioRequest, at position: Position) throws(Problem) {
    guard audio.period * audio.periods > audio.rate else { return }
    throw Problem(
      "a buffer of \(audio.period * audio.periods) frames is longer than one second at \(audio.rate) Hz",
      remedy: "reduce period or periods: a long buffer delays the beat's response to a press of a button",
      at: position)
  }
}

extension AudioRequest.Device {
  /// The card's id or number, and the number of the device on it: `Device`, `hw:Device,0` and `plughw:CARD=Device,DEV=0` are the same.
  /// nil without a name.
  fileprivate var card: [String]? {
    guard case .named(let name) = self else { return nil }
    let parts = (name.split(separator: ":", maxSplits: 1).last ?? "").split(separator: ",").map { part in
      String(part.split(separator: "=", maxSplits: 1).last ?? "")
    }
    return parts.count == 1 ? parts + ["0"] : parts
  }
}
