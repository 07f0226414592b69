import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import Testing

@Suite struct BindingsTests {
  @Test(arguments: [
    ("play", Command.togglePlaying), ("start", .start), ("stop", .stop), ("tap", .tap), ("silent", .toggleSilence),
    ("faster", .stepTempo(byMilliBPM: 1_000)), ("slower", .stepTempo(byMilliBPM: -1_000)),
    ("faster 5", .stepTempo(byMilliBPM: 5_000)), ("slower 0.5", .stepTempo(byMilliBPM: -500)),
    ("faster 998", .stepTempo(byMilliBPM: 998_000)), ("faster 0.001", .stepTempo(byMilliBPM: 1)),
    ("tempo 92.5", .setTempo(Tempo(milliBPM: 92_500)!)), ("reset_tempo", .resetTempo),
    ("next_numerator", .nextNumerator), ("previous_numerator", .previousNumerator),
    ("next_denominator", .nextDenominator), ("previous_denominator", .previousDenominator),
    ("next_preset", .nextPreset), ("previous_preset", .previousPreset), ("recall 1", .recallPreset(1)),
    ("recall 128", .recallPreset(128)), ("store 3", .storePreset(3)), ("tell_tempo", .tellTempo),
    ("tell_signature", .tellSignature), ("next_section", .nextSection), ("previous_section", .previousSection),
    ("restart_section", .restartSection), ("next_song", .nextSong), ("previous_song", .previousSong),
    ("next_gap", .nextGap), ("drop", .toggleDrop), ("ramp", .toggleRamp), ("timer", .toggleTimer),
    ("ramp 80+5/4bar..120!stop", .setRamp(try? TempoSteps(text: "80+5/4bar..120!stop"))),
    ("ramp none", .setRamp(nil)), ("timer 10m", .setTimer(.seconds(600))), ("timer never", .setTimer(nil)),
    ("gap 2/1", .setGap(Trainer.Gap(sounding: 2, silent: 1))), ("gap none", .setGap(nil)),
    ("drop 100", .setDrop(100)), ("drop none", .setDrop(nil)),
    ("signature 7/8", .setSignature(Signature(text: "7/8")!)),
    ("signature 2+2+3/8", .setSignature(Signature(text: "2+2+3/8")!)),
    ("beat 3/8", .setUnit(BeatUnit(text: "3/8")!)), ("volume -1.5", .setVolume(Volume(number: "-1.5")!)),
    ("pair", .pair), ("set wood", .setClickSet(.wood)), ("set click", .setClickSet(.click)),
    ("next_set", .nextClickSet),
    ("rhythm sub=2 swing=60%", .setRhythm(Rhythm(anyMetre: "sub=2 swing=60%")!)), ("rhythm", .setRhythm(Rhythm())),
    ("volume_up", .volumeUp), ("volume_down", .volumeDown),
    ("next_subdivision", .nextSubdivision), ("previous_subdivision", .previousSubdivision),
    ("next_accents", .nextAccents), ("none", nil),
  ])
  func commandIsReadAndPrinted(words: String, command: Command?) throws {
    let read = try configuration("buttons: {tap: {long: \(words)}}")
    #expect(read.gestures[.short(.tap)] == .tap)
    #expect(read.gestures[.long(.tap)] == command)
    let written = command == nil ? "short: tap}" : "short: tap, long: \(words)}"
    #expect(read.yaml.contains("  tap: {line: GPIO24, active: low, bias: pull-up, \(written)"))
    let first = words.prefix { $0 != " " }
    #expect(Configuration.standard.yaml.split(separator: "\n").contains { $0.hasPrefix("# ") && $0.contains(first) })
  }

  @Test(arguments: [
    ("tempo_reset", "reset_tempo"), ("numerator_next", "next_numerator"), ("numerator_previous", "previous_numerator"),
    ("denominator_next", "next_denominator"), ("denominator_previous", "previous_denominator"),
    ("preset_next", "next_preset"), ("preset_previous", "previous_preset"),
  ])
  func oldWordIsReadAndPrintedAsTheNewOne(old: String, new: String) throws {
    #expect(try Command(words: old) == Command(words: new))
    #expect(try Command(words: old).words == new)
    let read = try configuration("buttons: {tap: {long: \(old)}}\nchords: {tap+play: \(old)}")
    #expect(try read == configuration("buttons: {tap: {long: \(new)}}\nchords: {tap+play: \(new)}"))
    #expect(read.yaml.contains("short: tap, long: \(new)}"))
    #expect(read.yaml.contains("  play+tap: \(new)\n"))
    #expect(complaint("buttons: {tap: {long: \(old) 1}}")?.hasSuffix("; write only \(new)") == true)
    #expect(complaint("buttons: {tap: {long: \(old)s}}")?.contains(old + "\"?") == false)
  }

  @Test(arguments: [("next song", "next_song"), ("restart section", "restart_section")])
  func aCommandOfTwoWordsIsAnsweredWithItsName(text: String, name: String) {
    let answer = complaint("buttons: {tap: {short: \(text)}}")
    #expect(answer?.contains(name) == true, "\(answer ?? "accepted")")
  }

  @Test func unboundGesturesKeepTheirDefaults() throws {
    let read = try configuration(
      """
      buttons:
        play: {short: start, long: none, repeat: stop}
        slower: {repeat: none, long: tempo  60}
        tap: {short: none}
      chords:
        faster+slower: none
        tap+play: tell_tempo
      """)
    var expected = GestureTable.standard
    expected.bind(.short(.play), to: .start)
    expected.bind(.long(.play), to: nil)
    expected.bind(.repeated(.play), to: .stop)
    expected.bind(.repeated(.slower), to: nil)
    expected.bind(.long(.slower), to: .setTempo(Tempo(bpm: 60)!))
    expected.bind(.short(.tap), to: nil)
    expected.bind(.chord(ButtonPair(.slower, .faster)!), to: nil)
    expected.bind(.chord(ButtonPair(.play, .tap)!), to: .tellTempo)
    #expect(read.gestures == expected)
    #expect(try configuration(read.yaml) == read)
  }

  @Test func chordsCanBeOnesThatMustBeHeld() throws {
    let read = try configuration(
      "chords: {slower+faster: hold tempo 60, play+tap: pair, slower+tap: hold pair, faster+tap: stop}")
    let pairs = [(Button.slower, Button.faster), (.play, .tap), (.slower, .tap), (.faster, .tap)]
    #expect(pairs.map { read.gestures.mustBeHeld(.chord(ButtonPair($0, $1)!)) } == [true, true, true, false])
    #expect(read.gestures[.chord(ButtonPair(.slower, .faster)!)] == .setTempo(Tempo(bpm: 60)!))
    #expect(read.yaml.contains("  slower+faster: hold tempo 60\n  slower+tap: pair\n"))
    #expect(try configuration(read.yaml) == read)
    #expect(try configuration("chords: {slower+faster: hold reset_tempo}").changes(from: .standard) == ["chords"])
    #expect(
      complaint("chords: {slower+faster: hold stopp}")
        == "m.yaml:1:25: chords.slower+faster: invalid value \"hold stopp\"; did you mean \"stop\"?")
  }

  @Test func standardBindingsArePrinted() {
    let yaml = Configuration.standard.yaml
    #expect(yaml.contains("  play: {line: GPIO5, active: low, bias: pull-up, short: play, long: silent}\n"))
    #expect(yaml.contains("  numerator: {line: GPIO26, active: low, bias: pull-up, short: next_numerator, repeat: pre"))
    #expect(yaml.contains("  preset_1: {line: none, short: recall 1, long: store 1}\n"))
    #expect(
      yaml.contains(
        "\nchords:\n  denominator+tap: previous_subdivision\n  faster+denominator: volume_up\n"
          + "  numerator+denominator: next_subdivision\n  numerator+tap: next_accents\n  play+denominator: pair\n"
          + "  play+faster: tell_tempo\n  play+numerator: tell_signature\n  slower+denominator: volume_down\n"
          + "  slower+faster: reset_tempo\n"))
    #expect(yaml.contains("\ninputs: []\n"))
  }

  @Test func chordWithoutItsButtonsIsNotPrinted() throws {
    let read = try configuration("buttons: {faster: {line: none}}\nchords: {slower+faster: none}")
    #expect(
      read.yaml.contains(
        "  numerator+tap: next_accents\n  play+denominator: pair\n  play+numerator: tell_signature\n"
          + "  slower+denominator: volume_down\n  slower+faster: none\n"))
    #expect(try configuration(read.yaml) == read)
  }

  @Test func deviceKeyMakesAButtonPresent() throws {
    let read = try configuration(
      """
      buttons: {play: {line: none}}
      chords: {play+preset_4: stop}
      inputs:
      - device: PageFlip Firefly
        keys: {KEY_PAGEDOWN: play, BTN_A: preset_4}
      - {device: "/dev/input/by-path/platform-rotary@17-event", relative: {REL_X: tempo, REL_WHEEL: preset}, grab: true}
      """)
    let pedal = InputRequest(
      .named("PageFlip Firefly"), keys: [KeyCode(name: "KEY_PAGEDOWN")!: .play, KeyCode(name: "BTN_SOUTH")!: .preset4])
    let dial = InputRequest(
      .path("/dev/input/by-path/platform-rotary@17-event"),
      relative: [AxisCode(name: "REL_X")!: .tempo, AxisCode(name: "REL_WHEEL")!: .preset], isGrabbed: true)
    #expect(read.wiring.inputs == [pedal, dial])
    #expect(read.gestures[.chord(ButtonPair(.preset4, .play)!)] == .stop)
    #expect(try configuration(read.yaml) == read)
  }

  @Test func emptyListsAreAccepted() throws {
    #expect(try configuration("inputs: []\nchords: {}") == .standard)
  }
}
