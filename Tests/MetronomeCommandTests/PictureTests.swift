import HardwareAbstraction
import MetronomeCore
import MetronomeTerminal
import Testing

@Suite struct PictureTests {
  private let picture = Picture(
    levels: [], state: MetronomeState(isPlaying: false, tempo: .initial, signature: .initial), beat: nil,
    sound: "no sound")

  @Test func thereAreNoMoreLinesThanRows() {
    let whole = picture.lines(rows: .max)
    for rows in 1...30 {
      let lines = picture.lines(rows: rows)
      #expect(lines.count == min(rows, whole.count))
      #expect(lines.contains { $0.contains("light") && $0.contains("no sound") })
    }
  }

  @Test func everyKeyIsSaid() {
    let words = picture.lines(rows: .max).joined(separator: " ").split(separator: " ")
    for key in ["space", "-", "+", "n", "d", "t", "1-4", "[", "]", "<", ">", "h", "0", "r", "s", "q"] {
      #expect(words.contains { $0 == key }, "\(key)")
    }
  }

  @Test func noLineIsWiderThanATerminal() throws {
    let name = try #require(PresetName("Blue in Green"))
    let lines = Picture(
      levels: [], state: MetronomeState(isPlaying: true, tempo: Tempo(milliBPM: 123_456)!, signature: .initial),
      beat: Beat(index: 0, instant: .zero, bar: 1_000, position: 0), sound: "no sound",
      preset: RecalledPreset(place: 128, count: 128, name: name), holdsNext: true,
      figures: "31,536,000 beats, p99 999.9 ms late, 1,000,000 skipped"
    ).lines(rows: .max)
    for line in lines {
      let shown = line.replacing(/\u{1B}\[[0-9;]*m/, with: "")
      #expect(shown.count <= 76, "\(shown)")
    }
  }

  @Test func saysWhatIsNotHeard() {
    #expect(text(isSilent: true).contains("playing, silent    bar 3, beat 2"))
    #expect(text(isSilent: false).contains("playing    bar 3, beat 2"))
  }

  @Test func countsIn() {
    #expect(text(bar: -2, countIn: 2).contains("playing    count-in, bar 1 of 2, beat 2"))
    #expect(text(bar: -1, countIn: 2).contains("playing    count-in, bar 2 of 2, beat 2"))
    #expect(text(bar: 0, countIn: 2).contains("playing    bar 1, beat 2"))
  }

  @Test func namesTheRecalledPreset() throws {
    let name = try #require(PresetName("Blue in Green"))
    #expect(text(preset: RecalledPreset(place: 3, count: 12, name: name)).contains("  preset 3 of 12: Blue in Green"))
    #expect(!text().contains("preset 3 of"))
    var memory = SavedState()
    try memory.presets.save(Preset(name, tempo: .initial, signature: .initial))
    #expect(RecalledPreset(memory) == nil)
    memory.recalled = 1
    #expect(RecalledPreset(memory) == RecalledPreset(place: 1, count: 1, name: name))
  }

  @Test func saysHowTheBeatsCome() {
    let lines = Picture(
      levels: [], state: MetronomeState(isPlaying: true, tempo: .initial, signature: .initial), beat: nil,
      sound: "no sound", figures: "7 beats, p99 1 µs late, none skipped"
    ).lines(rows: .max)
    #expect(lines.contains("  7 beats, p99 1 µs late, none skipped"))
    #expect(lines.count == picture.lines(rows: .max).count)
  }

  @Test func saysThatTheNextKeyIsHeld() {
    #expect(text(holdsNext: true).contains("\u{1B}[1mh hold till next key:"))
    #expect(text().contains("h hold till next key:"))
  }

  private func text(
    isSilent: Bool = false, bar: Int64 = 2, countIn: Int = 0, preset: RecalledPreset? = nil, holdsNext: Bool = false
  ) -> String {
    let state = MetronomeState(isPlaying: true, tempo: .initial, signature: .initial, isSilent: isSilent)
    let beat = Beat(index: 9, instant: .zero, bar: bar, position: 1)
    let picture = Picture(
      levels: [], state: state, beat: beat, sound: "no sound", countIn: countIn, preset: preset, holdsNext: holdsNext)
    return picture.lines(rows: .max).joined(separator: "\n")
  }

  @Test func linesKeepTheirOrder() {
    let words = ["light", "□", "120 BPM", "space", "q quit"]
    let lines = picture.lines(rows: 5)
    #expect(zip(lines, words).allSatisfy { $0.contains($1) }, "\(lines)")
  }
}
