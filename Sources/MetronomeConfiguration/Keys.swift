import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

extension Key {
  /// Every key of the file, in its order.
  static var all: [Key] {
    [
      Key("tempo", \.tempo, .tempo, "the tempo in quarter notes"),
      Key("signature", \.signature, .signature, "the time signature"),
      Key(
        "numerator_limit", \.numeratorLimit, .word, isReadFirst: true,
        "how many beats a bar may have: never more than the denominator, or up to 32"),
      Key(
        "autoplay", \.autoplay, .word, "whether it plays from the moment of switching on; last: as when switched off"),
      Key(
        "restore", \.restores, .truth,
        "whether tempo, signature and mode begin as they were when switched off, and not as they are here"),
      Key(
        "count_in", \.countIn, .count(of: "bars", 0...Rules.mostCountedIn),
        "how much is counted in before the first bar"),
      Key("auto_stop", \.autoStop, .autoStop, "after how long untouched it stops"),
      Key("debounce_ms", \.lockOut, .milliseconds(1...100), "for how long a button's contact may bounce"),
      Key(
        "tap", .line,
        [
          Key("round", \.tap.rounds, .truth, "whether a tapped tempo is in whole beats per minute"),
          Key("starts", \.tap.starts, .truth, "whether tapping starts playing"),
        ]),
      Key("chip", \.wiring.chip, .chip, "the GPIO chip that the lines are on"),
      Key("outputs", .alike, Output.lines.map { Key($0.rawValue, .block, keys(of: $0)) }),
      Key("buttons", .alike, Button.allCases.map { Key($0.rawValue, .line, keys(of: $0)) }, Command.explanation),
      .chords,
      .inputs,
      Key("audio", .block, audio, check: checkBuffer),
      Key(
        "timing", .line,
        [
          Key(
            "spin", \.spins, .truth,
            "whether the program is awake 0.15 ms before each change of a line and watches the clock, which makes it exact "
              + "to a microsecond; false leaves it to the kernel's timer, which is late by what waking up takes")
        ]),
    ]
  }

  private static func keys(of output: Output) -> [Key] {
    [
      Key("line", \.wiring[lineOf: output], .line, isReadFirst: true, "where the output is connected"),
      Key("active", \.wiring[activeOf: output], Form<Polarity>.word.ifThere, "the level at which it is on"),
      Key(
        "first_ms", \.pattern[output][configured: .strong], .pulse(of: output),
        "how long it stays on from the first beat of a bar, at most half a beat; the pendulum also for a whole beat"),
      Key("regular_ms", \.pattern[output][configured: .weak], .pulse(of: output), "the same, from the other beats"),
      Key(
        "latency_us", \.latencies[output], .latency,
        "how late what is sent to the output is seen or heard; it is sent as much before the beat"),
    ]
  }

  private static func keys(of button: Button) -> [Key] {
    [
      Key("line", \.wiring[lineOf: button], .line, isReadFirst: true, "where the button is connected"),
      Key(
        "active", \.wiring[activeOf: button], Form<Polarity>.word.ifThere,
        "the level while it is pressed; low for a button between its line and ground"),
      Key("bias", \.wiring[biasOf: button], Form<Bias>.word.ifThere, "what holds the line while it is not pressed"),
      Key("short", .short(button), isAlwaysWritten: true, "what the button does when it is pressed"),
      Key("long", .long(button), isAlwaysWritten: false, "what it does when it is held for half a second"),
      Key("repeat", .repeated(button), isAlwaysWritten: false, "or what it does again and again while it is held"),
    ]
  }

  private static var audio: [Key] {
    [
      Key("device", \.audio.device, .device, "the sound card"),
      Key("rate", \.audio.rate, .count(of: "frames a second", 8_000...192_000), "the sampling rate"),
      Key("period", \.audio.period, .count(of: "frames", 16...8_192), "how much is written to the card at once"),
      Key(
        "periods", \.audio.periods, .count(of: "a number of periods", 2...32),
        "how many of them the card's buffer holds"),
      Key("volume", \.volume, .decimal("a number", 0...1), "how loud the clicks are, on the ear's scale"),
      Key("latency_us", \.latencies.audio, .latency, "how late a click is heard; it is played as much before the beat"),
      Key(
        "gain_db", \.gainDB, .decimal("decibels", -60...20),
        "on top of the volume, for sounds that are too soft or too loud"),
      Key(
        "sounds", .line,
        [
          Key("first", \.clickFiles[configured: .strong], .file, "the click of the first beat of a bar"),
          Key("regular", \.clickFiles[configured: .weak], .file, "the click of the other beats"),
        ],
        "WAV files of one's own: 16, 24 or 32 bits or floating point, one channel or two, at most 10 s. Their paths count "
          + "from this file's folder."),
    ]
  }

  private static func checkBuffer(_ field: Field, _ configuration: Configuration) throws(Problem) {
    let audio = configuration.audio
    guard audio.period * audio.periods > audio.rate else { return }
    throw Problem(
      "a buffer of \(audio.period * audio.periods) frames lasts longer than a second at \(audio.rate) Hz",
      remedy: "keep period × periods lower: a press waits as long for its beat", at: field.position)
  }
}

extension Wiring {
  fileprivate subscript(lineOf output: Output) -> LineID? {
    get { outputs[output]?.line }
    set {
      let active = outputs[output]?.active
      outputs[output] = newValue.map { OutputWiring(line: $0, active: active ?? .high) }
    }
  }

  fileprivate subscript(activeOf output: Output) -> Polarity? {
    get { outputs[output]?.active }
    set { if let newValue { outputs[output]?.active = newValue } }
  }

  fileprivate subscript(lineOf button: Button) -> LineID? {
    get { buttons[button]?.line }
    set {
      let old = buttons[button]
      buttons[button] = newValue.map {
        ButtonWiring(line: $0, active: old?.active ?? .low, bias: old?.bias ?? .pullUp)
      }
    }
  }

  fileprivate subscript(activeOf button: Button) -> Polarity? {
    get { buttons[button]?.active }
    set { if let newValue { buttons[button]?.active = newValue } }
  }

  fileprivate subscript(biasOf button: Button) -> Bias? {
    get { buttons[button]?.bias }
    set { if let newValue { buttons[button]?.bias = newValue } }
  }
}
