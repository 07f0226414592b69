import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import Testing

/// The words of a script for what befalls a box, and scripts that are written down.
@Suite struct MishapScriptTests {
  private func script(_ text: String) throws -> Script { try Script(text: Array(text.utf8), file: "test") }

  private static let words: [(text: String, mishap: Mishap)] = [
    ("card stops", .cardStops), ("card sleeps", .cardSleeps(forGood: false)),
    ("card sleeps for good", .cardSleeps(forGood: true)), ("card fails", .cardFails), ("card freezes", .cardFreezes),
    ("card refuses 7", .cardRefuses(times: 7)), ("card unplug", .cardUnplugged), ("card plug", .cardPlugged),
    ("card drifts +80ppm", .cardDrifts(ppb: 80_000)), ("card drifts -0.125ppm", .cardDrifts(ppb: -125)),
    ("card drifts 0ppm", .cardDrifts(ppb: 0)), ("late beats 3ms", .late(.beats, by: .milliseconds(3))),
    ("late control 1us", .late(.control, by: .microseconds(1))), ("late audio 2s", .late(.audio, by: .seconds(2))),
    ("late keeper 1h", .late(.cards, by: .seconds(3_600))), ("late memory 1ms", .late(.state, by: .milliseconds(1))),
    ("clock slews -500ppm", .clockSlews(ppb: -500_000)), ("clock slews 0ppm", .clockSlews(ppb: 0)),
    ("disk full", .diskFull), ("disk free", .diskFree), ("disk fails 5", .diskFails(times: 5)),
    ("power cut", .powerCut), ("power on", .powerOn), ("restart", .restart),
  ]

  @Test(arguments: words) func mishaps(text: String, mishap: Mishap) throws {
    let script = try script("2s \(text)  # so it is")
    #expect(script.mishaps == [Script.TimedMishap(mishap, at: .seconds(2))])
    #expect(mishap.text == text)
    #expect(script.text == "2s \(text)\n")
  }

  private static let loops = "control, beats, audio, keeper, memory"
  private static let cards = "stops, sleeps, fails, freezes, refuses, drifts, unplug or plug"
  private static let wrong: [(text: String, problem: String)] = [
    ("card", "card does what? \(cards)"),
    ("card burns", "\"burns\" is nothing a card does; \(cards) is"),
    ("card stops now", "too much on the line, from \"now\" on"),
    ("card sleeps well", "a card sleeps, or sleeps for good; \"well\" is neither"),
    ("card refuses", "card refuses how many times? as card refuses 5"),
    ("card refuses 0", "\"0\" is not a number of times; write 1 to 1000000"),
    ("card drifts", "card drifts by how much? -1000ppm to +1000ppm"),
    ("card drifts 80", "\"80\" is not how much; write -1000ppm to +1000ppm"),
    ("card drifts 1001ppm", "\"1001ppm\" is not how much; write -1000ppm to +1000ppm"),
    ("card drifts +-1ppm", "\"+-1ppm\" is not how much; write -1000ppm to +1000ppm"),
    ("card drifts +80ppm fast", "too much on the line, from \"fast\" on"),
    ("late", "late which loop? \(loops)"),
    ("late beat 3ms", "there is no loop \"beat\"; there are \(loops)"),
    ("late beats", "late beats by how much? \(Nanoseconds.textForm)"),
    ("late beats 0", "\"0\" is not a delay; write \(Nanoseconds.textForm); more than 0 and up to 1h"),
    ("late beats 2h", "\"2h\" is not a delay; write \(Nanoseconds.textForm); more than 0 and up to 1h"),
    ("late beats 2ms 3ms", "too much on the line, from \"3ms\" on"),
    ("clock", "clock does what? slews"),
    ("clock stops", "\"stops\" is nothing a clock does; slews is"),
    ("clock slews 501ppm", "\"501ppm\" is not how much; write -500ppm to +500ppm"),
    ("disk", "disk does what? full, free or fails"),
    ("disk burns", "\"burns\" is nothing a disk does; full, free or fails is"),
    ("disk full 3", "too much on the line, from \"3\" on"),
    ("disk fails", "disk fails how many times? as disk fails 5"),
    ("disk fails often", "\"often\" is not a number of times; write 1 to 1000000"),
    ("power", "power cut or power on?"),
    ("power off", "\"off\" is nothing power does; cut or on is"),
    ("power cut now", "too much on the line, from \"now\" on"),
    ("restart box", "too much on the line, from \"box\" on"),
  ]

  @Test(arguments: wrong) func whatIsWrongIsSaid(text: String, problem: String) {
    do throws(ScriptError) {
      _ = try Script(text: Array("1s \(text)".utf8), file: "test")
      Issue.record("\(text) was read")
    } catch { #expect(error.description == "test:1: \(problem)") }
  }

  @Test func aScriptIsWrittenInOrder() throws {
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

  @Test(arguments: [UInt64](0..<50)) func whatIsWrittenIsReadBack(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var script = Script()
    for _ in 0..<40 {
      let time = Nanoseconds(Int64.random(in: 0...20, using: &random) * 100_000_001)
      let button = Button.allCases.randomElement(using: &random) ?? .play
      let origin = Origin(number: Int.random(in: 0...2, using: &random))
      switch Int.random(in: 0...7, using: &random) {
      case 0:
        script.press(button, at: time, for: .milliseconds(Int64.random(in: 1...500, using: &random)), from: origin)
      case 1: script.down(button, at: time, from: origin)
      case 2: script.up(button, at: time, from: origin)
      case 3: script.turn(.tempo, by: Int.random(in: 1...9, using: &random), at: time, from: Origin(number: 1))
      case 4: script.unplug(Origin(number: 1), at: time)
      case 5: script.plug(Origin(number: 1), at: time)
      case 6: Bool.random(using: &random) ? script.unplugChip(at: time) : script.plugChip(at: time)
      default: script.befall(MishapScriptTests.words.randomElement(using: &random)?.mishap ?? .restart, at: time)
      }
    }
    let again = try self.script(script.text)
    #expect(again == script)
    #expect(again.text == script.text)
  }
}
