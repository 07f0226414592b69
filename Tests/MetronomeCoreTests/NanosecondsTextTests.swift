import MetronomeCore
import Testing

@Suite struct NanosecondsTextTests {
  @Test(arguments: [
    ("0", 0), ("90", 90_000_000_000), ("0.5", 500_000_000), ("1.5s", 1_500_000_000), ("250ms", 250_000_000),
    ("2m", 120_000_000_000), ("24h", 86_400_000_000_000), ("500us", 500_000), ("0.001us", 1), ("0.000001ms", 1),
    ("0.000000001", 1), ("1.123456789m", 67_407_407_340), ("0.123456789h", 444_444_440_400),
    ("1.500000000ms", 1_500_000),
    ("007s", 7_000_000_000), ("87660h", 315_576_000_000_000_000), ("315576000s", 315_576_000_000_000_000),
    ("315576000000000us", 315_576_000_000_000_000),
  ])
  func reads(text: String, count: Int64) {
    #expect(Nanoseconds(text: text) == Nanoseconds(count))
  }

  @Test(arguments: [
    "", "s", "ms", ".", ".5", "5.", "1.s", "1..5s", "1.5.5", "-1s", "+1s", "1e3", "1 s", " 1s", "1s ", "1S", "1min",
    "1d",
    "1ns", "1sec", "0x10", "nan", "inf", "1,5s", "１s", "1s\u{301}", "1\0", "0.0000000001", "1.0000000001s",
    "0.0001us", "0.0000001ms", "87660.000000001h", "87661h", "315576000.000000001", "9223372036854775807",
    "999999999999999999h", "99999999999999999999999999999999us",
  ])
  func refuses(text: String) {
    #expect(Nanoseconds(text: text) == nil)
  }

  @Test func readsPartsOfALine() {
    let line = "1.5s press play"
    #expect(Nanoseconds(text: line.prefix(4)) == .milliseconds(1_500))
  }

  @Test(arguments: [
    (0, "0s"), (1, "0.001us"), (500, "0.5us"), (500_000, "500us"), (1_500_000, "1.5ms"), (250_000_000, "250ms"),
    (1_000_000_000, "1s"), (1_500_000_000, "1.5s"), (60_000_000_000, "1m"), (90_000_000_000, "90s"),
    (86_400_000_000_000, "24h"), (61_000_000_001, "61.000000001s"), (-1_500_000_000, "-1.5s"),
    (Int64.min, "-9223372036.854775808s"), (Int64.max, "9223372036.854775807s"),
  ])
  func writes(count: Int64, text: String) {
    #expect(Nanoseconds(count).text == text)
  }

  @Test func readsBackWhatItWrites() {
    var count: Int64 = 1
    for step in 0..<2_000 {
      count = (count &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407)
      let span = Nanoseconds((count & .max) % 315_576_000_000_000_001 >> Int64(step % 58))
      #expect(Nanoseconds(text: span.text) == span)
    }
  }
}
