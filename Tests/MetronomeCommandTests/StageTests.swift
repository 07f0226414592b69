import HardwareAbstraction
import MetronomeCore
import MetronomeTerminal
import Testing

/// The stage view of the terminal: the number of the beat over the whole window.
@Suite struct StageTests {
  private static let sizes = [(12, 40), (24, 80), (60, 200), (5, 20), (3, 9), (1, 1)]

  /// In a beat of a bar, so long after it.
  private func picture(
    beat: Int = 1, after milliseconds: Int64 = 10, signature: String = "4/4", dimmed: Int = 0, rhythm: String = ""
  ) throws -> Picture {
    var music = Music(tempo: .initial, signature: try #require(Signature(text: signature)))
    music.rhythm = try Rhythm(text: rhythm, for: music.bar.metre)
    var picture = Picture(state: MetronomeState(isPlaying: true, music), audio: "silent")
    picture.timeline = Timeline(session: 1, firstBeat: .zero, tempo: .initial, bar: music.bar)
    let instant = try #require(picture.timeline.beat(Int64(beat - 1))).instant
    picture.now = instant + .milliseconds(milliseconds)
    for key in [.stage] + [Key](repeating: .dim, count: dimmed) {
      _ = picture.console.act(on: key, isHolding: false, at: .zero)
    }
    return picture
  }

  private func plain(_ line: String) -> String { line.replacing(/\u{1B}\[[0-9;]*m/, with: "") }

  private func lines(_ picture: Picture, rows: Int = 12, columns: Int = 40, style: Style = .plain) -> [String] {
    picture.lines(rows: rows, columns: columns, style: style)
  }

  @Test func theNumberFillsASmallTerminal() throws {
    let lines = lines(try picture(beat: 2, after: 200)).map(plain)
    #expect(lines.count == 12)
    #expect(lines[10] == "  x beat 2 of 4   bar 1   120 BPM")
    #expect(lines[11] == "  l ends this view   o dims it")
    #expect(lines[..<10].allSatisfy { $0.contains("▓") })
  }

  @Test(arguments: sizes) func everyTerminalIsFilledAndNoLineIsTooWide(rows: Int, columns: Int) throws {
    for beat in [1, 7, 12] {
      for style in [Style.plain, .colors] {
        for dimmed in 0...Console.dimmest {
          let lines = lines(
            try picture(beat: beat, signature: "12/8", dimmed: dimmed), rows: rows, columns: columns, style: style
          ).map(plain)
          #expect(lines.count == rows)
          #expect(lines.allSatisfy { $0.count <= columns })
          guard rows >= 12 else { continue }
          // The number has the height or the width of the window.
          let inked = lines.dropLast(2).filter { !$0.isEmpty }
          let width = (inked.map(\.count).max() ?? 0) - (inked.map { $0.prefix { $0 == " " }.count }.min() ?? 0)
          #expect(inked.count >= rows - 2 || width >= columns - 8)
        }
      }
    }
  }

  @Test func beatsHaveDifferentNumbers() throws {
    let faces = try (1...12).map { lines(try picture(beat: $0, signature: "12/8"), style: .colors).dropLast(2) }
    #expect(Set(faces.map { $0.map(plain).joined(separator: "\n") }).count == 12)
  }

  @Test func theLightOfTheBeatIsSeen() throws {
    func face(_ beat: Int, after milliseconds: Int64 = 10, _ style: Style) throws -> String {
      lines(try picture(beat: beat, after: milliseconds), style: style).dropLast(2).joined(separator: "\n")
    }
    // By color and brightness.
    #expect(try face(1, .colors).contains("\u{1B}[1;33m") && face(2, .colors).contains("\u{1B}[1;36m"))
    #expect(try face(1, after: 200, .colors).contains("\u{1B}[33m"))
    // Without colors by the character.
    #expect(try face(1, .plain).contains("█") && !face(2, .plain).contains("█") && face(2, .plain).contains("▓"))
    #expect(try face(1, .plain) != face(1, after: 200, .plain))
    // Without blocks by the mark of the level.
    var ascii = Style.plain
    ascii.hasBlocks = false
    #expect(try Set(plain(face(1, ascii))) == ["X", " ", "\n"] && Set(plain(face(2, ascii))) == ["x", " ", "\n"])
    #expect(try lines(picture(beat: 1), style: ascii)[10].contains("X beat 1 of 4"))
  }

  @Test func itIsDimmedInThreeSteps() throws {
    func face(_ dimmed: Int, _ style: Style) throws -> String {
      lines(try picture(dimmed: dimmed), style: style).joined(separator: "\n")
    }
    for style in [Style.plain, .colors] {
      #expect(try Set((0...Console.dimmest).map { try face($0, style) }).count == Console.dimmest + 1)
      #expect(try face(Console.dimmest + 1, style) == face(0, style))
    }
    // Gray 235 of 256 is nearly black. Nothing is brighter.
    let darkest = try face(Console.dimmest, .colors)
    #expect(darkest.matches(of: /\u{1B}\[([0-9;]*)m/).allSatisfy { ["0", "38;5;235"].contains($0.1) })
    #expect(try !face(Console.dimmest, .plain).contains(where: { "█▓▒░".contains($0) }))
  }

  @Test func helpAndMessagesAreShown() throws {
    var picture = try picture()
    _ = picture.console.act(on: .help, isHolding: false, at: .zero)
    #expect(lines(picture, rows: 40).contains { $0.contains("l o") })
    _ = picture.console.act(on: .other, isHolding: false, at: .zero)
    _ = picture.console.act(on: .digit("9"), isHolding: false, at: .zero)
    #expect(lines(picture)[11].contains("tempo 9_"))
  }

  @Test func theKeyEndsItAndTheOtherKeyNeedsIt() throws {
    var console = Console()
    _ = console.act(on: .dim, isHolding: false, at: .zero)
    #expect(console.dimming == 0 && console.message == "o dims the large beat; l shows it")
    _ = console.act(on: .stage, isHolding: false, at: .zero)
    #expect(console.isStage)
    _ = console.act(on: .stage, isHolding: false, at: .zero)
    #expect(!console.isStage)
    var reader = KeyReader()
    #expect(reader.keys(in: "loLO".utf8) == [.stage, .dim, .stage, .dim])
  }

  @Test func stoppedThereIsNoNumber() throws {
    var picture = try picture()
    (picture.timeline, picture.state.isPlaying) = (.stopped, false)
    let lines = lines(picture)
    #expect(lines.count == 12 && lines[..<10].allSatisfy(\.isEmpty))
    #expect(lines[10] == "  stopped   120 BPM")
  }
}
