import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeSimulation
import Testing

/// Buttons that a configuration adds, in scripts and traces.
@Suite struct NamedButtonTests {
  private static let configuration = """
    audio: {device: none}
    buttons:
      boost: {line: GPIO12, short: faster 20, long: tempo 60}
      go: {line: none, short: play}
    chords: {boost+tap: tempo 200}
    inputs: [{device: pedal, keys: {KEY_F1: go, KEY_F2: boost}}]
    """

  @Test func addedButtonsAndTheirChordsAct() throws {
    let script = """
      1s press go@1
      2s press boost
      3s press boost@1
      4s press boost 600ms
      6s down boost
      6.1s down tap
      6.2s up tap
      6.3s up boost
      """
    let run = try Run(script, for: .seconds(8), configuration: Self.configuration)
    #expect(
      run.states == [
        "0 stopped 120 BPM", "1000 playing 120 BPM", "2000 playing 140 BPM", "3000 playing 160 BPM",
        "4000 playing 180 BPM", "4500 playing 60 BPM", "6000 playing 80 BPM", "6100 playing 200 BPM",
      ])
    #expect(run.json.contains(#"{"t":2000000000,"event":"button","name":"boost","value":1}"#))
    #expect(run.life.simulation.board.buttons.nextInstant == nil)
  }

  @Test func aButtonHasItsNameInEachConfigurationThatAScriptLoads() throws {
    let other = """
      audio: {device: none}
      buttons:
        third: {line: GPIO13, short: tempo 30}
        boost: {line: GPIO12, short: faster 5}
      """
    let run = try Run(
      "1s press boost\n2s reload other.yaml\n3s press boost\n4s press third\n", for: .seconds(5),
      configuration: Self.configuration, files: ["other.yaml": other])
    #expect(
      run.states == [
        "0 stopped 120 BPM", "1000 stopped 140 BPM", "3000 stopped 145 BPM", "4000 stopped 30 BPM",
      ])
    #expect(run.json.contains(#"{"t":4000000000,"event":"button","name":"third","value":1}"#))
  }

  @Test func tooManyButtonsInAllConfigurationsAreRefused() throws {
    func file(_ names: [String]) -> String {
      "chip: box\nbuttons:\n" + names.map { "  \($0): {line: \($0)}\n" }.joined()
    }
    let script = try Script(text: Array("1s reload other.yaml\n".utf8), file: "script")
    let plan = try SimulationPlan(
      configuration: file(["a", "b", "c"]), script: script, files: ["other.yaml": file(["c", "d", "e"])])
    #expect(
      plan.absence == "the configurations that the script loads have more than sixteen buttons: e is the 17th")
  }

  @Test func scriptsNameAddedButtonsInTheirText() throws {
    let names = BoxNames(buttons: Button.standardNames + ["boost"])
    let script = try Script(text: Array("1s press boost\n2s down boost@1\n".utf8), file: "script", names: names)
    #expect(script.buttons == [Button(index: 12)])
    #expect(script.text == "1s press boost\n2s down boost@1\n")
    #expect(throws: ScriptError.self) { try Script(text: Array("1s press boost\n".utf8), file: "script") }
  }

  @Test func valueChangeDumpsHaveAWireForEachButton() throws {
    var bytes: [UInt8] = []
    let names = BoxNames(buttons: Button.standardNames + ["boost"])
    let trace = VCDTrace(names: names) { bytes += $0 }
    trace.receive(TraceEvent(.seconds(1), .button(Button(index: 12), isDown: true)))
    trace.use(BoxNames(buttons: Button.standardNames + ["other", "boost"]))
    trace.receive(TraceEvent(.seconds(2), .button(Button(index: 12), isDown: true)))
    trace.receive(TraceEvent(.seconds(3), .button(Button(index: 13), isDown: false)))
    trace.finish(at: .seconds(4))
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.contains("$var wire 1 < button_boost $end\n"))
    #expect(text.hasSuffix("#1000000000\n1<\n#3000000000\n0<\n#4000000000\n"))
  }
}
