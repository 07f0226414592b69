import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import Testing

/// Buttons that a file adds to the standard ones.
@Suite struct NamedButtonsTests {
  private static let three = """
    chords: {boost+play: next_accents, pedal_1+boost: stop}
    inputs: [{device: pedal, keys: {KEY_F1: pedal_1, KEY_F2: boost}}, {midi: keys, note: {60: pedal_1}, cc: {64: door}}]
    buttons:
      boost: {line: GPIO12, active: high, bias: pull-down, short: faster 20, long: reset_tempo}
      tap: {line: none}
      pedal_1: {line: none, short: tap}
      door: {line: 13}
    """
  private static let (boost, pedal, door) = (Button(index: 12), Button(index: 13), Button(index: 14))

  @Test func addedButtonsAreReadInTheOrderOfTheFile() throws {
    let read = try configuration(Self.three)
    #expect(read.wiring.names.buttonNames == Button.standardNames + ["boost", "pedal_1", "door"])
    #expect(
      read.wiring.buttons[Self.boost] == ButtonWiring(line: .name("GPIO12"), active: .high, bias: .pullDown))
    #expect(read.wiring.buttons[Self.pedal] == nil)
    #expect(read.wiring.buttons[Self.door] == ButtonWiring(line: .offset(13)))
    let table = read.gestures
    #expect(table[Self.boost].short == .stepTempo(byMilliBPM: 20_000) && table[Self.boost].long == .resetTempo)
    #expect(table[Self.pedal].short == .tap && table[Self.door].short == nil)
    #expect(table[.chord(ButtonPair(.play, Self.boost)!)] == .nextAccents)
    #expect(table[.chord(ButtonPair(Self.boost, Self.pedal)!)] == .stop)
    #expect(read.wiring.inputs[0].keys.values.sorted { $0.index < $1.index } == [Self.boost, Self.pedal])
    #expect(read.wiring.inputs[1].keys == [.note(60): Self.pedal, .controller(64): Self.door])
  }

  @Test func addedButtonsAreReadBack() throws {
    let read = try configuration(Self.three)
    #expect(
      read.yaml.contains("  boost: {line: GPIO12, active: high, bias: pull-down, short: faster 20, long: reset_tempo}"))
    #expect(read.yaml.contains("  play+boost: next_accents\n"))
    #expect(read.yaml.contains("keys: {KEY_F1: pedal_1, KEY_F2: boost}"))
    #expect(try configuration(read.yaml) == read)
  }

  @Test func aFileWithoutAddedButtonsIsAsBefore() throws {
    #expect(try configuration("buttons: {play: {line: GPIO5}}") == .standard)
    #expect(Configuration.standard.wiring.names.buttonNames == Button.standardNames)
  }

  @Test func changesNameTheButtonsWhereverTheyStand() throws {
    let same = "chords: {a+b: stop}\ninputs: [{device: p, keys: {KEY_F1: a}}]\nbuttons: "
    let one = try configuration(same + "{a: {line: GPIO12, short: tap}, b: {line: GPIO13, short: stop}}")
    let turned = try configuration(same + "{b: {line: GPIO13, short: stop}, a: {line: GPIO12, short: tap}}")
    #expect(turned.changes(from: one) == [])
    let other = try configuration(same + "{b: {line: GPIO13, short: start}, a: {line: GPIO12, short: tap}}")
    #expect(other.changes(from: one) == ["buttons.b"])
    #expect(Configuration.standard.changes(from: one) == ["buttons.a", "buttons.b", "inputs"])
    #expect(one.changes(from: .standard) == ["buttons.a", "buttons.b", "chords", "inputs"])
  }

  private static let mistakes: [(String, String)] = [
    (
      "buttons: {boost: {short: tap}}",
      "1:11: buttons.boost has no line; add the key line, such as \"line: GPIO12\", or \"line: none\" for a button of an "
        + "input device"
    ),
    ("buttons: {plya: {short: tap}}", "1:11: unknown key \"plya\" in buttons; did you mean \"play\"?"),
    (
      "buttons: {Boost: {line: 4}}",
      "1:11: buttons.Boost: this is not a name of a button; "
        + "write at most 31 small letters, digits and \"_\", with a letter first"
    ),
    (
      "buttons: {\"a\\tb\": {line: 4}}",
      "1:11: buttons.aU+0009b: this is not a name of a button; "
        + "write at most 31 small letters, digits and \"_\", with a letter first"
    ),
    (
      "buttons: {a2345678901234567890123456789012: {line: 4}}",
      "1:11: buttons.a2345678901234567890123456789012: this is not a name of a button; "
        + "write at most 31 small letters, digits and \"_\", with a letter first"
    ),
    (
      "buttons: {light: {line: 4}}",
      "1:11: buttons.light: this name has another meaning; write another name, such as \"light_2\""
    ),
    (
      "buttons: {audio: {line: 4}}",
      "1:11: buttons.audio: this name has another meaning; write another name, such as \"audio_2\""
    ),
    (
      "outputs: {lamp: {line: 4}}\nbuttons: {lamp: {line: 12}}",
      "1:11: outputs.lamp: this name has another meaning; write another name, such as \"lamp_2\""
    ),
    (
      "buttons: {boost: {line: GPIO5}}",
      "1:25: GPIO5 is already used by buttons.play by default; "
        + "use another GPIO line, or set buttons.play.line to another line or none"
    ),
    (
      "buttons: {boost: {line: 4, shirt: tap}}",
      "1:28: unknown key \"shirt\" in buttons.boost; did you mean \"short\"?"
    ),
    (
      "buttons: {boost: {line: 4, long: stop, repeat: tap}}",
      "1:48: buttons.boost cannot have both long and repeat; remove one of them, or set one of them to none"
    ),
    (
      "chords: {play+bost: stop}\nbuttons: {boost: {line: 4}}",
      "1:10: unknown button \"bost\" in chords; did you mean \"boost\"?"
    ),
    (
      "chords: {play+boost: stop}\nbuttons: {boost: {line: none}}",
      "1:10: this chord cannot be pressed: boost has neither a line nor a key of an input device; "
        + "set buttons.boost.line, or remove the chord"
    ),
    (
      "inputs: [{device: p, keys: {KEY_F1: bost}}]\nbuttons: {boost: {line: 4}}",
      "1:37: inputs.keys.KEY_F1: invalid value \"bost\"; write play, slower, faster, numerator, denominator, tap, "
        + "preset_next, preset_previous, preset_1, preset_2, preset_3, preset_4 or boost"
    ),
    (
      "buttons:\n  chords: {play+tap: stop}",
      "2:3: unknown key \"chords\" in buttons; write it on a line of its own, in the first column"
    ),
  ]

  @Test(arguments: mistakes) func mistakesSayWhatToDo(yaml: String, message: String) {
    #expect(complaint(yaml) == "m.yaml:" + message)
  }

  @Test func thereIsRoomForSixteen() throws {
    func file(_ count: Int) -> String {
      "chip: box\nbuttons:\n" + (1...count).map { "  b_\($0): {line: L\($0)}\n" }.joined()
    }
    #expect(try configuration(file(4)).wiring.names.buttons == Button.all)
    #expect(
      complaint(file(5))
        == "m.yaml:7:3: buttons.b_5 is the 17th button; "
        + "remove one: there is room for sixteen, with the twelve that have default commands")
  }
}
