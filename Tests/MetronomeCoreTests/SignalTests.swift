import MetronomeCore
import Testing

@Suite struct SignalTests {
  private static let begin = Instant(nanoseconds: 5_000_000_000)

  /// What is told, drawn: a column is 50 ms, `#` lit, `-` dark, from where the lights are taken over to where they are given
  /// back.
  private func drawing(of reply: Reply) -> String {
    let signal = Signal(reply, from: SignalTests.begin)
    var text = ""
    var instant = SignalTests.begin
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
      SignalTests.pause + SignalTests.digit(1) + SignalTests.gap + SignalTests.digit(2) + SignalTests.gap
      + SignalTests.long + SignalTests.pause
    #expect(drawing(of: SignalTests.tempo(120_000)) == expected)
  }

  @Test func zerosInFrontAreLeftOutAndDecimalsRounded() {
    let ninetyThree =
      SignalTests.pause + SignalTests.digit(9) + SignalTests.gap + SignalTests.digit(3) + SignalTests.pause
    #expect(drawing(of: SignalTests.tempo(92_500)) == ninetyThree)
    #expect(drawing(of: SignalTests.tempo(93_499)) == ninetyThree)
    #expect(drawing(of: SignalTests.tempo(1_000)) == SignalTests.pause + "##" + SignalTests.pause)
    let highest = Array(repeating: SignalTests.digit(9), count: 3).joined(separator: SignalTests.gap)
    #expect(drawing(of: SignalTests.tempo(999_000)) == SignalTests.pause + highest + SignalTests.pause)
  }

  @Test func aSignatureIsTwoNumbersFurtherApart() {
    let wide = Signature(32, over: 16, limit: .none)!
    let between = String(repeating: "-", count: 30)
    let expected =
      SignalTests.pause + SignalTests.digit(3) + SignalTests.gap + SignalTests.digit(2) + between
      + SignalTests.digit(1) + SignalTests.gap + SignalTests.digit(6) + SignalTests.pause
    #expect(drawing(of: .signature(wide)) == expected)
  }

  @Test func whatIsDoneFlashesTwiceAndWhatIsRefusedOnceAndLong() {
    #expect(drawing(of: .stored) == SignalTests.pause + "##---##" + SignalTests.pause)
    #expect(drawing(of: .refused) == SignalTests.pause + SignalTests.long + SignalTests.pause)
    #expect(Signal(.stored, from: SignalTests.begin).hasSound)
    #expect(!Signal(.refused, from: SignalTests.begin).hasSound)
  }

  @Test func everyChangeIsTold() {
    let signal = Signal(SignalTests.tempo(205_000), from: SignalTests.begin)
    var changes: [Int64] = []
    var next = signal.nextChange(after: .zero)
    while let instant = next {
      changes.append((instant - SignalTests.begin).count / 1_000_000)
      next = signal.nextChange(after: instant)
    }
    #expect(
      changes == [
        0, 300, 400, 600, 700, 1_400, 2_000, 2_700, 2_800, 3_000, 3_100, 3_300, 3_400, 3_600, 3_700, 3_900, 4_000,
        4_300,
      ])
    #expect(signal.end == SignalTests.begin + .milliseconds(4_300))
  }

  @Test func itsEdgesAreExact() {
    let signal = Signal(.stored, from: SignalTests.begin)
    let nanosecond = Nanoseconds(1)
    #expect(!signal.covers(SignalTests.begin - nanosecond))
    #expect(signal.covers(SignalTests.begin))
    #expect(signal.covers(signal.end - nanosecond))
    #expect(!signal.covers(signal.end))
    let flash = SignalTests.begin + .milliseconds(300)
    #expect(!signal.isLit(at: flash - nanosecond))
    #expect(signal.isLit(at: flash))
    #expect(signal.isLit(at: flash + .milliseconds(100) - nanosecond))
    #expect(!signal.isLit(at: flash + .milliseconds(100)))
  }

  @Test func nothingIsNothing() {
    #expect(!Signal.none.covers(.zero))
    #expect(!Signal.none.isLit(at: .zero))
    #expect(Signal.none.nextChange(after: .zero) == nil)
  }
}
