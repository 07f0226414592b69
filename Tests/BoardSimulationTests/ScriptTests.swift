import BoardSimulation
import MetronomeCore
import Testing

@Suite struct ScriptTests {
  private func edges(_ text: String, bounces: Bounces? = nil) throws -> [String] {
    try Script(text: Array(text.utf8), file: "test").edges(from: .zero, bounces: bounces).map {
      "\($0.instant.nanoseconds / 1_000_000) \($0.button) \($0.direction)"
    }
  }

  @Test func presses() throws {
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

  @Test func linesNeedNotBeInOrder() throws {
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
  func theOrderOfLinesMeansNothing(one: String, other: String, expected: [String]) throws {
    #expect(try edges(one + "\n" + other) == expected)
    #expect(try edges(other + "\n" + one) == expected)
  }

  @Test(arguments: [
    "\u{FEFF}1 press play", "1 press play#\u{301} accented", "1 press play #\u{FE0F}\u{20E3} a keycap",
    "\u{FEFF}#\u{301}\n1 press play",
  ])
  func whatEditorsAddIsNoObstacle(text: String) throws {
    #expect(try edges(text) == ["1000 play down", "1080 play up"])
  }

  @Test func pressesOfOneButtonThatOverlapAreOne() throws {
    let overlapping = try edges("1s press play 300ms\n1.1s press play 500ms")
    #expect(overlapping == ["1000 play down", "1600 play up"])
    let twice = try edges("1s up play\n2s down play\n3s down play\n4s up play\n5s up play")
    #expect(twice == ["2000 play down", "5000 play up"])
  }

  private static let actions =
    "press, down, up, turn, unplug, plug, reload, card, late, clock, disk, power or restart"
  private static let buttons = Button.allCases.map(\.rawValue).joined(separator: ", ")

  private static let wrong: [(text: String, message: String)] = [
    ("", "test: the script is empty; write a line such as \"1s press play\""),
    (" \n\t\n", "test: the script is empty; write a line such as \"1s press play\""),
    ("1s press play\nsoon press play", "test:2: \"soon\" is not a time; write \(Nanoseconds.textForm)"),
    ("-1s press play", "test:1: \"-1s\" is not a time; write \(Nanoseconds.textForm)"),
    ("1s", "test:1: what happens at 1s? \(actions)"),
    ("1s hit play", "test:1: \"hit\" is not something to do; \(actions) is"),
    ("1s press", "test:1: press which button? \(buttons)"),
    ("1s press start", "test:1: there is no button \"start\"; there are \(buttons)"),
    ("1s press play long", "test:1: \"long\" is not a time to hold; write \(Nanoseconds.textForm)"),
    ("1s press play 0", "test:1: a press lasts longer than 0"),
    ("1s down play 20ms", "test:1: too much on the line, from \"20ms\" on"),
    ("1s press @1", "test:1: there is no button \"\"; there are \(buttons)"),
    ("1s press play@", "test:1: \"\" is not a device; write its number, 1 to 99"),
    ("1s press play@0", "test:1: \"0\" is not a device; write its number, 1 to 99"),
    ("1s down play@100", "test:1: \"100\" is not a device; write its number, 1 to 99"),
    ("1s up play@1@2", "test:1: \"1@2\" is not a device; write its number, 1 to 99"),
    ("1s turn", "test:1: turn which dial? tempo, numerator, denominator, preset"),
    ("1s turn play 1", "test:1: there is no dial \"play\"; there are tempo, numerator, denominator, preset"),
    ("1s turn tempo", "test:1: turn tempo how far? by 1 detent, or -1, or more"),
    ("1s turn tempo 0", "test:1: \"0\" is not a number of detents; write 1 to 1000, or less than 0"),
    ("1s turn tempo 1001", "test:1: \"1001\" is not a number of detents; write 1 to 1000, or less than 0"),
    (
      "1s turn tempo -9223372036854775808",
      "test:1: \"-9223372036854775808\" is not a number of detents; write 1 to 1000, or less than 0"
    ),
    ("1s turn tempo fast", "test:1: \"fast\" is not a number of detents; write 1 to 1000, or less than 0"),
    ("1s turn tempo 1 2", "test:1: too much on the line, from \"2\" on"),
    ("1s unplug", "test:1: unplug what? chip, or a device by its number, from 1 on"),
    ("1s plug pedal", "test:1: \"pedal\" is not a device; write its number, 1 to 99"),
    ("1s plug 1 2", "test:1: too much on the line, from \"2\" on"),
    ("1s press play 20ms again", "test:1: too much on the line, from \"again\" on"),
    (
      "99999999999999999999h press play",
      "test:1: \"99999999999999999999h\" is not a time; write \(Nanoseconds.textForm)"
    ),
  ]

  @Test func devices() throws {
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

  @Test(arguments: wrong) func whatIsWrongIsSaidWithItsLine(text: String, message: String) {
    #expect(throws: (any Error).self) { try Script(text: Array(text.utf8), file: "test") }
    do { _ = try Script(text: Array(text.utf8), file: "test") } catch { #expect(error.description == message) }
  }

  @Test func whatIsNoTextIsSaid() {
    do {
      _ = try Script(text: Array("1s press play\n".utf8) + [0xFF, 0xFE], file: "test")
      Issue.record("bytes that are no text were read")
    } catch { #expect(error.description == "test:2: this is not UTF-8 text") }
  }

  @Test func controlCharactersDoNotReachTheScreen() {
    do {
      _ = try Script(text: Array("1s press \u{1B}[2Jplay\u{0}".utf8), file: "test")
      Issue.record("read")
    } catch { #expect(error.description.hasPrefix("test:1: there is no button \"U+001B[2JplayU+0000\";")) }
  }

  @Test func norDoThoseOfTheFilesName() {
    do {
      _ = try Script(text: Array("now".utf8), file: "a\nb\u{1B}[31m\u{2028}")
      Issue.record("read")
    } catch { #expect(error.description.hasPrefix("aU+000AbU+001B[31mU+2028:1: \"now\" is not a time;")) }
  }

  @Test(arguments: [UInt64](0..<100)) func bouncesEndWhereTheContactIs(seed: UInt64) throws {
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
