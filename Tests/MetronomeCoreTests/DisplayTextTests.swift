import MetronomeCore
import Testing

/// What a display of four digits shows.
@Suite struct DisplayTextTests {
  private let initial = MetronomeState(isPlaying: true, Music(tempo: .initial, signature: .initial))

  private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  private func content(
    _ bpm: Int = 120, _ signature: String = "4/4", volume: Int = 0, isPlaying: Bool = true, preset: Int? = nil,
    recalls: UInt64 = 0
  ) throws -> DisplayContent {
    DisplayContent(
      MetronomeState(
        isPlaying: isPlaying,
        Music(tempo: try #require(Tempo(bpm: bpm)), signature: try #require(Signature(text: signature))),
        volume: Volume.all[volume]), preset: preset, recalls: recalls)
  }

  @Test(arguments: [
    (20_000, "  20"), (99_499, "  99"), (99_500, " 100"), (120_000, " 120"), (133_700, " 134"), (999_000, " 999"),
  ])
  func tempiAreRounded(milliBPM: Int, text: String) throws {
    #expect(DisplayText(try #require(Tempo(milliBPM: milliBPM))).description == text)
  }

  @Test(arguments: [("4/4", " 4:4 "), ("6/8", " 6:8 "), ("12/16", "12:16"), ("1/32", " 1:32"), ("2+2+3/8", " 7:8 ")])
  func signaturesAreAroundTheColon(signature: String, text: String) throws {
    #expect(DisplayText(try #require(Signature(text: signature))).description == text)
  }

  @Test func volumesAreSteps() {
    #expect(Volume.all.map { DisplayText($0).description }.first == "U 24")
    #expect(Volume.all.map { DisplayText($0).description }.last == "U  0")
    #expect(Set(Volume.all.map { DisplayText($0) }).count == Volume.all.count)
  }

  @Test(arguments: [
    (0, "b  1"), (8, "b  9"), (998, "b999"), (999, "1000"), (9_998, "9999"), (9_999, "0000"), (10_000, "0001"),
  ])
  func barsAreCountedFromOne(bar: Int64, text: String) { #expect(DisplayText(bar: bar).description == text) }

  @Test func presetsAndReplies() throws {
    #expect(DisplayText(preset: 7).description == "P  7")
    #expect(DisplayText(preset: 100).description == "P100")
    #expect(DisplayText(.stored).description == "donE")
    #expect(DisplayText(.pairing).description == "PAir")
    #expect(DisplayText(.number(427)).description == " 427")
    #expect(DisplayText(.refused(.noScore)).description == "----")
    #expect(DisplayText(.tempo(.initial)).description == " 120")
    #expect(DisplayText(.signature(.initial)).description == " 4:4 ")
    #expect(DisplayFault.allCases.map(\.text.description) == ["E  1", "E  2", "E  3"])
  }

  @Test func charactersAreReadFromTheLeft() {
    let text = DisplayText("b 17")
    #expect((0..<4).map { text[$0] } == Array("b 17".utf8))
    #expect(!text.hasColon)
    #expect(DisplayText.blank.description == "    ")
  }

  @Test func theFirstContentIsNoChange() throws {
    let projection = DisplayProjection(try content(120, "6/8", preset: 3))
    #expect(projection.text(at: at(0)).description == " 120")
    #expect(projection.nextChange(after: at(0)) == nil)
  }

  @Test func aChangeIsShownForTwoSeconds() throws {
    var projection = DisplayProjection(try content())
    projection.show(try content(120, "3/4"), faults: [], at: at(1_000))
    #expect(projection.text(at: at(1_000)).description == " 3:4 ")
    #expect(projection.nextChange(after: at(1_000)) == at(3_000))
    #expect(projection.text(at: at(2_999)).description == " 3:4 ")
    #expect(projection.text(at: at(3_000)).description == " 120")
    #expect(projection.nextChange(after: at(3_000)) == nil)
  }

  @Test func aTempoReplacesAnEarlierChange() throws {
    var projection = DisplayProjection(try content())
    projection.show(try content(120, "3/4"), faults: [], at: at(0))
    projection.show(try content(121, "3/4"), faults: [], at: at(500))
    #expect(projection.text(at: at(500)).description == " 121")
  }

  @Test func theSameContentAgainChangesNothing() throws {
    var projection = DisplayProjection(try content())
    projection.show(try content(120, "3/4"), faults: [], at: at(0))
    projection.show(try content(120, "3/4"), faults: [], at: at(1_900))
    #expect(projection.text(at: at(2_000)).description == " 120")
  }

  @Test func aPresetHidesWhatItChanges() throws {
    var projection = DisplayProjection(try content())
    projection.show(try content(90, "7/8", volume: 4, preset: 2, recalls: 1), faults: [], at: at(0))
    #expect(projection.text(at: at(0)).description == "P  2")
    projection.show(try content(90, "7/8", volume: 5, preset: 2, recalls: 1), faults: [], at: at(100))
    #expect(projection.text(at: at(100)).description == "U 19")
    var refused = try content(90, "7/8", volume: 5, preset: 2, recalls: 1)
    (refused.reply, refused.replies) = (.refused(.noScore), 1)
    projection.show(refused, faults: [], at: at(200))
    #expect(projection.text(at: at(200)).description == "----")
  }

  @Test func onlyARecallShowsAPreset() throws {
    var projection = DisplayProjection(try content(preset: 2, recalls: 1))
    projection.show(try content(preset: 2, recalls: 2), faults: [], at: at(0))
    #expect(projection.text(at: at(0)).description == "P  2")
    // A command has moved the preset.
    projection.show(try content(preset: 5, recalls: 2), faults: [], at: at(2_500))
    #expect(projection.text(at: at(2_500)).description == " 120")
    // A command has recalled another preset, and is undone.
    projection.show(try content(preset: 6, recalls: 3), faults: [], at: at(5_000))
    projection.show(try content(preset: 5, recalls: 2), faults: [], at: at(5_300))
    #expect(projection.text(at: at(5_300)).description == "P  6")
  }

  @Test func aSectionOfAScoreShowsItsBar() throws {
    var projection = DisplayProjection(try content())
    var next = try content()
    (next.song, next.bar) = (0, 16)
    projection.show(next, faults: [], at: at(0))
    #expect(projection.text(at: at(0)).description == "b 17")
    (next.song, next.bar) = (nil, nil)
    projection.show(next, faults: [], at: at(2_500))
    #expect(projection.text(at: at(2_500)).description == " 120")
  }

  @Test func aTempoIsShownInsteadOfAFault() throws {
    var projection = DisplayProjection(try content(isPlaying: false))
    projection.show(try content(isPlaying: false), faults: [.state], at: at(0))
    #expect(projection.text(at: at(2_400)).description == "E  2")
    projection.show(try content(90, isPlaying: false), faults: [.state], at: at(2_500))
    #expect(projection.text(at: at(2_500)).description == "  90")
    #expect(projection.text(at: at(4_499)).description == "  90")
    #expect(projection.text(at: at(6_000)).description == "E  2")
  }

  @Test func faultsAreShownWhileStopped() throws {
    var projection = DisplayProjection(try content(isPlaying: false))
    projection.show(try content(isPlaying: false), faults: [.state, .sound], at: at(1_000))
    let shown = (0..<6).map { projection.text(at: at(1_000 + 2_000 * $0)).description }
    #expect(shown == [" 120", "E  1", "E  2", " 120", "E  1", "E  2"])
    #expect(projection.nextChange(after: at(1_000)) == at(3_000))
    #expect(projection.nextChange(after: at(3_500)) == at(5_000))
    projection.show(try content(isPlaying: true), faults: [.state, .sound], at: at(4_000))
    #expect(projection.text(at: at(4_000)).description == " 120")
    #expect(projection.nextChange(after: at(4_000)) == nil)
    projection.show(try content(isPlaying: false), faults: [], at: at(5_000))
    #expect(projection.text(at: at(7_000)).description == " 120")
  }
}
