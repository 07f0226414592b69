import MetronomeCore
import Testing

@Suite struct BlinkCodeTests {
  private static let begin = Instant(nanoseconds: 5_000_000_000)

  /// The blink code as text, one column per 50 ms: `#` lit, `-` dark. The text begins at the instant from which the code
  /// controls the lights, and ends with the code.
  private func text(of reply: Reply) -> String {
    let blinkCode = BlinkCode(reply, from: BlinkCodeTests.begin)
    var drawing = ""
    var instant = BlinkCodeTests.begin
    while blinkCode.covers(instant) {
      drawing += blinkCode.isLit(at: instant) ? "#" : "-"
      instant = instant + .milliseconds(50)
    }
    return drawing
  }

  private static let pause = "------"
  private static let gap = "--------------"
  private static let long = "############"

  private static func digit(_ count: Int) -> String {
    Array(repeating: "##", count: count).joined(separator: "----")
  }

  private static func tempo(_ milliBPM: Int) -> Reply { .tempo(Tempo(milliBPM: milliBPM)!) }

  @Test func tempoIsShownDigitByDigit() {
    let expected =
      BlinkCodeTests.pause + BlinkCodeTests.digit(1) + BlinkCodeTests.gap + BlinkCodeTests.digit(2) + BlinkCodeTests.gap
      + BlinkCodeTests.long + BlinkCodeTests.pause
    #expect(text(of: BlinkCodeTests.tempo(120_000)) == expected)
  }

  @Test func leadingZerosAreOmittedAndDecimalsRounded() {
    let ninetyThree =
      BlinkCodeTests.pause + BlinkCodeTests.digit(9) + BlinkCodeTests.gap + BlinkCodeTests.digit(3)
      + BlinkCodeTests.pause
    #expect(text(of: BlinkCodeTests.tempo(92_500)) == ninetyThree)
    #expect(text(of: BlinkCodeTests.tempo(93_499)) == ninetyThree)
    #expect(text(of: BlinkCodeTests.tempo(1_000)) == BlinkCodeTests.pause + "##" + BlinkCodeTests.pause)
    let highest = Array(repeating: BlinkCodeTests.digit(9), count: 3).joined(separator: BlinkCodeTests.gap)
    #expect(text(of: BlinkCodeTests.tempo(999_000)) == BlinkCodeTests.pause + highest + BlinkCodeTests.pause)
  }

  @Test func signatureIsShownAsTwoNumbersWithALongerGap() {
    let wide = Signature(32, over: 16, limit: .none)!
    let between = String(repeating: "-", count: 30)
    let expected =
      BlinkCodeTests.pause + BlinkCodeTests.digit(3) + BlinkCodeTests.gap + BlinkCodeTests.digit(2) + between
      + BlinkCodeTests.digit(1) + BlinkCodeTests.gap + BlinkCodeTests.digit(6) + BlinkCodeTests.pause
    #expect(text(of: .signature(wide)) == expected)
  }

  @Test func successIsShownByTwoFlashesAndRefusalByOneLongFlash() {
    #expect(text(of: .stored) == BlinkCodeTests.pause + "##---##" + BlinkCodeTests.pause)
    #expect(text(of: .refused(.noScore)) == BlinkCodeTests.pause + BlinkCodeTests.long + BlinkCodeTests.pause)
    #expect(BlinkCode(.stored, from: BlinkCodeTests.begin).hasAudio)
    #expect(!BlinkCode(.refused(.noScore), from: BlinkCodeTests.begin).hasAudio)
  }

  @Test func nextChangeReturnsEachChangeInTurn() {
    let blinkCode = BlinkCode(BlinkCodeTests.tempo(205_000), from: BlinkCodeTests.begin)
    var changes: [Int64] = []
    var next = blinkCode.nextChange(after: .zero)
    while let instant = next {
      changes.append((instant - BlinkCodeTests.begin).count / 1_000_000)
      next = blinkCode.nextChange(after: instant)
    }
    #expect(
      changes == [
        0, 300, 400, 600, 700, 1_400, 2_000, 2_700, 2_800, 3_000, 3_100, 3_300, 3_400, 3_600, 3_700, 3_900, 4_000,
        4_300,
      ])
    #expect(blinkCode.end == BlinkCodeTests.begin + .milliseconds(4_300))
  }

  @Test func edgesAreExactToTheNanosecond() {
    let blinkCode = BlinkCode(.stored, from: BlinkCodeTests.begin)
    let nanosecond = Nanoseconds(1)
    #expect(!blinkCode.covers(BlinkCodeTests.begin - nanosecond))
    #expect(blinkCode.covers(BlinkCodeTests.begin))
    #expect(blinkCode.covers(blinkCode.end - nanosecond))
    #expect(!blinkCode.covers(blinkCode.end))
    let flash = BlinkCodeTests.begin + .milliseconds(300)
    #expect(!blinkCode.isLit(at: flash - nanosecond))
    #expect(blinkCode.isLit(at: flash))
    #expect(blinkCode.isLit(at: flash + .milliseconds(100) - nanosecond))
    #expect(!blinkCode.isLit(at: flash + .milliseconds(100)))
  }

  @Test func blinkCodeDoesNotChangeAfterItsEnd() {
    let blinkCode = BlinkCode(.stored, from: BlinkCodeTests.begin)
    #expect(!blinkCode.covers(blinkCode.end))
    #expect(!blinkCode.isLit(at: blinkCode.end))
    #expect(blinkCode.nextChange(after: blinkCode.end) == nil)
  }
}
