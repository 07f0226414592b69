import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import MetronomeEngine
import Testing

@Suite struct DefaultsTests {
  @Test(arguments: [
    "# nothing\n", "{}", "---\n", "---\n# nothing\n...\n", "%YAML 1.1\n---\n", "\u{FEFF}# nothing", "tempo: 120",
  ])
  func missingKeysHaveTheirDefaults(yaml: String) throws {
    #expect(try configuration(yaml) == .standard)
  }

  @Test func defaultsMatchThoseOfTheEngine() throws {
    let standard = Configuration.standard
    let sounds = try standard.readSounds()
    #expect(standard.engineOptions(sounds) == EngineOptions())
    #expect(standard.autoplay == .never)
    #expect(standard.restores)
    #expect(standard.lockOut == Debouncer.standardLockOut)
    #expect(standard.rules == Rules())
    #expect(standard.wiring == .standard)
    #expect(standard.audio == AudioRequest())
  }

  @Test(arguments: [
    ("tempo: 92.5", Configuration(\.tempo, Tempo(milliBPM: 92_500)!)),
    ("tempo: '92.500'", Configuration(\.tempo, Tempo(milliBPM: 92_500)!)),
    ("tempo: 1", Configuration(\.tempo, Tempo(bpm: 1)!)),
    ("{\"tempo\": \"999\"}", Configuration(\.tempo, Tempo(bpm: 999)!)),
    ("? tempo\n: 999", Configuration(\.tempo, Tempo(bpm: 999)!)),
    ("signature: 7/8", Configuration(\.signature, Signature(7, over: 8, limit: .denominator)!)),
    ("signature: 5/4", Configuration(\.signature, Signature(5, over: 4, limit: .none)!)),
    ("signature: 3/2", Configuration(\.signature, Signature(3, over: 2, limit: .none)!)),
    ("numerator_limit: none", Configuration()),
    ("numerator_limit: denominator", Configuration(\.numeratorLimit, .denominator)),
    ("autoplay: true", Configuration(\.autoplay, .always)),
    ("autoplay: last", Configuration(\.autoplay, .last)),
    ("restore: false", Configuration(\.restores, false)),
    ("count_in: 4", Configuration(\.countIn, 4)),
    ("auto_stop: never", Configuration()),
    ("auto_stop: 1s", Configuration(\.autoStop, .seconds(1))),
    ("auto_stop: 24h", Configuration(\.autoStop, .seconds(86_400))),
    ("auto_stop: 90", Configuration(\.autoStop, .seconds(90))),
    ("auto_stop: 1.0005s", Configuration(\.autoStop, .microseconds(1_000_500))),
    ("debounce_ms: 1", Configuration(\.lockOut, .milliseconds(1))),
    ("debounce_ms: 100", Configuration(\.lockOut, .milliseconds(100))),
    ("tap: {round: false}", Configuration(\.tapRounds, false)),
    ("tap: {starts: true}", Configuration(\.tapStarts, true)),
    ("audio: {volume: 0}", Configuration(\.volume, 0)),
    ("audio: {volume: 0.125}", Configuration(\.volume, 0.125)),
    ("audio: {gain_db: -60}", Configuration(\.gainDB, -60)),
    ("audio: {gain_db: 20}", Configuration(\.gainDB, 20)),
    ("audio: {gain_db: -0.5}", Configuration(\.gainDB, -0.5)),
    ("audio: {gain_db: -0}", Configuration()),
    ("audio: {sounds: {}}", Configuration()),
    (
      "audio: {sounds: {strong: tick.wav}}",
      Configuration(\.clickFiles, files([.strong: "tick.wav"]))
    ),
    (
      "audio:\n  sounds:\n    weak: /sounds/tock.wav",
      Configuration(\.clickFiles, files([.weak: "/sounds/tock.wav"]))
    ),
    (
      "audio: {sounds: {ghost: ghost, strong: strong, weak: weak, medium: medium}}",
      Configuration(
        \.clickFiles, files([.strong: "strong", .medium: "medium", .weak: "weak", .ghost: "ghost"]))
    ),
    (
      "audio: {sounds: {strong: tick.wav, weak: tick.wav}}",
      Configuration(\.clickFiles, files([.strong: "tick.wav", .weak: "tick.wav"]))
    ),
    ("audio: {set: wood}", Configuration(\.set, .wood)),
    ("audio: {beats: {2: rim, 4: cowbell}}", Configuration(\.beatSounds, [2: .rim, 4: .cowbell])),
    ("audio: {device: none}", Configuration(\.audio, AudioRequest(device: .none))),
    ("audio: {device: auto}", Configuration()),
    ("timing: {spin: false}", Configuration(\.spins, false)),
    ("timing: {spin: true}", Configuration()),
    (
      "audio:\n  device: hw:CARD=Headphones,DEV=0",
      Configuration(\.audio, AudioRequest(device: .named("hw:CARD=Headphones,DEV=0")))
    ),
    (
      "audio: {rate: 192000, period: 8192, periods: 23}",
      Configuration(\.audio, AudioRequest(rate: 192_000, period: 8_192, periods: 23))
    ),
    (
      "audio: {rate: 192000, period: 16, periods: 2}",
      Configuration(\.audio, AudioRequest(rate: 192_000, period: 16, periods: 2))
    ),
  ])
  func keySetsOnlyItsOwnValue(yaml: String, expected: Configuration) throws {
    #expect(try configuration(yaml) == expected)
  }

  @Test func rulesComeFromTheConfiguration() throws {
    let read = try configuration("tempo: 90\ncount_in: 2\nauto_stop: 10m\ntap: {round: false, starts: true}")
    #expect(
      read.rules
        == Rules(
          homeTempo: Tempo(bpm: 90)!, countIn: 2, tapRounds: false, tapStarts: true, autoStop: .seconds(600)))
  }

  @Test func engineOptionsComeFromTheConfiguration() throws {
    let read = try configuration("debounce_ms: 40\nauto_stop: 1m\nbuttons: {tap: {long: stop}}")
    let options = read.engineOptions(ClickSounds())
    #expect(options.lockOut == .milliseconds(40))
    #expect(options.rules == read.rules)
    #expect(options.gestures[.long(.tap)] == .stop)
  }

  @Test func autoplayDecidesWhetherPlayingStarts() {
    #expect(Autoplay.allCases.map { $0.plays(remembered: false) } == [false, true, false])
    #expect(Autoplay.allCases.map { $0.plays(remembered: true) } == [false, true, true])
  }

  @Test func numeratorLimitMayFollowTheSignatureInTheFile() throws {
    let read = try configuration("signature: 7/8\nnumerator_limit: denominator")
    #expect(read.signature == Signature(7, over: 8, limit: .none))
    #expect(read.engineOptions(ClickSounds()).settings.limit == .denominator)
    #expect(throws: ConfigurationError.self) { try configuration("signature: 12/8\nnumerator_limit: denominator") }
  }

  @Test func linesAreNamesOrOffsetsOrNone() throws {
    let read = try configuration(
      """
      chip: pinctrl-bcm2711
      outputs:
        light: {line: 4, active: low}
        pendulum: {line: none, active: low}
        buzzer: {line: "7"}
      buttons:
        play: {line: "say \\"go\\"", active: high, bias: pull-down}
        tap: {line: none}
        slower: {bias: disabled}
        preset_1: {active: high, line: 12}
        preset_next: {active: high}
      """)
    #expect(read.wiring.chip == .named("pinctrl-bcm2711"))
    #expect(read.wiring.outputs[.light] == OutputWiring(line: .offset(4), active: .low))
    #expect(read.wiring.outputs[.pendulum] == nil)
    #expect(read.wiring.outputs[.buzzer] == OutputWiring(line: .name("7")))
    #expect(read.wiring.buttons[.play] == ButtonWiring(line: .name("say \"go\""), active: .high, bias: .pullDown))
    #expect(read.wiring.buttons[.tap] == nil)
    #expect(read.wiring.buttons[.slower] == ButtonWiring(line: .name("GPIO6"), bias: .disabled))
    #expect(read.wiring.buttons[.preset1] == ButtonWiring(line: .offset(12), active: .high))
    #expect(read.wiring.buttons[.presetNext] == nil)
    #expect(read.wiring.buttons[.faster] == Wiring.standard.buttons[.faster])
  }

  @Test func pulsesAreMillisecondsOrAWholeBeat() throws {
    let read = try configuration(
      """
      outputs:
        light: {pulse_ms: {strong: 0.5, medium: 30, weak: 0}, levels: [ghost, weak], voices: [1, 3]}
        pendulum: {pulse_ms: {strong: 30, weak: beat}}
        buzzer: {pulse_ms: {strong: 1000, weak: 12.345}, levels: [], voices: []}
      """)
    #expect(read.pattern.light.strong == .atMost(.microseconds(500)))
    #expect(read.pattern.light.medium == .atMost(.milliseconds(30)))
    #expect(read.pattern.light.weak == .atMost(.zero))
    #expect(read.pattern.light.ghost == Configuration.standard.pattern.light.ghost)
    #expect(read.pattern.pendulum.strong == .atMost(.milliseconds(30)))
    #expect(read.pattern.pendulum.weak == .wholeBeat)
    #expect(read.pattern.buzzer.strong == .atMost(.seconds(1)))
    #expect(read.pattern.buzzer.weak == .atMost(.microseconds(12_345)))
    #expect(Level.sounding.filter { read.hits.light.levels[$0] } == [.weak, .ghost])
    #expect(Level.allCases.allSatisfy { !read.hits.buzzer.levels[$0] })
    #expect(read.hits.light.voices == [VoiceSet(1), VoiceSet(3)])
    #expect(read.hits.pendulum.voices == .all)
    #expect(read.hits.buzzer.voices == [])
  }

  @Test func latenciesAreMicroseconds() throws {
    let read = try configuration(
      """
      outputs:
        light: {latency_us: 1500}
        pendulum: {latency_us: 0}
        buzzer: {latency_us: 500000}
      audio: {latency_us: 1}
      """)
    let latencies = OutputLatencies(
      light: .microseconds(1_500), buzzer: .milliseconds(500), audio: .microseconds(1))
    #expect(read.latencies == latencies)
    #expect(read.engineOptions(ClickSounds()).latencies == latencies)
  }

  @Test func outputsMaySwapTheirLines() throws {
    let read = try configuration("outputs: {light: {line: GPIO27}, pendulum: {line: 17}}")
    #expect(read.wiring.outputs[.light]?.line == .name("GPIO27"))
    #expect(read.wiring.outputs[.pendulum]?.line == .offset(17))
  }

  @Test func lineOfAnAbsentButtonIsFree() throws {
    let read = try configuration("buttons: {tap: {line: none}, play: {line: 24}}")
    #expect(read.wiring.buttons[.play]?.line == .offset(24))
  }
}

@Suite struct AbsentOutputsTests {
  /// Neither an absent line nor an absent card may delay a press.
  @Test func latencyOfAbsentOutputsIsIgnored() throws {
    let yaml = "outputs: {pendulum: {line: none, latency_us: 300000}}\naudio: {device: none, latency_us: 400000}\n"
    let read = try Configuration(yaml: Array(yaml.utf8), file: "box.yaml")
    #expect(read.latencies.pendulum == .milliseconds(300))
    #expect(read.presentOutputs == [.light, .buzzer])
    #expect(read.engineOptions(ClickSounds()).projections.latencies == .none)
  }
}

/// A function, because a closure in the arguments of a test crashes the compiler of Swift 6.0.3.
private func files(_ names: [Level: String]) -> ClickFiles { ClickFiles { names[$0].map { ConfiguredFile($0) } } }
