import MetronomeCore
import Testing

@Suite struct NanosecondsTextTests {
  @Test(arguments: [
    ("0", 0), ("90", 90_000_000_000), ("0.5", 500_000_000), ("1.5s", 1_500_000_000), ("250ms", 250_000_000),
    ("2m", 120_000_000_000), ("24h", 86_400_000_000_000), ("500us", 500_000), ("0.001us", 1), ("0.000001ms", 1),
    ("0.000000001", 1), ("1.123456789m", 67_407_407_340), ("0.123456789h", 444_444_440_400),
    ("1.500000000ms", 1_500_000),
    ("007s", 7_000_000_000), ("87660h", 315_576_000_000_000_000), ("315576000s", 315_576_000_000_000_000),
    ("315576000000000us", 315_576_000_000_000_000), ("000000000000000090", 90_000_000_000),
  ])
  func validDurationsAreParsed(text: String, count: Int64) {
    #expect(Nanoseconds(text: text) == Nanoseconds(count))
  }

  @Test(arguments: [
    "", "s", "ms", ".", ".5", "5.", "1.s", "1..5s", "1.5.5", "-1s", "+1s", "1e3", "1 s", " 1s", "1s ", "1S", "1min",
    "1d",
    "1ns", "1sec", "0x10", "nan", "inf", "1,5s", "１s", "1s\u{301}", "1\0", "0.0000000001", "1.0000000001s",
    "0.0001us", "0.0000001ms", "87660.000000001h", "87661h", "315576000.000000001", "9223372036854775807",
    "0000000000000000090", "999999999999999999h", "99999999999999999999999999999999us",
  ])
  func invalidDurationsAreRejected(text: String) {
    #expect(Nanoseconds(text: text) == nil)
  }

  @Test(arguments: [
    (0, "0s"), (1, "0.000000001s"), (1_000, "1us"), (1_500_000, "1500us"), (1_500_000_000, "1500ms"),
    (60_000_000_000, "1m"), (90_000_000_000, "90s"), (86_400_000_000_000, "24h"),
    (7_200_000_000_001, "7200.000000001s"),
  ])
  func durationsRoundTripAsText(count: Int64, text: String) {
    #expect(Nanoseconds(count).text == text)
    #expect(Nanoseconds(text: text) == Nanoseconds(count))
  }

  @Test func substringIsParsed() {
    let line = "1.5s press play"
    #expect(Nanoseconds(text: line.prefix(4)) == .milliseconds(1_500))
  }
}
