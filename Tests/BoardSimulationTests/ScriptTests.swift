import BoardSimulation
import MetronomeCore
import Testing

@Suite struct ScriptTests {
  private func edges(_ text: String, bounces: Bounces? = nil) throws -> [String] {
    try Script(text: Array(text.utf8), file: "test").edges(from: .zero, bounces: bounces).map {
      "\($0.instant.nanoseconds / 1_000_000) \($0.button) \($0.direction)"
    }
  }

  @Test func pressesBecomeEdges() throws {
    let edges = try edges(
      """
      # a comment
      1s press play          # starts

      1500ms press faster 20ms
      \t2 down slower
      2.5 up slower\r
      """)
    #expect(
      edges == [
        "1000 play down", "1080 play up", "1500 faster down", "1520 faster up", "2000 slower down", "2500 slower up",
      ])
  }

  @Test func linesMayComeInAnyOrder() throws {
    let edges = try edges("2s press tap\n1s press play")
    #expect(edges.map { $0.prefix(4) } == ["1000", "1080", "2000", "2080"])
  }

  @Test(arguments: [
    ("1 press play", "1.08 press play", ["1000 play down", "1080 play up", "1080 play down", "1160 play up"]),
    ("1 press play 1s", "2 up play", ["1000 play down", "2000 play up"]),
    ("1 down play", "1 up play", []),
    ("1 press play 1s", "2 press play", ["1000 play down", "2000 play up", "2000 play down", "2080 play up"]),
    ("1 press play 2s", "2 press play 1s", ["1000 play down", "3000 play up"]),
  ])
  func orderOfLinesDoesNotMatter(one: String, other: String, expected: [String]) throws {
    #expect(try edges(one + "\n" + other) == expected)
    #expect(try edges(other + "\n" + one) == expected)
  }

  @Test(arguments: [
    "\u{FEFF}1 press play", "1 press play#\u{301} accented", "1 press play #\u{FE0F}\u{20E3} a keycap",
    "\u{FEFF}#\u{301}\n1 press play",
  ])
  func byteOrderMarksAndCombiningAccentsAreAccepted(text: String) throws {
    #expect(try edges(text) == ["1000 play down", "1080 play up"])
  }

  @Test func overlappingPressesOfOneButtonMerge() throws {
    let overlapping = try edges("1s press play 300ms\n1.1s press play 500ms")
    #expect(overlapping == ["1000 play down", "1600 play up"])
    let twice = try edges("1s up play\n2s down play\n3s down play\n4s up play\n5s up play")
    #expect(twice == ["2000 play down", "5000 play up"])
  }

  private static let actions =
    "press, down, up, turn, unplug, plug, reload, card, card2, late, clock, disk, display, power, restart, midi, link or do"
  private static let dials = "the dials are tempo, numerator, denominator, preset, volume, subdivision"
  private static let buttons = Button.standardNames.joined(separator: ", ")

  private static let wrong: [(text: String, message: String)] = [
    ("", "test: the script is empty; write a line such as \"1s press play\""),
    (" \n\t\n", "test: the script is empty; write a line such as \"1s press play\""),
    ("1s press play\nsoon press play", "test:2: invalid time \"soon\"; write \(Nanoseconds.textForm)"),
    ("-1s press play", "test:1: invalid time \"-1s\"; write \(Nanoseconds.textForm)"),
    ("1s", "test:1: missing action after \"1s\"; write \(actions)"),
    ("1s hit play", "test:1: unknown action \"hit\"; write \(actions)"),
    ("1s press", "test:1: missing button after \"press\"; the buttons are \(buttons)"),
    ("1s press start", "test:1: unknown button \"start\"; the buttons are \(buttons)"),
    ("1s press play long", "test:1: invalid hold time \"long\"; write \(Nanoseconds.textForm)"),
    ("1s press play 0", "test:1: invalid hold time \"0\"; write more than 0"),
    ("1s down play 20ms", "test:1: unexpected \"20ms\" at the end of the line"),
    ("1s press @1", "test:1: unknown button \"\"; the buttons are \(buttons)"),
    ("1s press play@", "test:1: invalid device \"\"; write a device number from 1 to 99"),
    ("1s press play@0", "test:1: invalid device \"0\"; write a device number from 1 to 99"),
    ("1s down play@100", "test:1: invalid device \"100\"; write a device number from 1 to 99"),
    ("1s up play@1@2", "test:1: invalid device \"1@2\"; write a device number from 1 to 99"),
    ("1s turn", "test:1: missing dial after \"turn\"; \(dials)"),
    ("1s turn play 1", "test:1: unknown dial \"play\"; \(dials)"),
    ("1s turn tempo", "test:1: missing number of detents after \"turn tempo\"; write -128 to 128, but not 0"),
    ("1s turn tempo 0", "test:1: invalid number of detents \"0\"; write -128 to 128, but not 0"),
    ("1s turn tempo 129", "test:1: invalid number of detents \"129\"; write -128 to 128, but not 0"),
    ("1s turn tempo@1 -129", "test:1: invalid number of detents \"-129\"; write -128 to 128, but not 0"),
    (
      "1s turn tempo -9223372036854775808",
      "test:1: invalid number of detents \"-9223372036854775808\"; write -128 to 128, but not 0"
    ),
    ("1s turn tempo fast", "test:1: invalid number of detents \"fast\"; write -128 to 128, but not 0"),
    ("1s turn tempo 1 2", "test:1: unexpected \"2\" at the end of the line"),
    ("1s unplug", "test:1: missing device after \"unplug\"; write chip, or a device number from 1 to 99"),
    ("1s plug pedal", "test:1: invalid device \"pedal\"; write a device number from 1 to 99"),
    ("1s plug 1 2", "test:1: unexpected \"2\" at the end of the line"),
    ("1s press play 20ms again", "test:1: unexpected \"again\" at the end of the line"),
    (
      "99999999999999999999h press play",
      "test:1: invalid time \"99999999999999999999h\"; write \(Nanoseconds.textForm)"
    ),
  ]

  @Test func deviceActionsBecomeInputs() throws {
    let text = """
      1s press play@2
      1s press play
      2s turn tempo -3
      2500ms turn numerator@2 1
      3s unplug 2
      4s plug 2
      """
    let script = try Script(text: Array(text.utf8), file: "test")
    let start = Instant.zero + .seconds(10)
    let pedal = Origin(number: 2)
    #expect(script.devices == [Origin(number: 1), pedal])
    #expect(script.buttons == [.play])
    #expect(
      script.inputs(from: start) == [
        .edge(ButtonEdge(.play, .down, at: start + .seconds(1), from: pedal)),
        .edge(ButtonEdge(.play, .up, at: start + .milliseconds(1_080), from: pedal)),
        .turn(DialTurn(.tempo, by: -3, at: start + .seconds(2), from: Origin(number: 1))),
        .turn(DialTurn(.numerator, by: 1, at: start + .milliseconds(2_500), from: pedal)),
        .unplug(pedal, at: start + .seconds(3)),
        .plug(pedal, at: start + .seconds(4)),
      ])
    #expect(script.edges(from: start).map(\.origin) == [.box, .box])
  }

  /// A pedal that is unplugged while it is held comes back with no key held: the next press counts.
  @Test func heldKeyIsForgottenWhenItsDeviceIsUnplugged() throws {
    let text = """
      1s down play@1
      2s unplug 1
      3s plug 1
      4s press play@1
      5s press play@1
      """
    let script = try Script(text: Array(text.utf8), file: "test")
    let edges = script.inputs(from: .zero).compactMap { action -> String? in
      guard case .edge(let edge) = action else { return nil }
      return "\(edge.direction) \((edge.instant - .zero).count / 1_000_000)"
    }
    #expect(edges == ["down 1000", "down 4000", "up 4080", "down 5000", "up 5080"])
  }

  @Test(arguments: wrong) func invalidLinesAreReportedWithTheirNumber(text: String, message: String) {
    #expect(throws: (any Error).self) { try Script(text: Array(text.utf8), file: "test") }
    do { _ = try Script(text: Array(text.utf8), file: "test") } catch { #expect(error.description == message) }
  }

  @Test func invalidUTF8IsReported() {
    do {
      _ = try Script(text: Array("1s press play\n".utf8) + [0xFF, 0xFE], file: "test")
      Issue.record("invalid UTF-8 was accepted")
    } catch { #expect(error.description == "test:2: the line is not UTF-8 text") }
  }

  @Test func controlCharactersDoNotReachTheScreen() {
    do {
      _ = try Script(text: Array("1s press \u{1B}[2Jplay\u{0}".utf8), file: "test")
      Issue.record("the script was accepted")
    } catch { #expect(error.description.hasPrefix("test:1: unknown button \"U+001B[2JplayU+0000\";")) }
  }

  @Test func controlCharactersOfTheFileNameDoNotReachTheScreen() {
    do {
      _ = try Script(text: Array("now".utf8), file: "a\nb\u{1B}[31m\u{2028}")
      Issue.record("the script was accepted")
    } catch { #expect(error.description.hasPrefix("aU+000AbU+001B[31mU+2028:1: invalid time \"now\";")) }
  }

  @Test(arguments: [UInt64](0..<100)) func bouncesEndInTheContactsState(seed: UInt64) throws {
    let edges = try edges("1s press play\n1.1s press play 3ms\n2s press tap 1s", bounces: Bounces(seed: seed))
    for button in ["play", "tap"] {
      let own = edges.filter { $0.contains(button) }
      #expect(own.enumerated().allSatisfy { $1.hasSuffix($0.isMultiple(of: 2) ? "down" : "up") })
      #expect(own.count.isMultiple(of: 2))
    }
    let again = try self.edges("1s press play\n1.1s press play 3ms\n2s press tap 1s", bounces: Bounces(seed: seed))
    #expect(edges == again)
  }
}
