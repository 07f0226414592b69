import CEvdev
import HardwareAbstraction
import LinuxBoard
import MetronomeConfiguration
import MetronomeCore
import Testing

/// Decoding of kernel events, written as lines of `MICROSECONDS CODE VALUE`.
@Suite struct EventDecoderTests {
  private static let request = InputRequest(
    .named("x"),
    keys: [KeyCode(name: "KEY_A")!: .play, KeyCode(name: "KEY_B")!: .play, KeyCode(name: "KEY_C")!: .tap],
    relative: [
      AxisCode(name: "REL_X")!: .tempo, AxisCode(name: "REL_Y")!: .tempo, AxisCode(name: "REL_DIAL")!: .preset,
    ])

  private static let cases: [(lines: String, expected: String)] = [
    ("5 KEY_A 1, 5 SYN", "5 play down"),
    ("5 KEY_A 1, 5 SYN, 9 KEY_A 0, 9 SYN", "5 play down, 9 play up"),
    // The kernel's key repeats.
    ("5 KEY_A 1, 5 SYN, 6 KEY_A 2, 6 SYN, 7 KEY_A 2, 7 SYN, 9 KEY_A 0, 9 SYN", "5 play down, 9 play up"),
    ("5 KEY_D 1, 5 SYN, 6 REL_Z 1, 6 SYN", ""),
    // Two keys mapped to one button.
    ("1 KEY_A 1, 1 SYN, 2 KEY_B 1, 2 SYN, 3 KEY_A 0, 3 SYN, 4 KEY_B 0, 4 SYN", "1 play down, 4 play up"),
    ("1 KEY_A 1, 1 KEY_C 1, 1 SYN, 4 KEY_C 0, 4 SYN", "1 play down, 1 tap down, 4 tap up"),
    ("1 REL_X 1, 1 SYN, 2 REL_X -2, 2 SYN", "1 tempo 1, 2 tempo -2"),
    // All moves in one report are one turn.
    ("1 REL_X 1, 1 REL_Y 2, 1 REL_DIAL -1, 1 SYN", "1 tempo 3, 1 preset -1"),
    ("1 REL_X 1, 1 REL_X -1, 1 SYN", ""),
    ("1 REL_X 1", ""),
  ]

  @Test(arguments: cases) func eventsDecodeToPressesAndTurns(lines: String, expected: String) {
    var decoder = EventDecoder(EventDecoderTests.request, from: Origin(number: 3))
    #expect(decode(lines, &decoder) == expected)
  }

  @Test func buttonLevelsFollowEvents() {
    var decoder = EventDecoder(EventDecoderTests.request, from: Origin(number: 3))
    _ = decode("1 KEY_A 1, 1 KEY_B 1, 1 SYN", &decoder)
    #expect(decoder.isDown(.play) && !decoder.isDown(.tap))
    _ = decode("2 KEY_A 0, 2 SYN", &decoder)
    #expect(decoder.isDown(.play))
    _ = decode("3 KEY_B 0, 3 SYN", &decoder)
    #expect(!decoder.isDown(.play))
  }

  @Test func keyStatesAreReadAfterALoss() {
    var decoder = EventDecoder(EventDecoderTests.request, from: Origin(number: 3))
    _ = decode("1 KEY_A 1, 1 REL_X 1", &decoder)
    decoder.reset { $0 == KeyCode(name: "KEY_C")!.number }
    #expect(decoder.isDown(.tap) && !decoder.isDown(.play))
    #expect(decode("4 SYN, 5 KEY_C 0, 5 SYN", &decoder) == "5 tap up")
  }

  private func decode(_ lines: String, _ decoder: inout EventDecoder) -> String {
    var events: [InputEvent] = []
    for line in lines.split(separator: ", ") {
      let microseconds = Int64(line.prefix { $0 != " " })!
      decoder.decode(event(line), at: Instant(nanoseconds: microseconds * 1_000), appendingTo: &events)
    }
    #expect(events.allSatisfy { $0.origin == Origin(number: 3) })
    return events.map(text).joined(separator: ", ")
  }

  private func event(_ line: Substring) -> input_event {
    let words = line.split(separator: " ")
    var event = input_event()
    let name = String(words[1])
    if let key = KeyCode(name: name) {
      (event.type, event.code) = (UInt16(EV_KEY), key.number)
    } else if let axis = AxisCode(name: name) {
      (event.type, event.code) = (UInt16(EV_REL), axis.number)
    } else {
      (event.type, event.code) = (UInt16(EV_SYN), UInt16(SYN_REPORT))
    }
    event.value = words.count > 2 ? Int32(words[2])! : 0
    return event
  }

  private func text(_ event: InputEvent) -> String {
    let time = "\(event.instant.nanoseconds / 1_000)"
    switch event {
    case .edge(let edge): return "\(time) \(edge.button) \(edge.direction)"
    case .turn(let turn): return "\(time) \(turn.dial) \(turn.detents)"
    case .interrupted: return "\(time) interrupted"
    case .clock: return "\(time) clock"
    case .program: return "\(time) program"
    }
  }
}
