import MetronomeCore
import Testing

@Suite struct TempoTests {
  @Test func initialTempoIs120BPM() { #expect(Tempo.initial.description == "120 BPM") }

  @Test(arguments: [
    (1_000, "1 BPM"), (92_500, "92.5 BPM"), (33_333, "33.333 BPM"), (100_050, "100.05 BPM"), (999_000, "999 BPM"),
  ])
  func textOmitsTrailingZeros(milliBPM: Int, text: String) {
    #expect(Tempo(milliBPM: milliBPM)?.description == text)
  }

  @Test(arguments: [0, 999, 999_001, -120_000, .max, .min])
  func temposOutsideTheRangeAreRejected(milliBPM: Int) { #expect(Tempo(milliBPM: milliBPM) == nil) }

  @Test(arguments: [
    ("120", 120_000), ("92.5", 92_500), ("1", 1_000), ("999", 999_000), ("60.001", 60_001), ("007", 7_000),
  ])
  func decimalsAreParsed(text: String, milliBPM: Int32) { #expect(Tempo(decimal: text)?.milliBPM == milliBPM) }

  @Test(arguments: [
    "", ".", "1.", ".5", "1e2", "-3", "+3", "1.2345", "0.999", "1000", "120 BPM", "nan", "٣", "9999999999999999999999",
  ])
  func invalidDecimalsAreRejected(text: String) { #expect(Tempo(decimal: text) == nil) }

  @Test func stepsAreLimitedToTheRange() {
    #expect(Tempo(bpm: 999)!.stepped(byMilliBPM: 1_000).description == "999 BPM")
    #expect(Tempo(milliBPM: 1_400)!.stepped(byMilliBPM: -1_000).description == "1 BPM")
    #expect(Tempo(milliBPM: 92_500)!.stepped(byMilliBPM: 1_000).description == "93.5 BPM")
  }
}
