import MetronomeCore
import Testing

@Suite struct BlinkCodeTests {
  private static let begin = Instant(nanoseconds: 5_000_000_000)

  /// What is told, drawn: a column is 50 ms, `#` lit, `-` dark, from where the lights are taken over to where they are given
  /// back.
  private func drawing(of reply: Reply) -> String {
    let signal = BlinkCode(reply, from: BlinkCodeTests.begin)
    var text = ""
    var instant = BlinkCodeTests.begin
    while signal.covers(instant) {
      text += signal.isLit(at: instant) ? "#" : "-"
      instant = instant + .milliseconds(50)
    }
    return text
  }

  private static let pause = "------"
  private static let gap = "--------------"
  private static let long = "############"

  private static func digit(_ count: Int) -> String {
    Array(repeating: "##", count: count).joined(separator: "----")
  }

  private static func tempo(_ milliBPM: Int) -> Reply { .tempo(Tempo(milliBPM: milliBPM)!) }

  @Test func aTempoIsToldDigitByDigit() {
    let expected =
      BlinkCodeTests.pause + BlinkCodeTests.digit(1) + BlinkCodeTests.gap + BlinkCodeTests.digit(2) + BlinkCodeTests.gap
      + BlinkCodeTests.long + BlinkCodeTests.pause
    #expect(drawing(of: BlinkCodeTests.tempo(120_000)) == expected)
  }

  @Test func zerosInFrontAreLeftOutAndDecimalsRounded() {
    let ninetyThree =
      BlinkCodeTests.pause + BlinkCodeTests.digit(9) + BlinkCodeTests.gap + BlinkCodeTests.digit(3)
      + BlinkCodeTests.pause
    #expect(drawing(of: BlinkCodeTests.tempo(92_500)) == ninetyThree)
    #expect(drawing(of: BlinkCodeTests.tempo(93_499)) == ninetyThree)
    #expect(drawing(of: BlinkCodeTests.tempo(1_000)) == BlinkCodeTests.pause + "##" + BlinkCodeTests.pause)
    let highest = Array(repeating: BlinkCodeTests.digit(9), count: 3).joined(separator: BlinkCodeTests.gap)
    #expect(drawing(of: BlinkCodeTests.tempo(999_000)) == BlinkCodeTests.pause + highest + BlinkCodeTests.pause)
  }

  @Test func aSignatureIsTwoNumbersFurtherApart() {
    let wide = Signature(32, over: 16, limit: .none)!
    let between = String(repeating: "-", count: 30)
    let expected =
      BlinkCodeTests.pause + BlinkCodeTests.digit(3) + BlinkCodeTests.gap + BlinkCodeTests.digit(2) + between
      + BlinkCodeTests.digit(1) + BlinkCodeTests.gap + BlinkCodeTests.digit(6) + BlinkCodeTests.pause
    #expect(drawing(of: .signature(wide)) == expected)
  }

  @Test func whatIsDoneFlashesTwiceAndWhatIsRefusedOnceAndLong() {
    #expect(drawing(of: .stored) == BlinkCodeTests.pause + "##---##" + BlinkCodeTests.pause)
    #expect(drawing(of: .refused) == BlinkCodeTests.pause + BlinkCodeTests.long + BlinkCodeTests.pause)
    #expect(BlinkCode(.stored, from: BlinkCodeTests.begin).hasSound)
    #expect(!BlinkCode(.refused, from: BlinkCodeTests.begin).hasSound)
  }

  @Test func everyChangeIsTold() {
    let signal = BlinkCode(BlinkCodeTests.tempo(205_000), from: BlinkCodeTests.begin)
    var changes: [Int64] = []
    var next = signal.nextChange(after: .zero)
    while let instant = next {
      changes.append((instant - BlinkCodeTests.begin).count / 1_000_000)
      next = signal.nextChange(after: instant)
    }
    #expect(
      changes == [
        0, 300, 400, 600, 700, 1_400, 2_000, 2_700, 2_800, 3_000, 3_100, 3_300, 3_400, 3_600, 3_700, 3_900, 4_000,
        4_300,
      ])
    #expect(signal.end == BlinkCodeTests.begin + .milliseconds(4_300))
  }

  @Test func itsEdgesAreExact() {
    let signal = BlinkCode(.stored, from: BlinkCodeTests.begin)
    let nanosecond = Nanoseconds(1)
    #expect(!signal.covers(BlinkCodeTests.begin - nanosecond))
    #expect(signal.covers(BlinkCodeTests.begin))
    #expect(signal.covers(signal.end - nanosecond))
    #expect(!signal.covers(signal.end))
    let flash = BlinkCodeTests.begin + .milliseconds(300)
    #expect(!signal.isLit(at: flash - nanosecond))
    #expect(signal.isLit(at: flash))
    #expect(signal.isLit(at: flash + .milliseconds(100) - nanosecond))
    #expect(!signal.isLit(at: flash + .milliseconds(100)))
  }

  @Test func nothingIsNothing() {
    #expect(!BlinkCode.none.covers(.zero))
    #expect(!BlinkCode.none.isLit(at: .zero))
    #expect(BlinkCode.none.nextChange(after: .zero) == nil)
  }
}
