import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import MetronomeEngine
import Testing

/// Outputs that a file adds to light, pendulum and buzzer.
@Suite struct NamedOutputsTests {
  private static let seven = """
    outputs:
      light: {line: none}
      lamp_2: {line: GPIO12, shows: last, latency_us: 200}
      swing: {line: 13, active: low, shows: left}
      horn: {line: GPIO18, heard: true, pulse_ms: {strong: 8}, levels: [], gaps: false}
      bar: {line: GPIO19, shows: first, pulse_ms: {strong: beat}}
    """

  @Test func addedOutputsAreReadInTheOrderOfTheFile() throws {
    let read = try configuration(Self.seven)
    #expect(read.wiring.names.outputNames == ["light", "pendulum", "buzzer", "lamp_2", "swing", "horn", "bar"])
    let (lamp, swing, horn, bar) = (Output(index: 3), Output(index: 4), Output(index: 5), Output(index: 6))
    #expect(read.wiring.outputs[OutputLine(lamp)] == OutputWiring(line: .name("GPIO12")))
    #expect(read.wiring.outputs[OutputLine(swing)] == OutputWiring(line: .offset(13), active: .low))
    #expect(read.shownBeats[lamp] == .last && read.shownBeats[swing] == .left && read.shownBeats[horn] == .every)
    #expect(read.pattern[lamp] == Projection(.light).pulses && read.pattern[swing] == Projection(.pendulum).pulses)
    #expect(read.pattern[bar].strong == .wholeBeat)
    #expect(read.hits[lamp].levels == PerLevel(repeating: false))
    #expect(read.latencies[lamp] == .microseconds(200))
    #expect(read.heard == [.buzzer, horn, .audio, .secondAudio])
    #expect(read.presentOutputs == [.pendulum, .buzzer, lamp, swing, horn, bar, .audio])
    let options = read.engineOptions(ClickSounds())
    #expect(options.projections[lamp].beats == .last && options.projections[horn].isHeard)
  }

  @Test func addedOutputsAreReadBack() throws {
    let read = try configuration(Self.seven)
    #expect(try configuration(read.yaml) == read)
  }

  @Test func anOutputCanBeAnRGBLight() throws {
    let read = try configuration("outputs: {lamp: {line: [GPIO12, 18, GPIO19], active: low}}\nrgb: {ghost: white}")
    let lamp = Output(index: 3)
    let lines = OutputLine.Part.allCases.map { read.wiring.outputs[OutputLine(lamp, $0)] }
    #expect(
      lines == [
        OutputWiring(line: .name("GPIO12"), active: .low), OutputWiring(line: .offset(18), active: .low),
        OutputWiring(line: .name("GPIO19"), active: .low),
      ])
    let projections = read.engineOptions(ClickSounds()).projections
    #expect(
      projections[lamp].parts.weak == LightColor.green.parts && projections[lamp].parts.ghost == LightColor.white.parts)
    #expect(projections.light.parts == PerLevel(repeating: .main))
    #expect(try configuration(read.yaml) == read)
    #expect(
      try configuration("outputs: {lamp: {line: GPIO12, active: low}}").changes(from: read) == [
        "outputs.lamp", "rgb.ghost",
      ])
    let light = try configuration("outputs: {light: {line: [GPIO17, GPIO12, GPIO18]}}")
    let rgb = try configuration("rgb: {green: GPIO12, blue: GPIO18}")
    #expect(light == rgb)
  }

  @Test func changesNameTheOutputsWhereverTheyStand() throws {
    let read = try configuration(Self.seven)
    let other = try configuration("outputs: {horn: {line: GPIO18, heard: true}, lamp_2: {line: GPIO12}}")
    #expect(
      other.changes(from: read)
        == ["outputs.light", "outputs.horn", "outputs.lamp_2", "outputs.swing", "outputs.bar"])
    let turned = try configuration("outputs: {horn: {line: GPIO18}, lamp_2: {line: GPIO12}}")
    let same = try configuration("outputs: {lamp_2: {line: GPIO12}, horn: {line: GPIO18}}")
    #expect(turned.changes(from: same) == [])
    #expect(Configuration.standard.changes(from: same) == ["outputs.lamp_2", "outputs.horn"])
  }

  @Test func whatAnOutputShowsSetsItsDefaults() throws {
    let read = try configuration("outputs: {light: {shows: left}, pendulum: {shows: every}, buzzer: {shows: first}}")
    #expect(read.pattern.light == Projection(.pendulum).pulses)
    #expect(
      read.pattern.pendulum == Projection(.light).pulses && read.hits.pendulum.levels == Projection(.light).hits.levels)
    #expect(read.pattern.buzzer == Projection(.buzzer).pulses)
    #expect(read.hits.buzzer.levels == PerLevel(repeating: false))
    #expect(try configuration(read.yaml) == read)
  }

  private static let mistakes: [(String, String)] = [
    ("outputs: {lamp: {shows: last}}", "1:11: outputs.lamp has no line; add the key line, such as \"line: GPIO12\""),
    ("outputs: {lihgt: {gaps: true}}", "1:11: unknown key \"lihgt\" in outputs; did you mean \"light\"?"),
    (
      "outputs: {Lamp: {line: 4}}",
      "1:11: outputs.Lamp: this is not a name of an output; "
        + "write at most 31 small letters, digits and \"_\", with a letter first"
    ),
    (
      "outputs: {\"a\\tb\": {line: 4}}",
      "1:11: outputs.aU+0009b: this is not a name of an output; "
        + "write at most 31 small letters, digits and \"_\", with a letter first"
    ),
    (
      "outputs: {tap: {line: 4}}",
      "1:11: outputs.tap: this name has another meaning; write another name, such as \"tap_2\""
    ),
    (
      "outputs: {lamp: {line: 4, shows: second}}",
      "1:34: outputs.lamp.shows: invalid value \"second\"; write every, first, last, left or right"
    ),
    (
      "outputs: {lamp: {line: 4, pulse_ms: {strong: beat}}}",
      "1:46: outputs.lamp.pulse_ms.strong: invalid value \"beat\", because the lamp must switch off before the next beat "
        + "to show it; write a number of milliseconds from 0 to 1000"
    ),
    (
      "outputs: {lamp: {line: GPIO17}}",
      "1:24: GPIO17 is already used by outputs.light by default; "
        + "use another GPIO line, or set outputs.light.line to another line or none"
    ),
    (
      "outputs: {lamp: {line: 4, hears: true}}",
      "1:27: unknown key \"hears\" in outputs.lamp; did you mean \"heard\"?"
    ),
  ]

  @Test(arguments: mistakes) func mistakesSayWhatToDo(yaml: String, message: String) {
    #expect(complaint(yaml) == "m.yaml:" + message)
  }

  @Test func thereIsRoomForSixteen() throws {
    func file(_ count: Int) -> String {
      "chip: box\noutputs:\n" + (1...count).map { "  lamp_\($0): {line: L\($0)}\n" }.joined()
    }
    #expect(try configuration(file(13)).presentOutputs == OutputSet.all.subtracting([.secondAudio]))
    #expect(
      complaint(file(14))
        == "m.yaml:16:3: outputs.lamp_14 is the 17th output; "
        + "remove one: there is room for sixteen, with light, pendulum and buzzer")
  }
}
