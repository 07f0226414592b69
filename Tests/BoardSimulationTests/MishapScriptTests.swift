import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import Testing

/// The script's words for injected faults, and scripts written as text.
@Suite struct MishapScriptTests {
  private func script(_ text: String) throws -> Script { try Script(text: Array(text.utf8), file: "test") }

  private static let words: [(text: String, mishap: Mishap)] = [
    ("card stops", .cardStops), ("card sleeps", .cardSleeps(forGood: false)),
    ("card sleeps for good", .cardSleeps(forGood: true)), ("card fails", .cardFails), ("card freezes", .cardFreezes),
    ("card refuses 7", .cardRefuses(times: 7)), ("card unplug", .cardUnplugged), ("card plug", .cardPlugged),
    ("card drifts +80ppm", .cardDrifts(ppb: 80_000)), ("card drifts -0.125ppm", .cardDrifts(ppb: -125)),
    ("card drifts 0ppm", .cardDrifts(ppb: 0)), ("card2 drifts -200ppm", .onSecondCard(.cardDrifts(ppb: -200_000))),
    ("card2 sleeps for good", .onSecondCard(.cardSleeps(forGood: true))),
    ("card2 unplug", .onSecondCard(.cardUnplugged)),
    ("late beats 3ms", .late(.beats, by: .milliseconds(3))),
    ("late control 1us", .late(.control, by: .microseconds(1))), ("late audio 2s", .late(.audio, by: .seconds(2))),
    ("late cards 1h", .late(.cards, by: .seconds(3_600))), ("late state 1ms", .late(.state, by: .milliseconds(1))),
    ("clock slews -500ppm", .clockSlews(ppb: -500_000)), ("clock slews 0ppm", .clockSlews(ppb: 0)),
    ("disk full", .diskFull), ("disk free", .diskFree), ("disk fails 5", .diskFails(times: 5)),
    ("display unplug", .displayUnplugged), ("display plug", .displayPlugged),
    ("midi out 1 unplug", .midiUnplugged(1)), ("midi out 8 plug", .midiPlugged(8)),
    ("midi out 2 full 300ms", .midiFull(2, for: .milliseconds(300))),
    ("power cut", .powerCut), ("power on", .powerOn), ("restart", .restart),
  ]

  @Test(arguments: words) func mishapIsReadAndWritten(text: String, mishap: Mishap) throws {
    let script = try script("2s \(text)  # a comment")
    #expect(script.mishaps == [Script.TimedMishap(mishap, at: .seconds(2))])
    #expect(mishap.text == text)
    #expect(script.text == "2s \(text)\n")
  }

  private static let loops = "control, beats, midi, audio, cards, audio2, cards2, state, display"
  private static let cards = "stops, sleeps, fails, freezes, refuses, drifts, unplug or plug"
  private static let wrong: [(text: String, problem: String)] = [
    ("card", "missing word after \"card\"; write \(cards)"),
    ("card burns", "unknown word \"burns\" after \"card\"; write \(cards)"),
    ("card stops now", "unexpected \"now\" at the end of the line"),
    (
      "card sleeps well",
      "unexpected \"well\" after \"card sleeps\"; write \"card sleeps\" or \"card sleeps for good\""
    ),
    ("card refuses", "missing number after \"card refuses\"; write 1 to 1000000"),
    ("card refuses 0", "invalid number \"0\" after \"card refuses\"; write 1 to 1000000"),
    ("card drifts", "missing value after \"card drifts\"; write -1000ppm to +1000ppm"),
    ("card drifts 80", "invalid value \"80\" after \"card drifts\"; write -1000ppm to +1000ppm"),
    ("card drifts 1001ppm", "invalid value \"1001ppm\" after \"card drifts\"; write -1000ppm to +1000ppm"),
    ("card drifts +-1ppm", "invalid value \"+-1ppm\" after \"card drifts\"; write -1000ppm to +1000ppm"),
    ("card drifts +80ppm fast", "unexpected \"fast\" at the end of the line"),
    ("late", "missing loop after \"late\"; the loops are \(loops)"),
    ("late beat 3ms", "unknown loop \"beat\"; the loops are \(loops)"),
    ("late beats", "missing delay after \"late beats\"; write \(Nanoseconds.textForm)"),
    ("late beats 0", "invalid delay \"0\"; write more than 0 and up to 1h: \(Nanoseconds.textForm)"),
    ("late beats 2h", "invalid delay \"2h\"; write more than 0 and up to 1h: \(Nanoseconds.textForm)"),
    ("late beats 2ms 3ms", "unexpected \"3ms\" at the end of the line"),
    ("clock", "missing word after \"clock\"; write slews"),
    ("clock stops", "unknown word \"stops\" after \"clock\"; write slews"),
    ("clock slews 501ppm", "invalid value \"501ppm\" after \"clock slews\"; write -500ppm to +500ppm"),
    ("disk", "missing word after \"disk\"; write full, free or fails"),
    ("disk burns", "unknown word \"burns\" after \"disk\"; write full, free or fails"),
    ("disk full 3", "unexpected \"3\" at the end of the line"),
    ("disk fails", "missing number after \"disk fails\"; write 1 to 1000000"),
    ("disk fails often", "invalid number \"often\" after \"disk fails\"; write 1 to 1000000"),
    ("power", "missing word after \"power\"; write cut or on"),
    ("power off", "unknown word \"off\" after \"power\"; write cut or on"),
    ("power cut now", "unexpected \"now\" at the end of the line"),
    ("restart box", "unexpected \"box\" at the end of the line"),
  ]

  @Test(arguments: wrong) func invalidLinesAreReported(text: String, problem: String) {
    do throws(ScriptError) {
      _ = try Script(text: Array("1s \(text)".utf8), file: "test")
      Issue.record("\(text) was accepted")
    } catch { #expect(error.description == "test:1: \(problem)") }
  }

  @Test func scriptIsWrittenInOrderOfTime() throws {
    let text = """
      3s power on
      0.5s press play
      1s press faster@2 300ms
      1s turn tempo -3
      2s power cut
      1.2s down tap
      1200500us down tap
      90 unplug chip
      2m plug chip
      1.3s up tap
      4s unplug 2
      5s plug 2
      6s reload b.yaml
      0 up slower

      """
    let script = try script(text)
    #expect(
      script.text == """
        0s up slower
        500ms press play
        1s press faster@2 300ms
        1s turn tempo@1 -3
        1200ms down tap
        1200500us press tap 99500us
        2s power cut
        3s power on
        4s unplug 2
        5s plug 2
        6s reload b.yaml
        90s unplug chip
        2m plug chip

        """)
  }

  @Test(arguments: [UInt64](0..<50)) func writtenScriptIsReadBack(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var script = Script()
    for _ in 0..<40 {
      let time = Nanoseconds(Int64.random(in: 0...20, using: &random) * 100_000_001)
      let button = Button.standard.randomElement(using: &random) ?? .play
      let origin = Origin(number: Int.random(in: 0...2, using: &random))
      switch Int.random(in: 0...8, using: &random) {
      case 0:
        script.press(button, at: time, for: .milliseconds(Int64.random(in: 1...500, using: &random)), from: origin)
      case 1: script.down(button, at: time, from: origin)
      case 2: script.up(button, at: time, from: origin)
      case 3: script.turn(.tempo, by: Int.random(in: 1...9, using: &random), at: time, from: Origin(number: 1))
      case 4: script.unplug(Origin(number: 1), at: time)
      case 5: script.plug(Origin(number: 1), at: time)
      case 6: Bool.random(using: &random) ? script.unplugChip(at: time) : script.plugChip(at: time)
      case 7:
        script.schedule(
          ScriptedControl.command("tap", ago: .milliseconds(Int64.random(in: 0...9, using: &random))), at: time)
        script.schedule(ScriptedControl.step(Nanoseconds(Int64.random(in: -9...0, using: &random) * 2 + 1)), at: time)
      default: script.schedule(MishapScriptTests.words.randomElement(using: &random)?.mishap ?? .restart, at: time)
      }
    }
    let again = try self.script(script.text)
    #expect(again == script)
    #expect(again.text == script.text)
  }
}
