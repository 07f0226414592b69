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

  @Test func linesKeepTheirOrder() {
    let words = ["light", "□", "120 BPM", "space", "q quit"]
    let lines = picture.lines(rows: 5)
    #expect(zip(lines, words).allSatisfy { $0.contains($1) }, "\(lines)")
  }
}
