import ControlSocket
import MetronomeCore
import Testing

/// Messages of the control socket, byte by byte.
@Suite struct ControlMessageTests {
  @Test(arguments: [
    "hello v=1", "done", #"do command="tempo 133.7" at=12 id=4"#, #"preset name="a \"b\" \\ c" rhythm="""#,
    "state text=♩=120 text2=7/8",
  ])
  func messagesReadBack(text: String) throws {
    let message = try ControlMessage(parsing: text.utf8)
    #expect(message.description == text)
    #expect(try ControlMessage(parsing: message.bytes) == message)
  }

  @Test func valuesAreQuotedIfNeeded() throws {
    var message = ControlMessage("state", ["empty": "", "blank": "a b", "quote": "\"", "back": "\\", "missing": nil])
    message.append("control", "a\nb\u{7F}")
    #expect(message.description == #"state empty="" blank="a b" quote="\"" back="\\" control="a b ""#)
    #expect(message["missing"] == nil)
    #expect(try ControlMessage(parsing: message.bytes)["quote"] == "\"")
  }

  @Test func aSecondCardIsInTheStateOnlyIfThereIsOne() {
    func state(_ health: BoxHealth) -> ControlMessage {
      let state = MetronomeState(
        isPlaying: false, Music(tempo: .initial, signature: .initial), isSilent: false)
      return .state(
        state, Trainer(), nil, current: .initial, refusesTempo: false, health,
        ClockPair(monotonic: .zero, raw: .zero))
    }
    #expect(state(BoxHealth(audio: "a"))["second-audio"] == nil)
    let both = state(BoxHealth(audio: "a", secondAudio: "b"))
    #expect(both["audio"] == "a" && both["second-audio"] == "b")
  }

  @Test(arguments: [
    ("", "column 1: expected a word, such as do"), ("Do", "column 1: expected a word, such as do"),
    ("do ", "column 4: expected a key, such as at"), ("do  at=1", "column 4: expected a key, such as at"),
    ("do at", "column 6: expected = after the key at"),
    ("do at=", "column 7: expected a value; write \"\" for an empty one"),
    ("do é=1", "column 4: expected a key, such as at"),
    ("do a=é b", "column 10: expected = after the key b"), ("do at=1 at=2", "column 9: the key at appears twice"),
    (#"do a="b"#, "column 8: expected a quotation mark at the end of the value"),
    (#"do a="b"c"#, "column 9: expected one space before a field"),
    (#"do a=b"c"#, "column 7: expected quotation marks around the value"),
    (#"do a="\n""#, #"column 8: expected \" or \\"#), ("do a=b\n", "column 7: expected no control character"),
  ])
  func faultsHaveTheirColumn(text: String, error: String) {
    #expect(throws: ControlError(error)) { try ControlMessage(parsing: text.utf8) }
  }

  @Test func bytesMustBeUTF8() {
    #expect(throws: ControlError("the message is not UTF-8")) { try ControlMessage(parsing: [0x64, 0x6F, 0xFF]) }
    #expect(throws: ControlError.self) { try ControlMessage(parsing: [0]) }
  }

  @Test(arguments: [("5", 5), ("0", 0), ("10", 10)]) func numbersAreRead(text: String, number: Int64) throws {
    #expect(try ControlMessage(parsing: "a n=\(text)".utf8).number("n", 0...10) == number)
    #expect(try ControlMessage("a").number("n", 0...10) == nil)
  }

  @Test(arguments: ["11", "-1", "x", "1.0", "99999999999999999999999"]) func otherNumbersAreRefused(text: String) throws
  {
    let message = try ControlMessage(parsing: "a n=\(text)".utf8)
    #expect(throws: ControlError("n is \"\(text)\"; it must be a whole number from 0 to 10")) {
      try message.number("n", 0...10)
    }
  }
}
